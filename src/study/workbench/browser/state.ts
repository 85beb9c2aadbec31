/** What the live page knows and what somebody has chosen, and how each thing that happens
 * changes it. Pure: it knows no page, and asks nobody. */
import { readScript, writeScript, type Script } from '../../bytes';
import type { EventsData, ServerData } from '../bench';
import type { ClientData } from '../clients';
import type { Judgement, Then } from '../judge';
import { CUTS_LIMIT, PAUSE_LIMIT_MS, SEND_LIMIT } from '../limits';
import type { ExperimentData } from '../requests';
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
import { readPasted, type Pasted } from './pasted';

/** Whether the workbench is there:
 *  - `live`: it responds
 *  - `lost`: it does not
 *  - `replaced`: one that was started later responds, and knows nothing of this page */
export type Link = 'live' | 'lost' | 'replaced';

/** An experiment that is played, and which of its clients sends what is typed. */
export interface Play {
  readonly experiment: ExperimentData;
  readonly index: number;
}

/** What was sent last. */
export interface Sent {
  readonly client: number;
  /** Who that is in an experiment, or ''. */
  readonly who: string;
  /** When, in milliseconds since the server started, and how many bytes its client had
   * received by then. */
  readonly at: number;
  readonly received: number;
}

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
  /** What is typed, in the words of the gallery. */
  readonly title: string;
  /** What was pasted, if it can be read as other bytes, and the text before that. */
  readonly offer: (Pasted & { readonly before: Snapshot }) | undefined;
  readonly through: string;
  readonly then: Then;
  readonly isHeld: boolean;
  readonly isPredicting: boolean;
  readonly clients: readonly ClientData[];
  readonly client: number | 'new';
  /** What became of the connection that was chosen, or ''. */
  readonly closed: string;
  /** The server that was chosen last, and the one that was told of last. */
  readonly server: string;
  readonly target: ServerData | undefined;
  /** The experiment whose servers can be chosen. */
  readonly scene: ExperimentData | undefined;
  readonly play: Play | undefined;
  readonly sent: Sent | undefined;
  /** Who sent on a client, in an experiment. */
  readonly senders: { readonly [client: number]: string };
  /** What was found out last, and of what. */
  readonly judged: Judged | undefined;
  /** What the page says of what was done. */
  readonly says: string;
}

export type Action =
  | { readonly type: 'type'; readonly after: Snapshot }
  | { readonly type: 'insert' | 'paste'; readonly at: Snapshot; readonly text: string }
  | { readonly type: 'undo' | 'redo' | 'take the offer' }
  | {
      readonly type: 'load';
      readonly text: string;
      readonly title: string;
      readonly play?: Play | undefined;
    }
  | { readonly type: 'through'; readonly through: string }
  | { readonly type: 'client'; readonly client: number | 'new' }
  | { readonly type: 'then'; readonly then: Then }
  | { readonly type: 'hold'; readonly isHeld: boolean }
  | { readonly type: 'predict'; readonly isPredicting: boolean }
  | { readonly type: 'scene'; readonly scene: ExperimentData | undefined }
  | { readonly type: 'server'; readonly name: string }
  | { readonly type: 'told'; readonly events: EventsData }
  | { readonly type: 'judged'; readonly judged: Judged }
  | { readonly type: 'sent'; readonly client: number; readonly at: number }
  | { readonly type: 'cleared' }
  | { readonly type: 'say'; readonly says: string }
  | { readonly type: 'link'; readonly link: Link }
  | { readonly type: 'second'; readonly isSecond: boolean };

export const DIRECT = 'server';
export const TASKS = 'tasks';
const NEXT = 'Now type what comes next.';

export function beginWith(text = '', title = ''): State {
  return {
    ...{ link: 'live', isSecond: false, says: '', closed: '', title },
    ...{ editor: editorOf(text), script: readScript(text), offer: undefined },
    ...{ through: DIRECT, then: 'keep', isHeld: false, isPredicting: false },
    ...{ clients: [], client: 'new', server: TASKS, target: undefined, scene: undefined },
    ...{ play: undefined, sent: undefined, senders: {}, judged: undefined },
  };
}

