/** What must be true of every world, whatever its clients do. */
import { RequestReader } from '../../src/http/request-reader';
import type { TraceEvent } from '../../src/index';
import { checkDeadlines } from './deadline-oracle';
import type { Actor, Played } from './play';
import { FAILURE, failsFor, respondTo } from './service';

/** How long stopping takes at most, in milliseconds: 0.8 s, and 0.15 s after the last
 * byte. */
const STOPPING = 950;
/** How many bytes may be unread before the server reads no more. */
const UNREAD = 16_384 + 2 * 65_536;
/** What the rounds of the event loop may add. */
const ROUNDS = 5;

/** @returns what is wrong, a line each */
export function judge(played: Played): string[] {
  const { actors, events, faults, handled, log, script, warnings } = played;
  const found = [...faults];
  const { maxRequests } = script;

  const isAtLimit = maxRequests > 0 && handled.length >= maxRequests;
  const limitLine = `Maximum of ${maxRequests} requests reached: no more are handled\n`;
  const expected =
    handled.map((line) => `${line}\n`).join('') + (isAtLimit ? limitLine : '');
  if (log !== expected) found.push('the log is not what was handled');
  if (maxRequests > 0 && handled.length > maxRequests) found.push('more than the limit');
  for (const event of events) {
    if (event.type !== 'close') continue;
    const isTrue = event.reason !== 'the limit of requests is reached' || isAtLimit;
    if (!isTrue) found.push(`c${event.connection}: ${event.reason}`);
  }
  const failures = handled.filter((line) => failsFor(pathOf(line)));
  if (warnings.length !== failures.length) found.push('not one warning for each failure');

  found.push(...checkEnd(played), ...checkTurns(events));
  const connections = byConnection(events);
  for (const [number, own] of connections) {
    found.push(...checkGrammar(own).map((what) => `c${number}: ${what}`));
  }
  for (const [index, actor] of actors.entries()) {
    const port = actor.client?.connection.port;
    const number = [...connections.keys()].find(
      (one) => portOf(connections.get(one)?.[0]) === port,
    );
    const own = connections.get(number ?? 0) ?? [];
    const name = `client ${index + 1}`;
    found.push(...checkClient(actor, own, played).map((what) => `${name}: ${what}`));
    found.push(...checkDeadlines(actor, own, played).map((what) => `${name}: ${what}`));
  }
  return found;
}

function pathOf(line: string): string {
  return line.slice(line.indexOf(' ') + 1);
}

function portOf(event: TraceEvent | undefined): number {
  return event?.type === 'open' ? Number(event.remoteAddress?.split(':')[1]) : NaN;
}

/** @returns the events of each connection, without those of the server */
function byConnection(events: readonly TraceEvent[]): Map<number, TraceEvent[]> {
  const connections = new Map<number, TraceEvent[]>();
  for (const event of events) {
    const own = connections.get(event.connection);
    if (own === undefined) connections.set(event.connection, [event]);
    else own.push(event);
  }
  connections.delete(0);
  return connections;
}

/** Everything ends, in time, and nothing is left. */
function checkEnd({ events, left, standstills, start, ...played }: Played): string[] {
  const found: string[] = [];
  for (const what of left) {
    const rest = Object.entries(what).filter(([, value]) => value !== 0);
    if (rest.length > 0) found.push(`left at the end: ${rest.join(' ')}`);
  }
  const { stopAsked, stopped } = played;
  const first = events.findIndex(({ type }) => type === 'stop');
  const at = events[first]?.at;
  const from = at === undefined ? stopAsked : start + at;
  if (stopped === undefined || from === undefined) return [...found, 'it never stopped'];
  const stood = standstills.reduce((sum, one) => sum + overlap(one, from, stopped), 0);
  if (stopped - from - stood > STOPPING + ROUNDS) found.push('stopping took too long');
  for (const { connection, type } of events.slice(first)) {
    if (!['read', 'parse', 'queue', 'turn'].includes(type)) continue;
    found.push(`c${connection}: ${type} after the server has begun to stop`);
  }
  return found;
}

/** How many milliseconds of a standstill lie between two times. */
export function overlap(
  { from, to }: { readonly from: number; readonly to: number },
  start: number,
  end: number,
): number {
  return Math.max(0, Math.min(to, end) - Math.max(from, start));
}

/** First come, first served: nobody has a turn before those who came first and can have
 * one. */
