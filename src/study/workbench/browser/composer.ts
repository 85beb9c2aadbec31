/// <reference lib="dom" />
/** The composer on the page: it shows the state, and says what somebody does with it. */
import { MISTAKES } from '../../../naive/naive-request';
import { byId, draw } from '../../../page/view/dom';
import { button, view, type View } from '../../../page/view/view';
import { HOST, REPLIES } from '../scenes';
import type { Selection } from './editor';
import { Looks, moveLooks } from './looks';
import * as states from './state';
import type { State } from './state';

const MOST_CONNECTIONS = 6;
const CUT = '\u2016';
/** What the buttons type. */
const MARKS = { cut: CUT, pause: `${CUT}600${CUT}`, lf: '\u00ac\n' } as const;

/** Of which somebody chooses one: its value, what it says, and more about it. */
type Choice<T> = readonly [value: T, text: string, title?: string];

const WAYS: readonly Choice<string>[] = [
  [states.DIRECT, 'to the server'],
  ['proxy', 'through a proxy without a mistake'],
  ...Object.entries(MISTAKES).map(
    ([name, does]) => [name, `through a proxy that ${does}`] as const,
  ),
];
const ENDINGS = [
  ['stay', 'stay', 'The connection stays open'],
  ['close', 'close', 'Our side of the connection closes after the last byte'],
  ['reset', 'reset', 'A TCP reset ends the connection after the last byte'],
  ['never', 'never end', 'What follows the last cut is sent again and again'],
] as const;

/** What somebody wants, beside what changes the state. */
interface Wishes {
  readonly change: (next: State) => void;
  readonly send: () => void;
  readonly choose: (server: string) => void;
}

export class Composer {
  private readonly text = byId('text') as HTMLTextAreaElement;
  private readonly through = byId('through') as HTMLSelectElement;
  private readonly looks = new Looks(byId('looks'));
  private state = states.BEGINNING;
  private drawn = '';

  constructor(private readonly wishes: Wishes) {
    draw(
      this.through,
      WAYS.map(([value, text]) => view('option', { value }, text)),
    );
    this.listen();
  }

  private listen(): void {
    const { text, through, wishes } = this;
    const { change, send } = wishes;
    const undo = (by: -1 | 1): void => change(states.undone(this.state, by));
    text.addEventListener('input', () => change(states.typed(this.state, this.selection)));
    text.addEventListener('beforeinput', (event) => {
      const isUndo = event.inputType === 'historyUndo';
      if (!isUndo && event.inputType !== 'historyRedo') return;
      event.preventDefault();
      undo(isUndo ? -1 : 1);
    });
    text.addEventListener('paste', (event) => {
      event.preventDefault();
      const pasted = event.clipboardData?.getData('text/plain') ?? '';
      change(states.pasted(this.state, this.selection, pasted));
    });
    text.addEventListener('keydown', (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      const key = event.key.toLowerCase();
      if (key === 'enter') {
        if (!event.repeat) send();
      } else if (key === 'z') undo(event.shiftKey ? 1 : -1);
      else if (key === 'y') undo(1);
      else return;
      event.preventDefault();
    });
    for (const [id, mark] of Object.entries(MARKS))
      onClick(id, () => {
        change(states.inserted(this.state, this.selection, mark));
        text.focus();
      });
    onClick('undo', () => undo(-1));
    onClick('redo', () => undo(1));
    // The second click of a double one may come when the first has been sent.
    byId('send').addEventListener('click', ({ detail }) => {
      if (detail < 2) send();
    });
    through.addEventListener('change', () =>
      change({ ...this.state, through: through.value }),
    );
  }

  private get selection(): Selection {
    const { selectionEnd: end, selectionStart: start, value: text } = this.text;
    return { text, start, end };
  }

  show(state: State): void {
    const { state: before, text, wishes } = this;
    this.state = state;
    const { choice, editor, script, target, turn } = state;
    if (text.value !== editor.text) {
      text.value = editor.text;
      text.setSelectionRange(editor.start, editor.end);
    }
    const isOther = choice !== before.choice || turn !== before.turn;
    if (isOther) byId('editor').scrollTop = 0;
    const server = states.serverOf(state);
    const isServer = server === REPLIES;
    document.body.classList.toggle('in-lab', choice?.scene !== undefined);
    document.body.classList.toggle('as-server', isServer);
    draw(byId('title'), [editor.title || 'Choose a request or a response']);
    this.enable('undo', editor.at > 0);
    this.enable('redo', editor.at < editor.shots.length - 1);
    this.enable('send', states.obstacle(state) === '');
    for (const id of ['play', 'save', 'clear']) this.enable(id, state.link === 'live');
    draw(byId('send'), [isServer ? 'Serve' : 'Send']);
    draw(byId('address'), isServer && target?.isReady ? addressOf(target.port) : []);
    draw(byId('challenge'), challengeView(state));
    draw(byId('offer'), this.offerView(state));
    draw(byId('sent'), [states.reportOf(state)]);
    draw(byId('result'), [states.resultOf(state)]);
    draw(byId('gone'), notices(state));

    radios('servers', states.serversOf(state), server, wishes.choose);
    const endings = isServer ? ENDINGS : ENDINGS.slice(0, -1);
    radios('then', endings, script.ending, (ending) =>
      wishes.change(states.endedBy(this.state, ending)),
    );
    this.showWay(state);
    this.showVerdict(state);
  }

