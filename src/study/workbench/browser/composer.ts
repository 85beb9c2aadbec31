/// <reference lib="dom" />
/** The composer on the page: it shows the state, and says what somebody does with it. */
import { MISTAKES } from '../../../naive/naive-request';
import { byId, draw } from '../../../page/view/dom';
import { button, view, type View } from '../../../page/view/view';
import { defendedName, HOST, REPLIES, TASKS } from '../scenes';
import type { Snapshot } from './editor';
import { Looks, moveLooks } from './looks';
import { DIRECT, judgedKey, obstacle, verdict, type Action, type State } from './state';

const MOST_CONNECTIONS = 6;
const CUT = '\u2016';
/** What the buttons type. */
const MARKS = { cut: CUT, pause: `${CUT}600${CUT}`, lf: '\u00ac\n' } as const;

/** Of which somebody chooses one: its value, what it says, and more about it. */
type Choices = readonly (readonly [value: string, text: string, title?: string])[];

const WAYS: Choices = [
  [DIRECT, 'to the server'],
  ['proxy', 'through a proxy without a mistake'],
  ...Object.entries(MISTAKES).map(
    ([name, does]) => [name, `through a proxy that ${does}`] as const,
  ),
];
const ENDINGS = [
  ['stay', 'stay', 'The connection stays open'],
  ['close', 'close', 'Our side of the connection closes after the last byte'],
  ['reset', 'reset', 'A TCP reset ends the connection after the last byte'],
  ['never', 'never', 'What follows the last cut is sent again and again'],
] as const;

/** What somebody wants, beside what changes the state. */
interface Wishes {
  readonly act: (action: Action) => void;
  readonly send: () => void;
  readonly choose: (server: string) => void;
}

