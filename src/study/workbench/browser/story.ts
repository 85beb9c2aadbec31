/// <reference lib="dom" />
/** What an experiment of the lab is about. */
import { MISTAKES } from '../../../naive/naive-request';
import { byId, draw } from '../../../page/view/dom';
import { view, type View } from '../../../page/view/view';
import type { Experiment } from '../../experiments';

const PROXY =
  'The proxy lets no DELETE through. It forwards the requests of all clients over one ' +
  'connection, and gives the next response to the client whose turn it is.';

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

function storyOf(experiment: Experiment): View[] {
  const {
    about = '',
    defence,
    disagreement,
    mistakes,
    number,
    outcome,
    title,
  } = experiment;
  const told =
    mistakes === undefined
      ? [about]
      : [
          PROXY,
          `It ${MISTAKES[mistakes[0]]}. Proxy and server disagree on ${disagreement}.`,
        ];
  const paragraph = (text: string): View => view('p', {}, ...codeIn(text));
  return [
    view('summary', {}, `Lab ${number}. ${title}`),
    ...[...told, 'Predict: what does each client receive?'].map(paragraph),
    view(
      'details',
      {},
      view(
        'summary',
        {},
        'What happens without the defence, and the lines that are missing then',
      ),
      paragraph(`Without the defence, ${outcome}.`),
      view('pre', {}, defence),
    ),
  ];
}

/** Text in which `code` stands between backticks. */
function codeIn(text: string): View[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? view('code', {}, part) : part));
}
