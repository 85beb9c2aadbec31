/** What the live page knows and what somebody has chosen, and how each thing that happens
 * changes it. Pure: it knows no page, and asks nobody. */
import type { Challenge } from '../../../page/model/challenges';
import { clientsOf } from '../../../page/model/lanes';
import type { ExchangeData, PageData } from '../../../page/model/page-data';
import { receiptsIn, type Receipt } from '../../../page/model/runs';
import { newestIn } from '../../../page/model/sections';
import { count } from '../../../text/text';
import { readScript, writeScript, type Ending, type Script } from '../../bytes';
import type { EventsData, ServerData } from '../bench';
import type { ClientData } from '../clients';
import type { Judgement } from '../judge';
import { defendedName, excess, REPLIES, SERVERS, TASKS, WAYS } from '../scenes';
import type { Kept } from './address';
import * as editors from './editor';
import type { Editor, Selection } from './editor';
import { turnOf, type Choice } from './menu';
import { readPasted, WRITTEN_OUT } from './pasted';

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

/** The client that sent last. */
interface Sender {
  readonly client: number;
  /** Who that is in an experiment. */
  readonly who: string | undefined;
  /** When it sent, in milliseconds since the server started. */
  readonly at: number;
  readonly text: string;
  /** Whether the server waits for more of it. */
  readonly isUnfinished: boolean;
  /** Whether that is not told yet, because somebody predicts first. */
  readonly isUntold: boolean;
}

export interface State {
  readonly link: Link;
  /** Whether another tab shows the same workbench. */
  readonly isShared: boolean;
  readonly editor: Editor;
  readonly script: Script;
  /** What was chosen in the gallery, and, of an experiment, which of its clients sends what
   * is typed. */
  readonly choice: Choice | undefined;
  readonly turn: number;
  /** What was pasted or typed, if it can be read as other bytes, and the text with those. */
  readonly offer: { readonly what: string; readonly after: Selection } | undefined;
  readonly through: string;
  readonly isPredicting: boolean;
  /** Whether both runs of the experiment are shown, and not what happens. */
  readonly isComparing: boolean;
  /** What is to be done, and whether it was. */
  readonly challenge: Challenge | undefined;
  readonly isSolved: boolean;
  /** The byte that is chosen, where it is not the one that is asked for. */
  readonly wrongByte: number | undefined;
  /** What happened on the server, and the clients. */
  readonly trace: PageData | undefined;
  readonly clients: readonly ClientData[];
  /** The client that was chosen: it may be closed by now, or not be known yet. */
  readonly client: number | 'new';
  /** The server that was chosen last. */
  readonly target: ServerData | undefined;
  readonly sender: Sender | undefined;
  /** What was found out last, and of what. */
  readonly judged: Judged | undefined;
  /** What the page says of what was done. */
  readonly says: string;
}

export const DIRECT = 'server';
/** A longer text is drawn plain: nobody looks at the colours of so much. */
export const LOOKS_LIMIT = 65_536;
/** A longer text is not written into the address. */
const LINK_LIMIT = 4_000;
const NEXT = 'Now type what comes next.';
const FORGOTTEN = 'What happened on the server before this one is forgotten.';
const MAKING = 'The server is being made \u2026';

// prettier-ignore
export const BEGINNING: State = {
  link: 'live', isShared: false, says: '',
  editor: editors.editorOf(''), script: readScript(''), offer: undefined,
  choice: undefined, turn: 0,
  isPredicting: false, isComparing: false, through: DIRECT,
  clients: [], client: 'new', trace: undefined, target: undefined,
  sender: undefined, judged: undefined,
  challenge: undefined, isSolved: false, wrongByte: undefined,
};

// The text.

/** Somebody has typed. */
export function typed(state: State, after: Selection): State {
  const next = edit(state, editors.typed(state.editor, after));
  return after.text === state.editor.text ? next : { ...next, offer: offerOf(after.text) };
}