export class Composer {
  private readonly text = byId('text') as HTMLTextAreaElement;
  private readonly through = byId('through') as HTMLSelectElement;
  private readonly looks = new Looks(byId('looks'));
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
    const { act, send } = wishes;
    text.addEventListener('input', () => act({ type: 'type', after: this.snapshot }));
    text.addEventListener('beforeinput', (event) => {
      const isUndo = event.inputType === 'historyUndo';
      if (!isUndo && event.inputType !== 'historyRedo') return;
      event.preventDefault();
      act({ type: isUndo ? 'undo' : 'redo' });
    });
    text.addEventListener('paste', (event) => {
      event.preventDefault();
      const pasted = event.clipboardData?.getData('text/plain') ?? '';
      act({ type: 'paste', at: this.snapshot, text: pasted });
    });
    text.addEventListener('keydown', (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      const key = event.key.toLowerCase();
      if (key === 'enter') send();
      else if (key === 'z') act({ type: event.shiftKey ? 'redo' : 'undo' });
      else if (key === 'y') act({ type: 'redo' });
      else return;
      event.preventDefault();
    });
    for (const [id, mark] of Object.entries(MARKS))
      onClick(id, () => {
        act({ type: 'insert', at: this.snapshot, text: mark });
        text.focus();
      });
    onClick('undo', () => act({ type: 'undo' }));
    onClick('redo', () => act({ type: 'redo' }));
    onClick('send', send);
    through.addEventListener('change', () =>
      act({ type: 'set', to: { through: through.value } }),
    );
    const onChoice = (id: string, choose: (value: string) => void): void =>
      byId(id).addEventListener('change', ({ target }) => {
        if (target instanceof HTMLInputElement) choose(target.value);
      });
    onChoice('clients', (value) =>
      act({ type: 'client', client: value === 'new' ? value : Number(value) }),
    );
    onChoice('then', (value) => {
      const [ending] = ENDINGS.find(([name]) => name === value) ?? [];
      if (ending !== undefined) act({ type: 'end', ending });
    });
    onChoice('servers', wishes.choose);
  }

  private get snapshot(): Snapshot {
    const { selectionEnd: end, selectionStart: start, value: text } = this.text;
    return { text, start, end };
  }

  show(state: State): void {
    const { editor, offer, scene, script, server, target, title } = state;
    const { text } = this;
    if (text.value !== editor.text) {
      text.value = editor.text;
      text.setSelectionRange(editor.start, editor.end);
    }
    draw(byId('title'), [title === '' ? 'Choose a request or a response' : title]);
    byId('undo').toggleAttribute('disabled', editor.past.length === 0);
    byId('redo').toggleAttribute('disabled', editor.future.length === 0);
    byId('send').toggleAttribute('disabled', obstacle(state) !== '');
    const isServer = server === REPLIES;
    document.body.classList.toggle('in-lab', scene !== undefined);
    document.body.classList.toggle('as-server', isServer);
    const scenes: Choices = scene
      ? [
          [String(scene.number), 'no defence'],
          [defendedName(scene), 'with it'],
        ]
      : [[TASKS, 'You are the client']];
    const serve = scene ? 'be the server' : 'You are the server';
    radios('servers', [...scenes, [REPLIES, serve]], server);
    const url = `http://${HOST}:${target?.port}/`;
    const isHere = isServer && target?.name === REPLIES && target.isReady;
    const curl = view('code', {}, `curl -i ${url}`);
    const open = view('a', { href: url }, 'open it here');
    draw(byId('address'), isHere ? [curl, ' or ', open] : []);
    draw(byId('send'), [isServer ? 'Serve' : 'Send']);
    this.showWay(state);
    const endings = isServer ? ENDINGS : ENDINGS.slice(0, -1);
    radios('then', endings, script.ending);
    draw(byId('challenge'), challengeView(state));
    draw(byId('offer'), offer === undefined ? [] : this.offer(offer.what));
    this.showVerdict(state);
    draw(byId('sent'), [[state.closed, state.says].filter((one) => one !== '').join(' ')]);
    draw(byId('gone'), notices(state));
  }

  private offer(what: string): View[] {
    const take = (): void => {
      this.wishes.act({ type: 'take the offer' });
      this.text.focus();
    };
    return [`That looks like ${what}. `, button('Take the bytes that it sends', take)];
  }

  private showWay(state: State): void {
    const { client, clients, through } = state;
    this.through.value = through;
    this.through.disabled = client !== 'new'; // an open one goes where it goes
    const [way] = this.through.selectedOptions;
    byId('through-says').textContent = way?.text ?? '';
    const open = clients.filter((one) => one.state === 'open').slice(-MOST_CONNECTIONS);
    const names = open.map(({ id, name }) => [String(id), name || '\u2026'] as const);
    const isKnown = names.some(([id]) => id === String(client));
    const untold = client === 'new' || isKnown ? [] : [[String(client), '\u2026'] as const];
    radios('clients', [...names, ...untold, ['new', 'new']], String(client));
  }

  private showVerdict(state: State): void {
    const { editor, isPredicting, judged, script } = state;
    const key = JSON.stringify([editor.text, judged?.key, isPredicting]);
    if (key !== this.drawn) {
      this.drawn = key;
      // What was known of the bytes stays until more is known.
      const isOld = judged !== undefined && judged.key !== judgedKey(state);
      const known = isOld
        ? moveLooks(judged.judgement, judged.bytes, script.bytes)
        : judged?.judgement;
      this.looks.draw(editor.text, script, isPredicting ? undefined : known);
    }
    const line = byId('judged');
    const { kind, says } = verdict(state);
    line.className = kind;
    draw(line, [says]);
  }
}

/** Shows choices of which there is one. The focus stays with what is chosen. */
function radios(id: string, choices: Choices, chosen: string): void {
  const box = byId(id);
  const hadFocus = box.contains(document.activeElement);
  draw(
    box,
    choices.map(([value, text, title]) =>
      view('label', { title }, view('input', { type: 'radio', name: id, value }), text),
    ),
  );
  for (const radio of box.querySelectorAll('input')) {
    radio.checked = radio.value === chosen;
    if (hadFocus && radio.checked) radio.focus();
  }
}

function challengeView({ challenge, isSolved }: State): View[] {
  if (challenge === undefined) return [];
  const { asks } = challenge;
  return [view('b', {}, isSolved ? '\u2713 Done: ' : 'Challenge: '), asks];
}

/** What is to be known before anything else. */
function notices({ isSecond, link }: State): View[] {
  if (link === 'lost')
    return ['The workbench does not respond: start it again with npm run workbench.'];
  if (link === 'replaced')
    return [
      'The workbench was started again, and knows nothing of this page. ',
      button('Load the page again', () => location.reload()),
      ' What you have typed stays.',
    ];
  return isSecond
    ? ['Another tab shows this workbench: both have the same servers and connections.']
    : [];
}

export function onClick(id: string, act: () => void): void {
  byId(id).addEventListener('click', act);
}
