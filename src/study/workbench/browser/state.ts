/** What the live page knows and what somebody has chosen, and how each thing that happens
 * changes it. Pure: it knows no page, and asks nobody. */
import type { Challenge } from '../../../page/model/challenges';
import { clientsOf } from '../../../page/model/lanes';
import type { PageData } from '../../../page/model/page-data';
import { receiptsIn } from '../../../page/model/runs';
import { readScript, writeScript, type Ending, type Script } from '../../bytes';
import type { Experiment } from '../../experiments';
import type { EventsData, ServerData } from '../bench';
import type { ClientData } from '../clients';
import type { Judgement } from '../judge';
import { excess, REPLIES, TASKS } from '../scenes';
import type { Kept } from './address';
import * as editors from './editor';
import type { Editor, Snapshot } from './editor';
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
  /** What happened on the server, and the clients. */
  readonly trace: PageData | undefined;
  readonly clients: readonly ClientData[];
  /** The client that was chosen: it may be closed by now, or not be known yet. */
  readonly client: number | 'new';
  /** The server that was chosen last. */
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
  | { readonly type: 'told'; readonly events: EventsData; readonly trace: PageData }
  | { readonly type: 'sent'; readonly client: number }
  | { readonly type: 'set'; readonly to: Partial<Omit<State, 'editor' | 'script'>> };

export const DIRECT = 'server';
const NEXT = 'Now type what comes next.';
const MAKING = 'The server is being made \u2026';

// prettier-ignore
export const BEGINNING: State = {
  link: 'live', isSecond: false, says: '', title: '', choice: '',
  editor: editors.editorOf(''), script: readScript(''), offer: undefined,
  isPredicting: false, isComparing: false, through: DIRECT,
  clients: [], client: 'new', trace: undefined,
  target: undefined, scene: undefined, turn: undefined,
  sender: undefined, judged: undefined, challenge: undefined, isSolved: false,
};

export function update(state: State, action: Action): State {
  const { editor } = state;
  switch (action.type) {
    case 'type': {
      const isSame = action.after.text === editor.text;
      const next = edit(state, editors.typed(editor, action.after));
      return isSame ? next : retitle({ ...next, offer: undefined });
    }
    case 'insert':
      return retitle(insert(state, action.at, action.text));
    case 'paste': {
      const text = action.text.replace(/\r\n?/g, '\n');
      const pasted = readPasted(text);
      const offer = pasted && { ...pasted, before: action.at };
      return { ...retitle(insert(state, action.at, text)), offer };
    }
    case 'take the offer': {
      const { offer } = state;
      if (offer === undefined) return state;
      const { text } = editors.inserted(
        { ...editor, ...offer.before },
        writeScript(offer.pieces),
      );
      return edit({ ...state, offer: undefined }, editors.replaced(editor, text));
    }
    case 'end': {
      const bare = editor.text.replace(/‖(?:stay|close|reset|never)‖$/, '');
      return edit(state, editors.replaced(editor, bare + writeScript([], action.ending)));
    }
    case 'undo':
      return edit(state, editors.undone(editor));
    case 'redo':
      return edit(state, editors.undone(editor, 1));
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
      return { ...state, client: action.client, through };
    }
    case 'server': {
      const { port = 0 } = state.target ?? {};
      const target = { name: action.name, port, isReady: false, problem: '' };
      return { ...state, sender: undefined, says: '', isComparing: false, target };
    }
    case 'told': {
      const { clients, server: target } = action.events;
      const next = { ...state, clients, target, trace: action.trace };
      // One that is not known yet was chosen after this was told.
      const isForgotten = clientOf(state, state.client) && !clientOf(next, state.client);
      return isForgotten ? { ...next, client: 'new' } : next;
    }
    case 'sent':
      return serverOf(state) === REPLIES
        ? { ...state, says: 'From now on, each client gets these bytes.' }
        : send(state, action.client);
    case 'cleared': {
      const none = { sender: undefined, says: '', isComparing: false };
      return begin({ ...state, ...none, clients: [], client: 'new' });
    }
    case 'set':
      return { ...state, ...action.to };
  }
}

function edit(state: State, editor: Editor): State {
  if (editor.text === state.editor.text) return { ...state, editor };
  return { ...state, editor, script: readScript(editor.text) };
}

function insert(state: State, at: Snapshot, text: string): State {
  return edit(state, editors.inserted({ ...state.editor, ...at }, text));
}

/** Another text in the place of all. */
function load(state: State, text: string, title: string): State {
  const { editor } = state;
  const isFirst = editor.text === '' && editor.at === 0;
  const next = isFirst ? editors.editorOf(text) : editors.replaced(editor, text);
  return { ...edit(state, next), title, client: 'new', offer: undefined };
}

/** Types what the first client of the experiment sends. */
function begin(state: State): State {
  const { scene } = state;
  if (scene === undefined) return state;
  return takeTurn({ ...state, through: scene.mistakes?.[0] ?? DIRECT }, scene, 0);
}