export function update(state: State, action: Action): State {
  const { editor } = state;
  switch (action.type) {
    case 'type': {
      const isSame = action.after.text === editor.text;
      const next = withEditor(state, typed(editor, action.after));
      return isSame ? next : retitle({ ...next, offer: undefined });
    }
    case 'insert':
      return retitle(withEditor(state, inserted({ ...editor, ...action.at }, action.text)));
    case 'undo':
      return withEditor(state, undone(editor));
    case 'redo':
      return withEditor(state, redone(editor));
    case 'paste': {
      const { at } = action;
      const text = action.text.replace(/\r\n?/g, '\n');
      const next = retitle(withEditor(state, inserted({ ...editor, ...at }, text)));
      const pasted = readPasted(text);
      return { ...next, offer: pasted && { ...pasted, before: at } };
    }
    case 'take the offer': {
      const { offer } = state;
      if (offer === undefined) return state;
      const bytes = inserted({ ...editor, ...offer.before }, writeScript(offer.pieces));
      return withEditor({ ...state, offer: undefined }, changed(editor, bytes));
    }
    case 'load': {
      const { play, text, title } = action;
      const isHeld = requestOf(play)?.isHeld ?? false;
      const isFirst = editor.text === '' && editor.past.length === 0;
      const next = withEditor(state, isFirst ? editorOf(text) : replaced(editor, text));
      return { ...next, title, play, isHeld, client: 'new', closed: '', offer: undefined };
    }
    case 'through':
      return { ...state, through: action.through };
    case 'client': {
      const known = clientOf(state, action.client);
      const through = known?.through ?? state.through;
      return { ...state, client: action.client, through, closed: '' };
    }
    case 'then':
      return { ...state, then: action.then };
    case 'hold':
      return { ...state, isHeld: action.isHeld };
    case 'predict':
      return { ...state, isPredicting: action.isPredicting };
    case 'scene':
      return { ...state, scene: action.scene };
    case 'server': {
      const target = state.target && { ...state.target, problem: '' };
      const none = { sent: undefined, says: '', closed: '' };
      return { ...state, ...none, server: action.name, target };
    }
    case 'told':
      return tell(state, action.events);
    case 'judged':
      return { ...state, judged: action.judged };
    case 'sent':
      return send(state, action.client, action.at);
    case 'cleared':
      return {
        ...state,
        clients: [],
        client: 'new',
        closed: '',
        sent: undefined,
        says: '',
      };
    case 'say':
      return { ...state, says: action.says };
    case 'link':
      return { ...state, link: action.link };
    case 'second':
      return { ...state, isSecond: action.isSecond };
  }
}

function withEditor(state: State, editor: Editor): State {
  if (editor.text === state.editor.text) return { ...state, editor };
  return { ...state, editor, script: readScript(editor.text) };
}

function retitle(state: State): State {
  const { play, title } = state;
  const isChanged = title === '' || title.endsWith(', changed');
  // Nobody else is left to send, so these bytes are no longer the experiment's.
  const isOver = play !== undefined && play.index + 1 >= play.experiment.requests.length;
  return {
    ...state,
    title: isChanged ? title : `${title}, changed`,
    play: isOver ? undefined : play,
  };
}

export function requestOf(
  play: Play | undefined,
): ExperimentData['requests'][number] | undefined {
  return play?.experiment.requests[play.index];
}

export function clientOf(
  { clients }: State,
  client: State['client'],
): ClientData | undefined {
  return clients.find(({ id }) => id === client);
}

/** The workbench told what there is. */
function tell(state: State, { clients: told, server }: EventsData): State {
  const clients = told.map((one) => ({
    bytes: clientOf(state, one.id)?.bytes ?? '',
    ...one,
  }));
  const says = saysOf(state, server);
  const next: State = { ...state, clients, server: server.name, target: server, says };
  const before = clientOf(state, state.client);
  const now = clients.find(({ id }) => id === state.client);
  // What is told may be older than the choice.
  const isGone = now === undefined ? before !== undefined : now.state !== 'open';
  if (state.client === 'new' || !isGone) return next;
  const name = now?.name || before?.name || 'The connection';
  const why = now?.why ? `: ${now.why}` : '';
  return {
    ...next,
    client: 'new',
    closed: `${name} is closed${why}. The next Send opens another.`,
    says: next.says === NEXT ? '' : next.says,
  };
}

const MAKING = 'The server is being made \u2026';
const UNSTARTED = 'It cannot be started: ';

function saysOf({ says, target }: State, { isReady, problem }: ServerData): string {
  if (problem !== '' && problem !== target?.problem) return UNSTARTED + problem;
  if (!isReady) return MAKING;
  return says === MAKING ? '' : says;
}

