/** What the live page knows and what somebody has chosen, and how each thing that happens
 * changes it. Pure: it knows no page, and asks nobody. */
import { readScript, writeScript, type Ending, type Script } from '../../bytes';
import type { Experiment } from '../../experiments';
import type { EventsData, ServerData } from '../bench';
import type { ClientData } from '../clients';
import type { Judgement } from '../judge';
import { excess } from '../limits';
import type { Challenge } from '../../../page/model/challenges';
import { REPLIES, TASKS } from '../scenes';
import type { Kept } from './address';
import {
  changed,
  editorOf,
  inserted,
  redone,
  replaced,
  typed,
  undone,
  type Editor,
  type Snapshot,
} from './editor';
import { turnOf, type Choice } from './menu';
import { readPasted, type Pasted } from './pasted';

/** Whether the workbench is there:
 *  - `live`: it responds
 *  - `lost`: it does not
 *  - `replaced`: one that was started later responds, and knows nothing of this page */
export type Link = 'live' | 'lost' | 'replaced';

/** What was found out of bytes. */
export interface Judged {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly judgement: Judgement;
}

export interface State {
  readonly link: Link;
  /** Whether another tab shows the same workbench. */
  readonly isSecond: boolean;
  readonly editor: Editor;
  readonly script: Script;
  /** What is typed, in the words of the gallery, and the name that it has there. */
  readonly title: string;
  readonly choice: string;
  /** What was pasted, if it can be read as other bytes, and the text before that. */
  readonly offer: (Pasted & { readonly before: Snapshot }) | undefined;
  readonly through: string;
  readonly isPredicting: boolean;
  /** Whether both runs of the experiment are shown, and not what happens. */
  readonly isComparing: boolean;
  /** What is to be done, and whether it was. */
  readonly challenge: Challenge | undefined;
  readonly isSolved: boolean;
  readonly clients: readonly ClientData[];
  readonly client: number | 'new';
  /** What became of the connection that was chosen, or ''. */
  readonly closed: string;
  /** The server that was chosen last, and the one that was told of last. */
  readonly server: string;
  readonly target: ServerData | undefined;
  /** The experiment whose servers can be chosen, and which of its clients sends what is
   * typed. */
  readonly scene: Experiment | undefined;
  readonly turn: number | undefined;
  /** The client that sent last, and who that is in an experiment, or ''. */
  readonly sender: { readonly client: number; readonly who: string } | undefined;
  /** What was found out last, and of what. */
  readonly judged: Judged | undefined;
  /** What the page says of what was done. */
  readonly says: string;
}

export type Action =
  | { readonly type: 'type'; readonly after: Snapshot }
  | { readonly type: 'insert' | 'paste'; readonly at: Snapshot; readonly text: string }
  | { readonly type: 'undo' | 'redo' | 'take the offer' | 'cleared' | 'begin' }
  | { readonly type: 'end'; readonly ending: Ending }
  | { readonly type: 'open'; readonly choice: Choice }
  | {
      readonly type: 'restore';
      readonly kept: Kept;
      readonly scene: Experiment | undefined;
    }
  | { readonly type: 'client'; readonly client: number | 'new' }
  | { readonly type: 'server'; readonly name: string }
  | { readonly type: 'told'; readonly events: EventsData }
  | { readonly type: 'sent'; readonly client: number }
  | {
      readonly type: 'set';
      readonly to: Partial<
        Omit<State, 'editor' | 'script' | 'clients' | 'client' | 'server' | 'target'>
      >;
    };

export const DIRECT = 'server';
const NEXT = 'Now type what comes next.';

// prettier-ignore
export const BEGINNING: State = {
  link: 'live', isSecond: false, says: '', closed: '', title: '', choice: '',
  editor: editorOf(''), script: readScript(''), offer: undefined,
  isPredicting: false, isComparing: false, through: DIRECT,
  clients: [], client: 'new',
  server: TASKS, target: undefined, scene: undefined, turn: undefined,
  sender: undefined, judged: undefined, challenge: undefined, isSolved: false,
};