/** @returns a text with other line ends, if those of its first lines are written out */
function offerOf(text: string): State['offer'] {
  if (!/HTTP\/1\.\d.*\\r\\n/.test(text)) return undefined;
  const read = text.replace(/\\r\\n\n?/g, '\n');
  const after = { text: read, start: read.length, end: read.length };
  return { what: WRITTEN_OUT, after };
}

export function inserted(state: State, at: Selection, text: string): State {
  return edit(state, editors.inserted({ ...state.editor, ...at }, text));
}

export function pasted(state: State, at: Selection, raw: string): State {
  const text = raw.replace(/\r\n?/g, '\n');
  const next = inserted(state, at, text);
  const read = readPasted(text);
  if (read === undefined) return { ...next, offer: undefined };
  const after = editors.inserted({ ...state.editor, ...at }, read.text);
  return { ...next, offer: { what: read.what, after } };
}

export function tookOffer(state: State): State {
  const { editor, offer } = state;
  if (offer === undefined) return state;
  return edit({ ...state, offer: undefined }, editors.changed(editor, offer.after));
}

/** @param ending what the sender is to do after the last byte */
export function endedBy(state: State, ending: Ending): State {
  const bare = state.editor.text.replace(/‖(?:stay|close|reset|never)‖$/, '');
  const text = bare + writeScript([], ending);
  return edit(state, editors.replaced(state.editor, text));
}

/** @param by -1 undoes the last change, 1 does it again */
export function undone(state: State, by: -1 | 1 = -1): State {
  return edit(state, editors.undone(state.editor, by));
}

function edit(state: State, editor: Editor): State {
  if (editor.text === state.editor.text) return { ...state, editor };
  return { ...state, editor, script: readScript(editor.text), says: '' };
}

/** Another text in the place of all. */
function load(state: State, text: string, title: string): State {
  const { editor } = state;
  const isFirst = editor.text === '' && editor.at === 0;
  const next = isFirst
    ? editors.editorOf(text, title)
    : editors.replaced(editor, text, title);
  return { ...edit(state, next), client: 'new', offer: undefined };
}

// What is chosen.

/** Types what the gallery has: of an experiment, what its first client sends. */
export function opened(state: State, choice: Choice): State {
  const next = { ...withoutDone(state), choice, isComparing: false };
  return choice.scene === undefined
    ? takeTurn({ ...next, through: DIRECT }, 0)
    : begun(next);
}

export function challenged(state: State, challenge: Challenge | undefined): State {
  return { ...state, challenge, isSolved: false, wrongByte: undefined };
}

/** A challenge that is met goes with what met it. */
function withoutDone(state: State): State {
  return state.isSolved ? challenged(state, undefined) : state;
}

/** Begins the experiment that is chosen, if there is one. */
export function begun(state: State): State {
  const { scene } = state.choice ?? {};
  if (scene === undefined) return state;
  return takeTurn({ ...state, through: scene.mistakes?.[0] ?? DIRECT }, 0);
}

function takeTurn(state: State, turn: number): State {
  const { choice } = state;
  if (choice === undefined) return state;
  return { ...load(state, choice.read(turn), titleOf(choice, turn)), turn };
}

/** What is typed by a choice, in its words. */
function titleOf({ scene, title }: Choice, turn: number): string {
  const who = turnOf(scene, turn);
  return who === undefined ? title : `${title}: ${who}`;
}

/** @param kept what a link says, or what a tab had */
export function restored(state: State, kept: Kept, choice: Choice | undefined): State {
  const turn = Number(kept.turn);
  const title = choice === undefined ? '' : titleOf(choice, turn);
  const own = choice?.read(turn) ?? '';
  const { text = own } = kept;
  const more = title !== '' && text !== own ? ', changed' : '';
  const through = WAYS.includes(kept.through) ? kept.through : DIRECT;
  const next = load(state, text, title + more);
  return { ...next, choice, turn, through, isComparing: false, says: '' };
}

/** @returns what a link names that the workbench does not have, or what it does not have
 * itself, as a sentence, or '' */
