/// <reference lib="dom" />
/** What an experiment of the lab is about. */
import { MISTAKES } from '../../../naive/naive-request';
import { byId, draw } from '../../../page/view/dom';
import { view, type View } from '../../../page/view/view';
import type { Experiment } from '../../experiments';

const PROXY =
  'The proxy lets no DELETE through. It forwards the requests of all clients over one ' +
  'connection, and gives the next response to the client whose turn it is. It';
const MORE = 'What happens without the defence, and the lines that are missing then';

/** Shows what is told of an experiment, or nothing. */
export function showStory(scene: Experiment | undefined): void {
  const box = byId('story');
  box.hidden = scene === undefined;
  box.toggleAttribute('open', scene !== undefined);
  draw(box, scene === undefined ? [] : storyOf(scene));
}

/** Gives room to what happens. */
export function foldStory(): void {
  byId('story').removeAttribute('open');
}

function storyOf({ about = '', defence, disagreement, mistakes, ...scene }: Experiment) {
  const disagree = `Proxy and server disagree on ${disagreement}.`;
  const told = mistakes ? `${PROXY} ${MISTAKES[mistakes[0]]}. ${disagree}` : about;
  return [
    view('summary', {}, `Lab ${scene.number}. ${scene.title}`),
    paragraphOf(told),
    paragraphOf('Predict: what does each client receive?'),
    view(
      'details',
      {},
      view('summary', {}, MORE),
      paragraphOf(`Without the defence, ${scene.outcome}.`),
      view('pre', {}, defence),
    ),
  ];
}

/** @param text in which `code` stands between backticks */
function paragraphOf(text: string): View {
  const parts = text.split('`');
  return view(
    'p',
    {},
    ...parts.map((part, at) => (at % 2 ? view('code', {}, part) : part)),
  );
}