export function update(state: State, action: Action): State {
  const { editor } = state;
  switch (action.type) {
    case 'type': {
      const isSame = action.after.text === editor.text;
      const next = edit(state, typed(editor, action.after));
      return isSame ? next : retitle({ ...next, offer: undefined });
    }
    case 'insert':
      return retitle(edit(state, inserted({ ...editor, ...action.at }, action.text)));
    case 'end': {
      const bare = editor.text.replace(/‖(?:stay|close|reset|never)‖$/, '');
      return edit(state, replaced(editor, bare + writeScript([], action.ending)));
    }
    case 'undo':
      return edit(state, undone(editor));
    case 'redo':
      return edit(state, redone(editor));
    case 'paste': {
      const { at } = action;
      const text = action.text.replace(/\r\n?/g, '\n');
      const next = retitle(edit(state, inserted({ ...editor, ...at }, text)));
      const pasted = readPasted(text);
      return { ...next, offer: pasted && { ...pasted, before: at } };
    }
    case 'take the offer': {
      const { offer } = state;
      if (offer === undefined) return state;
      const bytes = inserted({ ...editor, ...offer.before }, writeScript(offer.pieces));
      return edit({ ...state, offer: undefined }, changed(editor, bytes));
    }
    case 'open': {
      const { name, read, scene: opened, title } = action.choice;
      const way = { through: DIRECT, isComparing: false } as const;
      const next = { ...state, ...way, scene: opened, turn: undefined, choice: name };
      return opened === undefined ? load(next, read(), title) : begin(next);
    }
    case 'restore': {
      const { text, through, title, turn } = action.kept;
      const own = { scene: action.scene, turn: turn === '' ? undefined : Number(turn) };
      return load({ ...state, ...own, through: through || DIRECT }, text, title);
    }
    case 'begin':
      return begin(state);
    case 'client': {
      const through = clientOf(state, action.client)?.through ?? state.through;
      return { ...state, client: action.client, through, closed: '' };
    }
    case 'server': {
      const target = state.target && { ...state.target, problem: '' };
      const none = { sender: undefined, says: '', closed: '', isComparing: false };
      return { ...state, ...none, server: action.name, target };
    }
    case 'told':
      return tell(state, action.events);
    case 'sent':
      return state.server === REPLIES
        ? { ...state, says: SERVED }
        : send(state, action.client);
    case 'cleared': {
      const none = { clients: [], client: 'new', closed: '', sender: undefined, says: '' };
      return begin({ ...state, ...none, isComparing: false } as State);
    }
    case 'set':
      return { ...state, ...action.to };
  }
}

function edit(state: State, editor: Editor): State {
  if (editor.text === state.editor.text) return { ...state, editor };
  return { ...state, editor, script: readScript(editor.text) };
}

/** Another text in the place of all. */
function load(state: State, text: string, title: string): State {
  const { editor } = state;
  const isFirst = editor.text === '' && editor.past.length === 0;
  const next = edit(state, isFirst ? editorOf(text) : replaced(editor, text));
  return { ...next, title, client: 'new', closed: '', offer: undefined };
}

/** Types what the first client of the experiment sends. */
function begin(state: State): State {
  const { scene } = state;
  return scene === undefined
    ? state
    : takeTurn({ ...state, through: scene.mistakes?.[0] ?? DIRECT }, 0);
}

function takeTurn(state: State, index: number): State {
  const turn = state.scene && turnOf(state.scene, index);
  if (turn === undefined) return { ...state, turn: undefined };
  return { ...load(state, turn.text, turn.title), turn: index };
}

function retitle(state: State): State {
  const { scene, title, turn } = state;
  const isChanged = title === '' || title.endsWith(', changed');
  // Nobody else is left to send, so these bytes are no longer the experiment's.
  const isOver = scene !== undefined && (turn ?? 0) + 1 >= scene.clients.length;
  return {
    ...state,
    title: isChanged ? title : `${title}, changed`,
    turn: isOver ? undefined : turn,
  };
}

export function clientOf({ clients }: State, client: State['client']) {
  return clients.find(({ id }) => id === client);
}

/** The workbench told what there is. */
function tell(state: State, { clients, server }: EventsData): State {
  const says = saysOf(state, server);
  const next: State = { ...state, clients, server: server.name, target: server, says };
  const before = clientOf(state, state.client);
  const now = clientOf(next, state.client);
  // What is told may be older than the choice.
  const isGone = now === undefined ? before !== undefined : now.state !== 'open';
  if (state.client === 'new' || !isGone) return next;
  const name = now?.name || before?.name || 'The connection';
  const why = now?.why ? `: ${now.why}` : '';
  const closed = `${name} is closed${why}. The next Send opens another.`;
  return { ...next, client: 'new', closed, says: next.says === NEXT ? '' : next.says };
}