export function unknownIn({ server, text, through }: Kept): string {
  const isKnown = (name: string, all: readonly string[]) =>
    name === '' || all.includes(name);
  if (!isKnown(server, SERVERS)) return `The workbench has no server "${server}".`;
  if (!isKnown(through, WAYS)) return `The workbench has no way "${through}" to a server.`;
  return text === undefined ? 'The link does not have the text: it was too long.' : '';
}

export function isTooLongForLink(text: string): boolean {
  return text.length > LINK_LIMIT;
}

export function choseClient(state: State, client: State['client']): State {
  const through = clientOf(state, client)?.through ?? state.through;
  return { ...state, client, through };
}

export function choseServer(state: State, name: string): State {
  const { port = 0 } = state.target ?? {};
  const target = { name, port, isReady: false, problem: '' };
  const { exchanges = [] } = state.trace ?? {};
  const isLeft =
    name !== serverOf(state) && exchanges.some(({ connection }) => connection > 0);
  const says = isLeft ? FORGOTTEN : '';
  return { ...state, sender: undefined, says, isComparing: false, target };
}

export function cleared(state: State): State {
  return begun({
    ...withoutDone(state),
    sender: undefined,
    says: '',
    isComparing: false,
    clients: [],
    client: 'new',
  });
}

// What the workbench tells.

export function told(
  state: State,
  { clients, server }: EventsData,
  trace: PageData,
): State {
  // Another tab may have chosen another server: what was said here was said of the old one.
  const isOther = state.target !== undefined && server.name !== state.target.name;
  const says = isOther ? '' : state.says;
  const next = { ...state, clients, target: server, trace, says };
  // One that is not known yet was chosen after this was told.
  const isForgotten = clientOf(state, state.client) && !clientOf(next, state.client);
  return isForgotten ? { ...next, client: 'new' } : next;
}

/** Bytes were sent on a client, or are from now on what each client gets.
 * @param at when that was, by the clock of the server
 * @param before what it was then: somebody may have typed on */
export function sent(state: State, client: number, at = 0, before = state): State {
  const { choice, editor, script, turn } = before;
  if (serverOf(before) === REPLIES) {
    const what = script.bytes.length > 0 ? 'these bytes' : 'no byte';
    return { ...state, says: `From now on, each client gets ${what}.` };
  }
  const who = isTurn(before) ? turnOf(choice?.scene, turn) : undefined;
  const stays = script.ending === 'stay';
  const isUnfinished = who === undefined && stays && knownOf(before)?.kind === 'wait';
  const { text } = editor;
  const isUntold = before.isPredicting;
  const next: State = {
    ...state,
    sender: { client, who, at, text, isUnfinished, isUntold },
    client: stays ? client : 'new',
    says: '',
    isComparing: false,
  };
  if (who !== undefined) return playOn(next);
  const rest = isUntold ? next : goOn(next);
  return isUnfinished && script.bytes.length === 0
    ? { ...rest, says: 'No byte was sent.' }
    : rest;
}

/** Takes away what was sent of a request that goes on: or it would be judged as if it were
 * sent once more. */
function goOn(state: State): State {
  const { editor, sender } = state;
  if (!sender?.isUnfinished || !editor.text.startsWith(sender.text)) return state;
  const rest = editor.text.slice(sender.text.length);
  return edit(state, editors.replaced(editor, rest));
}

/** Somebody begins to predict first, or ends it, and is told everything. */
export function predicted(state: State, isPredicting: boolean): State {
  const next = { ...state, isPredicting };
  return isPredicting ? next : revealed(next);
}

/** Shows what became of a connection to a reader who predicts first.
 * @param connection of the server: that of the client that sent last, if none is named */
export function revealed(state: State, connection?: number): State {
  const { sender } = state;
  const name = nameOf(state, clientOf(state, sender?.client));
  const isOther = connection !== undefined && name !== `c${connection}`;
  if (!sender?.isUntold || isOther) return state;
  return goOn({ ...state, sender: { ...sender, isUntold: false } });
}

/** Whether what is typed is what a client of the experiment sends: where nobody else is left
 * to send, only what it has to send itself. */