  /** A button that cannot be pressed any more gives the focus to the text. */
  private enable(id: string, isOn: boolean): void {
    const element = byId(id);
    if (!isOn && element === document.activeElement) this.text.focus();
    element.toggleAttribute('disabled', !isOn);
  }

  private offerView({ offer }: State): View[] {
    if (offer === undefined) return [];
    const onclick = (): void => {
      this.wishes.change(states.tookOffer(this.state));
      this.text.focus();
    };
    const bytes = button('Take the bytes that it sends', { onclick });
    return [`That looks like ${offer.what}. `, bytes];
  }

  private showWay(state: State): void {
    const isLive = state.link === 'live';
    const next = isLive ? states.nextClient(state) : 'new';
    this.through.value = state.through;
    this.through.disabled = next !== 'new'; // an open one goes where it goes
    const [way] = this.through.selectedOptions;
    byId('through-says').textContent = way?.text ?? '';
    const open = isLive ? states.choosableOf(state).slice(-MOST_CONNECTIONS) : [];
    const names = open.map(
      (one) => [one.id, states.nameOf(state, one) || '\u2026'] as const,
    );
    const isKnown = next === 'new' || open.some(({ id }) => id === next);
    const untold = isKnown ? [] : [[next, '\u2026'] as const];
    radios('clients', [...names, ...untold, ['new', 'new'] as const], next, (client) =>
      this.wishes.change(states.choseClient(this.state, client)),
    );
  }

  private showVerdict(state: State): void {
    const { editor, script } = state;
    const judged = states.shownOf(state);
    const key = JSON.stringify([editor.text, judged?.key]);
    if (key !== this.drawn) {
      this.drawn = key;
      const isOld = judged !== undefined && judged.key !== states.judgedKey(state);
      const known = isOld
        ? moveLooks(judged.judgement, judged.bytes, script.bytes)
        : judged?.judgement;
      this.looks.draw(editor.text, script, known);
    }
    const { kind, says } = states.verdict(state);
    byId('judged').className = kind;
    draw(byId('judged'), [says]);
  }
}

/** Shows choices of which there is one. The focus stays with what is chosen. */
function radios<T extends string | number>(
  id: string,
  choices: readonly Choice<T>[],
  chosen: T,
  choose: (value: T) => void,
): void {
  const box = byId(id);
  const hadFocus = box.contains(document.activeElement);
  const views = choices.map(([value, text, title]) => {
    const onclick = (): void => {
      if (value !== chosen) choose(value);
    };
    const radio = view('input', { type: 'radio', name: id, value, onclick });
    return view('label', { title }, radio, text);
  });
  draw(box, views);
  for (const radio of box.querySelectorAll('input')) {
    radio.checked = radio.value === String(chosen);
    if (hadFocus && radio.checked) radio.focus();
  }
}

function addressOf(port: number): View[] {
  const url = `http://${HOST}:${port}/`;
  const open = view('a', { href: url }, 'open it here');
  return [view('code', {}, `curl -i ${url}`), ' or ', open];
}

function challengeView(state: State): View[] {
  const challenge = states.challengeOf(state);
  return challenge ? [view('b', {}, challenge.says), challenge.asks] : [];
}

/** What is to be known before anything else. */
function notices({ isShared, link }: State): View[] {
  if (link === 'lost')
    return [
      'The workbench does not respond: start it again with npm run workbench, ' +
        'and with the same --port and --page-port if it had any. What is shown stays ' +
        'until you load the page again, but cannot be saved any more.',
    ];
  if (link === 'replaced')
    return [
      'The workbench was started again, and knows nothing of this page. ',
      button('Load the page again', { onclick: () => location.reload() }),
      ' What you have typed stays.',
    ];
  return isShared
    ? ['Another tab shows this workbench: both have the same servers and connections.']
    : [];
}

export function onClick(id: string, act: () => void): void {
  byId(id).addEventListener('click', act);
}