const MAKING = 'The server is being made \u2026';
const UNSTARTED = 'It cannot be started: ';
const SERVED = 'From now on, each client gets these bytes.';

function saysOf({ says, target }: State, { isReady, problem }: ServerData): string {
  if (problem !== '' && problem !== target?.problem) return UNSTARTED + problem;
  if (!isReady) return MAKING;
  return says === MAKING ? '' : says;
}

/** Bytes were sent on a client. */
function send(state: State, client: number): State {
  const { editor, judged, scene, script, turn } = state;
  const who = (scene && turnOf(scene, turn ?? -1)?.who) ?? '';
  const kind = judged?.key === judgedKey(state) ? judged.judgement.kind : undefined;
  const stays = script.ending === 'stay';
  const isLast =
    !stays || (state.through === DIRECT && (kind === 'close' || kind === 'reject'));
  const next: State = {
    ...state,
    sender: { client, who },
    client: isLast ? 'new' : client,
    closed: '',
    says: '',
    isComparing: false,
  };
  if (scene !== undefined && turn !== undefined) return playOn(next, scene, turn + 1);
  if (kind !== 'wait' || !stays) return next;
  // Or it would be judged as if it were sent once more.
  return { ...edit(next, replaced(editor, '')), says: NEXT };
}

/** Types what the next client of an experiment sends. */
function playOn(state: State, scene: Experiment, index: number): State {
  const { number } = scene;
  const next = turnOf(scene, index);
  const isWithout = state.server === String(number);
  const says =
    next !== undefined
      ? `The editor now has what ${named(next.who)} of Lab ${number} sends: press Send.`
      : isWithout
        ? `That was Lab ${number} without its defence. Now choose the server with it.`
        : `That was Lab ${number}, with its defence.`;
  return { ...(next === undefined ? state : takeTurn(state, index)), says };
}

/** @param who "victim", or "client 2" */
function named(who: string): string {
  return /\d$/.test(who) ? who : `the ${who}`;
}

/** What a judgement depends on. */
export function judgedKey(state: State): string {
  const { client, editor, target, through } = state;
  const { name, isReady } = target ?? {};
  const { state: is, sent, unsent } = clientOf(state, client) ?? {};
  return JSON.stringify([editor.text, client, through, name, isReady, is, sent, unsent]);
}

/** Why nothing can be sent, or ''. */
export function obstacle({ editor, link, script, server, target }: State): string {
  if (link !== 'live') return 'The workbench is gone.';
  if (target?.isReady !== true || target.name !== server) return MAKING;
  if (script.ending === 'never' && server !== REPLIES)
    return 'Only a server sends its last part again and again here.';
  return excess(editor.text, script);
}

/** @returns what the page says of the bytes */
export function verdict(state: State): { readonly kind: string; readonly says: string } {
  const { editor, isPredicting, judged, link, script, server } = state;
  const who = server === REPLIES ? 'a client' : 'the server';
  const tell = ({ length }: Uint8Array, says: string): string =>
    `${length.toLocaleString('en')} byte${length === 1 ? '' : 's'}. ${says}`;
  const tooMuch = excess(editor.text, script);
  if (tooMuch !== '') return { kind: '', says: tell(script.bytes, tooMuch) };
  if (isPredicting)
    return { kind: '', says: tell(script.bytes, `What will ${who} make of this?`) };
  const isKnown = judged?.key === judgedKey(state);
  const isReady = state.target?.isReady === true;
  if (judged === undefined || !isReady || (link !== 'live' && !isKnown))
    return { kind: '', says: tell(script.bytes, '') };
  const { kind, says } = judged.judgement; // the last one, until the next is here
  return { kind, says: tell(judged.bytes, says) };
}

/** Whether the server is to be asked what it would make of the bytes. */
export function needsJudging(state: State): boolean {
  const { editor, isPredicting, link, script } = state;
  if (isPredicting || link !== 'live' || excess(editor.text, script) !== '') return false;
  return state.target?.isReady === true && state.judged?.key !== judgedKey(state);
}