/** Types what a client of an experiment sends, if it has so many. */
function takeTurn(state: State, scene: Experiment, index: number): State {
  const turn = turnOf(scene, index);
  if (turn === undefined) return state;
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

/** Bytes were sent on a client. */
function send(state: State, client: number): State {
  const { editor, scene, script, turn } = state;
  const who = (scene && turnOf(scene, turn ?? -1)?.who) ?? '';
  const next: State = {
    ...state,
    sender: { client, who },
    client: script.ending === 'stay' ? client : 'new',
    says: '',
    isComparing: false,
  };
  if (scene !== undefined && turn !== undefined) return playOn(next, scene, turn + 1);
  const isWaiting = knownOf(state)?.kind === 'wait' && script.ending === 'stay';
  // Or it would be judged as if it were sent once more.
  return isWaiting ? { ...edit(next, editors.replaced(editor, '')), says: NEXT } : next;
}

/** Types what the next client of an experiment sends. */
function playOn(state: State, scene: Experiment, index: number): State {
  const { number } = scene;
  const next = turnOf(scene, index);
  const isWithout = serverOf(state) === String(number);
  const says =
    next !== undefined
      ? `The editor now has what ${named(next.who)} of Lab ${number} sends: press Send.`
      : isWithout
        ? `That was Lab ${number} without its defence. Now choose the server with it.`
        : `That was Lab ${number}, with its defence.`;
  return { ...takeTurn(state, scene, index), says };
}

/** @param who "victim", or "client 2" */
function named(who: string): string {
  return /\d$/.test(who) ? who : `the ${who}`;
}

export function serverOf({ target }: State): string {
  return target?.name ?? TASKS;
}

export function clientOf({ clients }: State, client: State['client'] | undefined) {
  return clients.find(({ id }) => id === client);
}

/** The client that the next bytes go on with. */
export function nextClient(state: State): State['client'] {
  return clientOf(state, state.client)?.isOpen === false ? 'new' : state.client;
}

/** The connection of the server that is that of a client, if the trace has it. */
function connectionOf({ trace }: State, { address }: ClientData): number | undefined {
  if (address === '') return undefined;
  const known = trace?.exchanges.filter(({ remote }) => remote === address);
  return known?.at(-1)?.connection; // a port may be used again
}

/** As the lanes call it: "c3"; through the proxy "p1". */
export function nameOf(state: State, client: ClientData | undefined): string {
  if (client === undefined || client.proxied !== '') return client?.proxied ?? '';
  const connection = connectionOf(state, client);
  return connection === undefined ? '' : `c${connection}`;
}

/** What became of the connection that was chosen, or ''. */
function closedOf(state: State): string {
  const client = clientOf(state, state.client);
  if (client === undefined || client.isOpen || state.isPredicting) return '';
  const connection = connectionOf(state, client);
  const steps = client.proxied === '' ? (state.trace?.steps ?? []) : [];
  const closing = steps.filter(
    (one) => one.connection === connection && ['close', 'gone'].includes(one.verb),
  );
  const why = closing[0]?.lines[0];
  const name = nameOf(state, client) || 'The connection';
  return `${name} is closed${why ? `: ${why}` : ''}. The next Send opens another.`;
}

/** @returns what the page says of what was done, and of what became of it */
export function reportOf(state: State): string {
  const { says, target } = state;
  if (target?.isReady === false) return MAKING;
  if (target?.problem) return `It cannot be started: ${target.problem}`;
  const isOver = says === NEXT && nextClient(state) === 'new';
  return [closedOf(state), isOver ? '' : says].filter((one) => one !== '').join(' ');
}

/** @returns what the client of the proxy received that sent last, or '' where nothing can be
 * said or is to be said */
export function resultOf(state: State): string {
  const { isPredicting, sender, trace } = state;
  const client = clientOf(state, sender?.client);
  if (isPredicting || trace === undefined || !client?.proxied) return '';
  const index = clientsOf(trace).indexOf(client.proxied);
  const receipts = receiptsIn(trace).filter((one) => one.client === index);
  const who = sender?.who ? `The ${sender.who} (${client.proxied})` : client.proxied;
  const { isOther, says = 'nothing yet' } = receipts.at(-1) ?? {};
  return `${who} received ${says}${isOther ? ', for which it had not asked' : ''}.`;
}

/** What a judgement depends on. */
export function judgedKey(state: State): string {
  const { editor, target, through } = state;
  const client = nextClient(state);
  const { name, isReady } = target ?? {};
  const { sent, unsent } = clientOf(state, client) ?? {};
  return JSON.stringify([editor.text, client, through, name, isReady, sent, unsent]);
}

/** @returns what was found out of these very bytes, if it is known */
function knownOf(state: State): Judgement | undefined {
  const { judged } = state;
  return judged?.key === judgedKey(state) ? judged.judgement : undefined;
}

/** Why nothing can be sent, or ''. */
export function obstacle(state: State): string {
  const { editor, link, script, target } = state;
  if (link !== 'live') return 'The workbench is gone.';
  if (target?.isReady !== true) return MAKING;
  if (script.ending === 'never' && target.name !== REPLIES)
    return 'Only a server sends its last part again and again here.';
  return excess(editor.text, script);
}

/** @returns what the page says of the bytes */
export function verdict(state: State): { readonly kind: string; readonly says: string } {
  const { editor, isPredicting, judged, link, script, target } = state;
  const tell = ({ length }: Uint8Array, says: string, kind = '') => ({
    kind,
    says: `${length.toLocaleString('en')} byte${length === 1 ? '' : 's'}. ${says}`,
  });
  const tooMuch = excess(editor.text, script);
  if (tooMuch !== '') return tell(script.bytes, tooMuch);
  const who = serverOf(state) === REPLIES ? 'a client' : 'the server';
  if (isPredicting) return tell(script.bytes, `What will ${who} make of this?`);
  const isOld = link !== 'live' && knownOf(state) === undefined;
  if (judged === undefined || target?.isReady !== true || isOld)
    return tell(script.bytes, '');
  const { kind, says } = judged.judgement; // the last one, until the next is here
  return tell(judged.bytes, says, kind);
}

/** Whether the server is to be asked what it would make of the bytes. */
export function needsJudging(state: State): boolean {
  const { editor, isPredicting, link, script, target } = state;
  if (isPredicting || link !== 'live' || excess(editor.text, script) !== '') return false;
  return target?.isReady === true && knownOf(state) === undefined;
}