/** Bytes were sent on a client. */
function send(state: State, client: number, at: number): State {
  const { editor, isHeld, judged, play, then } = state;
  const who = requestOf(play)?.who ?? '';
  const { received = 0 } = clientOf(state, client) ?? {};
  // What a client sends before it receives anything is one thing: it may be one request.
  const last = state.sent;
  const isMore = last?.client === client && last.received === received;
  const kind = judged?.key === judgedKey(state) ? judged.judgement.kind : 'unknown';
  const isLast = then !== 'keep' || (state.through === DIRECT && ENDS.includes(kind));
  const next: State = {
    ...state,
    sent: { client, who, received, at: isMore ? last.at : at },
    senders: who === '' ? state.senders : { ...state.senders, [client]: who },
    client: isLast || isHeld ? 'new' : client,
    closed: '',
    isHeld: false,
    then: 'keep',
    says: isHeld ? 'Held: it begins with the next send.' : '',
  };
  if (play !== undefined) {
    const says = `${next.says} ${saysAfter(state, play)}`.trim();
    return { ...next, says };
  }
  if (isHeld) return next;
  if (kind !== 'wait' || then !== 'keep') return next;
  // Or it would be judged as if it were sent once more.
  return { ...withEditor(next, replaced(editor, '')), says: NEXT };
}

const ENDS: readonly Judgement['kind'][] = ['close', 'reject'];

function saysAfter({ server }: State, { experiment, index }: Play): string {
  const { number, requests } = experiment;
  const next = requests[index + 1];
  if (next !== undefined)
    return `The editor now has what ${named(next.who)} of Lab ${number} sends: press Send.`;
  return server === String(number)
    ? `That was Lab ${number} without its defence. Now choose the server with it.`
    : `That was Lab ${number}, with its defence.`;
}

/** @param who "victim", or "client 2" */
export function named(who: string): string {
  return /\d$/.test(who) ? who : `the ${who}`;
}

/** @param name of a client: "p1" @returns "the attacker", or the name */
export function nameOf({ clients, senders }: State, name: string): string {
  const who = senders[clients.find((client) => client.name === name)?.id ?? NaN];
  return who === undefined ? name : named(who);
}

/** What a judgement depends on. */
export function judgedKey(state: State): string {
  const { client, editor, target, then, through } = state;
  const { name, isReady } = target ?? {};
  const { state: is, sent, unsent } = clientOf(state, client) ?? {};
  return JSON.stringify([
    editor.text,
    client,
    through,
    then,
    name,
    isReady,
    is,
    sent,
    unsent,
  ]);
}

/** Why nothing can be sent, or ''. */
export function obstacle({ link, script, server, target }: State): string {
  if (link !== 'live') return 'The workbench is gone.';
  if (target?.isReady !== true || target.name !== server) return MAKING;
  return excess(script);
}

/** @returns which limit of the workbench itself is exceeded, as a sentence, or '' */
function excess({ bytes, cuts }: Script): string {
  const most = (what: string): string => `The workbench itself sends at most ${what}.`;
  if (bytes.length > SEND_LIMIT)
    return most(`${SEND_LIMIT.toLocaleString('en')} bytes at once`);
  if (cuts.length > CUTS_LIMIT) return most(`${CUTS_LIMIT} cuts at once`);
  if (cuts.some(({ pause }) => pause > PAUSE_LIMIT_MS))
    return most(`pauses of ${PAUSE_LIMIT_MS} ms`);
  return '';
}

/** @returns what the page says of the bytes */
export function verdict(state: State): { readonly kind: string; readonly says: string } {
  const { isPredicting, judged, link, script } = state;
  const tell = ({ length }: Uint8Array, says: string): string =>
    `${length.toLocaleString('en')} byte${length === 1 ? '' : 's'}. ${says}`;
  const tooMuch = excess(script);
  if (tooMuch !== '') return { kind: '', says: tell(script.bytes, tooMuch) };
  if (isPredicting)
    return { kind: '', says: tell(script.bytes, 'What will the server make of this?') };
  const isKnown = judged?.key === judgedKey(state);
  if (judged === undefined || (link !== 'live' && !isKnown))
    return { kind: '', says: tell(script.bytes, '') };
  const { kind, says } = judged.judgement; // the last one, until the next is here
  return { kind, says: tell(judged.bytes, says) };
}

/** Whether the server is to be asked what it would make of the bytes. */
export function needsJudging(state: State): boolean {
  if (state.isPredicting || state.link !== 'live' || excess(state.script) !== '')
    return false;
  return state.target !== undefined && state.judged?.key !== judgedKey(state);
}