function checkTurns(events: readonly TraceEvent[]): string[] {
  const found: string[] = [];
  let queue: number[] = [];
  /** Who had no turn when it was theirs: they do not read their responses, or are gone.
   * That is told later, or the close where the server stops in the same batch. It may read
   * on meanwhile. */
  const passedOver = new Map<number, number>();
  for (const { connection, type } of events) {
    const other = passedOver.get(connection);
    if (other !== undefined && !['read', 'end'].includes(type)) {
      const isExplained = ['block', 'close', 'drop', 'gone'].includes(type);
      if (!isExplained) found.push(`c${other} has a turn before c${connection}`);
      passedOver.delete(connection);
    }
    if (type === 'queue') {
      if (queue.includes(connection)) found.push(`c${connection} is in the queue twice`);
      queue.push(connection);
    } else if (['block', 'close', 'gone', 'drop'].includes(type)) {
      queue = queue.filter((one) => one !== connection);
    } else if (type === 'turn') {
      const place = queue.indexOf(connection);
      if (place < 0) found.push(`c${connection} has a turn, but no place in the queue`);
      for (const one of queue.splice(0, place + 1)) {
        if (one !== connection) passedOver.set(one, connection);
      }
    }
  }
  return found;
}

/** What comes after what, and every byte is accounted for. */
function checkGrammar(events: readonly TraceEvent[]): string[] {
  const found: string[] = [];
  const types = events.map(({ type }) => type);
  if (types[0] !== 'open') found.push('its first event is not open');
  if (types.at(-1) !== 'gone') found.push('its last event is not gone');
  for (const once of ['open', 'gone', 'close', 'linger', 'reject', 'end'] as const) {
    if (types.filter((type) => type === once).length > 1) found.push(`${once} twice`);
  }
  const close = types.indexOf('close');
  const afterClose = close < 0 ? [] : types.slice(close + 1);
  const late = afterClose.find(
    (type) => !['drop', 'block', 'linger', 'end', 'gone'].includes(type),
  );
  if (late !== undefined) found.push(`${late} after close`);

  let [received, handled, waiting, rejected, dropped] = [0, 0, 0, NaN, 0];
  let hasUnqueued = false; // a complete request that was too late for a place
  let last = 0;
  for (const event of events) {
    if (event.at < last) found.push('time goes back');
    last = event.at;
    switch (event.type) {
      case 'read':
        // While a request waits, one read may cross the mark, and Node may hold another.
        if (waiting > 0 && received - handled - waiting > UNREAD)
          found.push('it reads on, though so much is unread');
        received += event.bytes.length;
        break;
      case 'idle':
        if (received - handled > 3) found.push('idle in a request');
        break;
      case 'queue':
        waiting = event.bytes; // again, when a blocked client has read its responses
        break;
      case 'turn':
        handled += waiting;
        waiting = 0;
        break;
      case 'reject':
        rejected = event.error.offset;
        break;
      case 'drop':
        if (event.which.startsWith('that arrived later')) break;
        hasUnqueued ||= event.request !== '' && waiting === 0;
        dropped += event.bytes;
        break;
      case 'gone':
        if (/nothing left to send.* read all/.test(event.reason)) found.push(event.reason);
        break;
    }
  }
  const rest = received - handled - waiting - dropped;
  // The wrong byte may be one that has not arrived.
  const expected = Number.isNaN(rejected) ? [0] : [rejected, rejected + 1];
  if (!hasUnqueued && !expected.includes(rest)) found.push(`${rest} bytes are missing`);
  return found;
}

/** The response that a request in a client's bytes deserves, read in one piece. */
interface Deserved {
  readonly method: string;
  /** "GET /path"; "" of a rejected request. */
  readonly line: string;
  readonly status: number;
  readonly content: string;
  readonly connection: string | undefined;
  readonly mayContinue: boolean;
  /** Where its bytes end, or those of the request before a rejected one. */
  readonly end: number;
}

function deserve(bytes: Buffer, hasEnded: boolean): Deserved[] {
  const deserved: Deserved[] = [];
  const reader = new RequestReader();
  let end = 0;
  if (bytes.length > 0) reader.push(bytes);
  if (hasEnded) reader.end();
  for (;;) {
    const outcome = reader.next();
    if (outcome.kind === 'wait' || outcome.kind === 'finished') return deserved;
    if (outcome.kind === 'rejected') {
      const { method, error } = outcome;
      const { message, status } = error;
      const content = method === 'HEAD' ? '' : JSON.stringify({ error: message });
      const rest = { line: '', connection: 'close', mayContinue: true };
      return [...deserved, { ...rest, method, status, content, end }];
    }
    if (outcome.kind !== 'request') continue;
    const { persistence, request } = outcome;
    const { method, path } = request;
    const failure = { status: 500, body: FAILURE };
    const { status, body } = failsFor(path) ? failure : respondTo(path);
    const content = hasContent(method, status) ? body : '';
    const isLast = !persistence.persists || failsFor(path) || path.startsWith('/stop/');
    const connection = isLast ? 'close' : persistence.connectionOption;
    const mayContinue = request.headers.some(({ name }) => name === 'Expect');
    end += outcome.bytes;
    const line = `${method} ${path}`;
    deserved.push({ method, line, status, content, connection, mayContinue, end });
    if (isLast) return deserved;
  }
}