function isTurn({ choice, editor, turn }: State): boolean {
  const isLast = turn + 1 >= (choice?.scene?.clients.length ?? 0);
  return !isLast || editor.text === choice?.read(turn);
}

/** Types what the next client of the experiment sends. */
function playOn(state: State): State {
  const { choice, turn } = state;
  const lab = choice?.scene?.number;
  const next = turnOf(choice?.scene, turn + 1);
  if (next !== undefined) {
    const who = /\d$/.test(next) ? next : `the ${next}`; // "client 2", "the victim"
    const says = `The editor now has what ${who} of Lab ${lab} sends: press Send.`;
    return { ...takeTurn(state, turn + 1), says };
  }
  const says =
    serverOf(state) === String(lab)
      ? `That was Lab ${lab} without its defence. Now choose the server with it.`
      : `That was Lab ${lab}, with its defence.`;
  return { ...state, says };
}

// What follows from a state.

export function serverOf({ target }: State): string {
  return target?.name ?? TASKS;
}

/** @returns the servers that can be chosen, what each is called, and the one that is chosen:
 * another tab may have done that */
export function serversOf(state: State): (readonly [name: string, called: string])[] {
  const { scene } = state.choice ?? {};
  const server = serverOf(state);
  const own: [string, string][] = [
    [REPLIES, scene ? 'be the server' : 'You are the server'],
  ];
  if (scene === undefined) own.unshift([TASKS, 'You are the client']);
  else own.unshift([String(scene.number), 'no defence'], [defendedName(scene), 'with it']);
  if (!own.some(([name]) => name === server)) own.push([server, labServer(server)]);
  return own;
}

/** What the server of an experiment is called where that is not chosen. */
function labServer(name: string): string {
  if (!/^\d/.test(name)) return name;
  const [number] = name.split('-');
  return `Lab ${number}, ${number === name ? 'without' : 'with'} its defence`;
}

export function clientOf({ clients }: State, client: State['client'] | undefined) {
  return clients.find(({ id }) => id === client);
}

/** Those that can be chosen: to one who predicts, one that is closed looks like the others. */
export function choosableOf({ clients, isPredicting }: State): readonly ClientData[] {
  return clients.filter(({ isOpen }) => isOpen || isPredicting);
}