interface Received {
  readonly status: number;
  readonly fields: ReadonlyMap<string, string>;
  readonly content: string;
  /** How many interim responses came before it. */
  readonly interim: number;
}

/** Whether a response has content, and says how long it is (9110 §8.6). */
function hasContent(method: string, status: number): boolean {
  if (method === 'HEAD' || status === 204) return false;
  return method !== 'CONNECT' || status >= 300;
}

/** Reads responses, with nothing of the server's own code.
 * @param methodOf gives the method that a response is to
 * @throws Error if it is no sequence of responses */
function readResponses(text: string, methodOf: (index: number) => string): Received[] {
  const responses: Received[] = [];
  let interim = 0;
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end < 0) throw new Error(`no response: ${text.slice(at, at + 80)}`);
    const [start = '', ...lines] = text.slice(at, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) [A-Z][A-Za-z ]+$/.exec(start)?.[1]);
    if (Number.isNaN(status)) throw new Error(`no status line: ${start.slice(0, 80)}`);
    at = end + '\r\n\r\n'.length;
    if (status === 100) {
      interim += 1;
      continue;
    }
    const fields = new Map(
      lines.map((line) => [line.split(': ')[0] ?? '', line.split(': ')[1] ?? '']),
    );
    const length = hasContent(methodOf(responses.length), status)
      ? Number(fields.get('Content-Length'))
      : 0;
    if (Number.isNaN(length)) throw new Error(`no Content-Length: ${start}`);
    const content = text.slice(at, at + length);
    if (content.length < length) throw new Error(`${start}: its content is cut`);
    at += length;
    responses.push({ status, fields, content, interim });
    interim = 0;
  }
  return responses;
}

/** @returns the index of the response to a request of which the budget had no room for the
 * method and the SP after it, so that the server cannot know that it is HEAD */
function cutOffMethod(
  own: readonly TraceEvent[],
  sent: Buffer,
  deserved: readonly Deserved[],
): number | undefined {
  const reject = own.find((event) => event.type === 'reject');
  if (reject?.error.status !== 503) return undefined;
  const index = own.filter(({ type }) => type === 'turn').length;
  const start = deserved[index - 1]?.end ?? 0;
  const kept = sent.toString('latin1', start, start + reject.error.offset);
  return /^(\r\n)?[^ ]+ /.test(kept) ? undefined : index;
}

/** The responses to a client are those that its bytes deserve, in order, unless
 * something explains that some are missing. */