/** The client that the next bytes go on with. */
export function nextClient(state: State): State['client'] {
  const client = clientOf(state, state.client);
  return client && !choosableOf(state).includes(client) ? 'new' : state.client;
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

/** @returns the challenge, and what became of it */
export function challengeOf({ challenge, isSolved, wrongByte }: State) {
  if (challenge === undefined) return undefined;
  const not = wrongByte === undefined ? '' : ` Byte ${wrongByte} is not the one.`;
  return isSolved
    ? { says: '\u2713 Done: ', asks: challenge.asks }
    : { says: 'Challenge: ', asks: challenge.asks + not };
}

/** @returns what the page says of what was done, and of what became of it */
export function reportOf(state: State): string {
  const { editor, link, says, sender, target } = state;
  if (target?.isReady === false) return link === 'live' ? MAKING : '';
  if (target?.problem) return `It cannot be started: ${target.problem}`;
  const isOpen = clientOf(state, sender?.client)?.isOpen !== false;
  const isUnfinished = sender?.isUnfinished && !sender.isUntold && isOpen;
  const goesOn = isUnfinished && nextClient(state) === sender.client;
  const next = goesOn && editor.text === '' ? NEXT : '';
  const unlinked = isTooLongForLink(editor.text)
    ? 'The text is too long for the address: a link to this page does not have it.'
    : '';
  return [closedOf(state), says, next, unlinked].filter((one) => one !== '').join(' ');
}

/** @returns what the client received that sent last, or '' where nothing can be said or is to
 * be said */
export function resultOf(state: State): string {
  const { isPredicting, sender } = state;
  const client = clientOf(state, sender?.client);
  const name = nameOf(state, client);
  if (isPredicting || name === '') return '';
  const who = sender?.who ? `The ${sender.who} (${name})` : name;
  const nothing = client?.isOpen ? 'no response yet' : 'no response';
  const last = lastReceiptOf(state, name);
  if (last === undefined) return `${who} received ${nothing}.`;
  // All of them: nobody knows which belong to this send where one comes right after another.
  const all = receiptsOf(state, name);
  const more = all.length > 1 ? `${count(all.length, 'response')}, the last ` : '';
  return `${who} received ${more}${last.says}.`;
}

function receiptsOf({ trace }: State, name: string): readonly Receipt[] {
  if (trace === undefined) return [];
  const index = clientsOf(trace).indexOf(name);
  return receiptsIn(trace).filter(({ client }) => client === index);
}

/** @returns what a client received last, if it was since the last send */
function lastReceiptOf(state: State, name: string): Receipt | undefined {
  const last = receiptsOf(state, name).at(-1);
  return last && last.at >= (state.sender?.at ?? Infinity) ? last : undefined;
}

/** @returns the exchange that happened last: through a proxy, the one of which the client
 * that sent last got the response */
export function newestOf(state: State): ExchangeData | undefined {
  const { sender, trace } = state;
  const { proxied = '' } = clientOf(state, sender?.client) ?? {};
  const got = proxied === '' ? undefined : lastReceiptOf(state, proxied);
  return got?.exchange ?? (trace && newestIn(trace));
}

/** What a command of a shell does otherwise, or ''. */
export function otherwiseOf({ script, through }: State): string {
  const isProxied = through !== DIRECT;
  const way = isProxied ? ' It sends to the server, not through the proxy.' : '';
  return way + (script.ending === 'reset' ? ' It cannot reset the connection.' : '');
}

/** What a judgement depends on. */
export function judgedKey(state: State): string {
  const { editor, target, through } = state;
  const client = nextClient(state);
  const { name, isReady } = target ?? {};
  const { sent, unsent } = clientOf(state, client) ?? {};
  return JSON.stringify([editor.text, client, through, name, isReady, sent, unsent]);
}

/** @returns what is shown of what was found out: what was known of the bytes stays until
 * more is known, but not where nobody tells more */
export function shownOf(state: State): Judged | undefined {
  const { isPredicting, judged, link } = state;
  const isOld = link !== 'live' && knownOf(state) === undefined;
  return isPredicting || isOld ? undefined : judged;
}

/** @returns what was found out of these very bytes, if it is known */
function knownOf(state: State): Judgement | undefined {
  const { judged } = state;
  return judged?.key === judgedKey(state) ? judged.judgement : undefined;
}

/** Why the workbench does not take what is typed, or ''. */
function refusalOf(state: State): string {
  const { editor, script } = state;
  if (script.ending === 'never' && serverOf(state) !== REPLIES)
    return 'Only a server sends its last part again and again here.';
  return excess(editor.text, script);
}

/** Why nothing can be sent, or ''. */
export function obstacle(state: State): string {
  if (state.link !== 'live') return 'The workbench is gone.';
  return state.target?.isReady === true ? refusalOf(state) : MAKING;
}

/** @returns what the page says of the bytes */
export function verdict(state: State): { readonly kind: string; readonly says: string } {
  const { editor, isPredicting, script, target } = state;
  const tell = ({ length }: Uint8Array, says: string, kind = '') => ({
    kind,
    says: `${count(length)}. ${says}`,
  });
  const refusal = refusalOf(state);
  if (refusal !== '') return tell(script.bytes, refusal);
  const who = serverOf(state) === REPLIES ? 'a client' : 'the server';
  if (isPredicting) return tell(script.bytes, `What will ${who} make of this?`);
  const judged = shownOf(state);
  if (judged === undefined || target?.isReady !== true) return tell(script.bytes, '');
  const { kind, says } = judged.judgement;
  const plain = editor.text.length > LOOKS_LIMIT ? ' So long a text has no colours.' : '';
  return tell(judged.bytes, says + plain, kind);
}

/** Whether the server is to be asked what it would make of the bytes: also for one who
 * predicts, to know later whether a request goes on. */
export function needsJudging(state: State): boolean {
  return obstacle(state) === '' && knownOf(state) === undefined;
}