function checkClient(actor: Actor, own: readonly TraceEvent[], played: Played): string[] {
  const { client } = actor;
  if (client === undefined) return [];
  const found: string[] = [];
  const sent = Buffer.concat(client.sent.map(({ bytes }) => bytes));
  const hasEnded =
    own.some(({ type }) => type === 'end') || client.connection.input.hasEnded;
  const deserved = deserve(sent, hasEnded);
  const received =
    client.received + client.connection.output.take(Infinity).toString('latin1');
  const written = own
    .flatMap((event) => (event.type === 'write' ? event.responses : []))
    .map(({ text }) => text)
    .join('');
  let responses: Received[];
  try {
    // A method is known, and counts, even if its request is not complete.
    const rest = sent.toString('latin1', deserved.at(-1)?.end ?? 0);
    const isHead = /^(\r\n)?HEAD /.test(rest);
    const cutOff = cutOffMethod(own, sent, deserved);
    const methodOf = (index: number): string =>
      index === cutOff ? '' : (deserved[index]?.method ?? (isHead ? 'HEAD' : ''));
    responses = readResponses(written, methodOf);
  } catch (error) {
    return [...found, String(error)];
  }
  for (const [index, response] of responses.entries()) {
    const isLast = index === responses.length - 1;
    const wrong = checkResponse(response, deserved[index], isLast, played);
    if (wrong !== undefined) found.push(`response ${index + 1}: ${wrong}`);
  }
  if (responses.length < deserved.length) {
    const why = whyMissing(actor, own, responses.at(-1));
    const what = `${responses.length} of ${deserved.length} responses`;
    if (why !== '') found.push(`${what}: ${why}`);
  }
  if (rejectsComplete(own, sent)) found.push('a complete request is rejected');
  const reason = reasonOf(own);
  const isCutOff = /^(given up|let go|cut off)/.test(reason);
  const { hasClosed, hasReset } = actor;
  if (written.slice(0, received.length) !== received)
    found.push('it received what was never written');
  if (received.length < written.length && !isCutOff && !hasClosed && !hasReset)
    found.push(`it received ${received.length} of ${written.length} bytes: ${reason}`);
  if (received.length === written.length && reason.startsWith('given up: nothing more'))
    found.push('it is given up, though it has got everything');
  const gone = own.at(-1);
  const lost = written.length - client.connection.taken;
  const most = reason === 'the client closed' ? 0 : written.length;
  if (gone?.type === 'gone' && (gone.unsent < lost || gone.unsent > most))
    found.push(`${lost} of ${written.length} bytes were never sent, not ${gone.unsent}`);
  const types = own.map(({ type }) => type);
  const [end, turn] = [types.indexOf('end'), types.lastIndexOf('turn')];
  const isLast =
    responses.length === deserved.length && (deserved.at(-1)?.line ?? '') !== '';
  const option = responses.at(-1)?.fields.get('Connection');
  if (isLast && end >= 0 && end < turn && option !== 'close')
    found.push('its last response does not say "close", though nothing can follow');
  if (client.ending === 'reset') {
    if (own.length > 0 && !isCutOff) found.push(`it saw a reset, but ${reason}`);
  }
  return found;
}

/** Whether a request is rejected at a byte that comes after its end. */
function rejectsComplete(own: readonly TraceEvent[], sent: Buffer): boolean {
  let [handled, turns, waiting] = [0, 0, 0];
  for (const event of own) {
    if (event.type === 'queue') waiting = event.bytes;
    if (event.type === 'turn') {
      handled += waiting;
      turns += 1;
    }
    if (event.type !== 'reject') continue;
    const before = deserve(sent.subarray(0, handled + event.error.offset), false);
    return before.filter(({ line }) => line !== '').length > turns;
  }
  return false;
}

function reasonOf(own: readonly TraceEvent[]): string {
  const gone = own.at(-1);
  return gone?.type === 'gone' ? gone.reason : '';
}

/** @returns what is wrong with a response, or undefined */
function checkResponse(
  { content, fields, interim, status }: Received,
  deserved: Deserved | undefined,
  isLast: boolean,
  { handled, script, stopAsked }: Played,
): string | undefined {
  const connection = fields.get('Connection');
  if (connection === 'close' && !isLast) return 'there is another one after "close"';
  if (fields.get('Date') === undefined) return 'it has no Date';
  if (status === 408 || status === 503) {
    if (status === 503 && script.contentBudget > 1_000_000) return '503 with room left';
    return connection === 'close' ? undefined : `${status} without "close"`;
  }
  if (deserved === undefined) return `${status} to nothing`;
  const { line } = deserved;
  if (interim > (deserved.mayContinue ? 1 : 0))
    return '100 (Continue) that nobody asked for';
  if (status !== deserved.status || content !== deserved.content)
    return `${status} ${content.slice(0, 80)}, not ${deserved.status} to ${line}`;
  const isAtLimit = handled[script.maxRequests - 1] === line;
  const expected = isAtLimit ? 'close' : deserved.connection;
  // The server stops, or the client has sent everything.
  const mayClose =
    connection === 'close' && isLast && (stopAsked !== undefined || !isAtLimit);
  return connection === expected || mayClose ? undefined : `Connection: ${connection}`;
}

/** @returns what the server says if it does not explain that responses are missing, or
 * '' */
function whyMissing(
  { client, hasReset }: Actor,
  own: readonly TraceEvent[],
  last: Received | undefined,
): string {
  if (hasReset || last?.status === 408 || last?.status === 503) return '';
  if (own.length === 0) return client?.isGone ? '' : 'nothing is told about it';
  const close = own.find((event) => event.type === 'close');
  const reason = close?.type === 'close' ? close.reason : reasonOf(own);
  const explained = ['the server stops', 'the limit of requests is reached', 'cut off'];
  // Whether it was in time is judged elsewhere.
  const judged = ['no request within', 'given up: nothing more', 'the client reset'];
  return [...explained, ...judged].some((one) => reason.startsWith(one)) ? '' : reason;
}
