/** No time limit acts early or late, and what arrived in time was read. */
import type { TraceEvent } from '../../src/index';
import type { Actor, Played } from './play';
import { overlap } from './oracle';

/** What the rounds of the event loop may add, in milliseconds. */
const ROUNDS = 2;
/** What a pause may add, after so many chunks: time that is over is extended to the next
 * millisecond, in which the rest is read. */
const PAUSE = { chunks: 128, ms: 2 };
/** How long a batch of turns may take, but for its last turn. */
const BATCH = 100;
const LINGER = { silence: 5000, all: 30_000 };
/** The most bytes of a response that one write of the server has: two slices. */
const LONGEST_WRITE = 131_072;

export function checkDeadlines(
  { client }: Actor,
  events: readonly TraceEvent[],
  { script, standstills, start }: Played,
): string[] {
  const found: string[] = [];
  const request = 1000 * script.requestTimeout;
  const idle = 1000 * script.idleTimeout;

  /** Checks that a time limit of `ms` acts `at` a time, though it is not known exactly when
   * it began. */
  const check = (
    what: string,
    ms: number,
    earliest: number,
    latest: number,
    at: number,
  ) => {
    if (at < earliest + ms - 1) found.push(`${what}: after ${at - earliest} ms of ${ms}`);
    // A clock starts when the batch of turns ends in which its state began.
    const batch = BATCH + script.slowMs;
    const stood = standstills.reduce(
      (sum, one) =>
        sum +
        overlap(one, start + latest, start + latest + batch) +
        overlap(one, start + latest + ms, start + at),
      0,
    );
    const late = at - latest - ms - stood;
    if (late > ROUNDS) found.push(`${what}: late by ${late} ms`);
  };
  /** Checks that what arrived before a time has been read. */
  const checkRead = (what: string, due: number): void => {
    const arrived = client?.sent.filter(({ time }) => time < start + due - 0.001) ?? [];
    const bytes = arrived.reduce((sum, one) => sum + one.bytes.length, 0);
    if (bytes > read) found.push(`${what}: ${bytes} bytes were in time, ${read} were read`);
  };

  /** Checks that a client is given up only if it has read next to nothing. */
  const checkStuck = (at: number): void => {
    const from = start + at - request + 1;
    const isSince = (time: number): boolean => time > from && time < start + at;
    const reads = client?.reads.filter(({ time }) => isSince(time)) ?? [];
    const bytes = reads.reduce((sum, one) => sum + one.bytes, 0);
    // The server hears of it when all of a write is taken, and the system takes more once a
    // third of its buffer is free.
    const unheard = LONGEST_WRITE + (client?.connection.output.room ?? 0) / 3;
    if (bytes > unheard) found.push(`it is given up, though it has read ${bytes} bytes`);
  };

  let read = 0;
  /** Each is the time at which a clock may have started; NaN if it does not run. */
  /** Whether a time limit was told since the last turn. */
  let hasTold = false;
  let hasEnded = false;
  /** How many chunks of the request have been parsed. */
  let chunks = 0;
  let open = NaN;
  let begun = NaN;
  let begunLatest = NaN;
  let turn = NaN;
  let idleTold = NaN;
  let lingerTold = NaN;
  /** When a client that lingers was last heard. */
  let heard = NaN;
  let progress = NaN;
  let before: TraceEvent | undefined;
  for (const event of events) {
    const { at, type } = event;
    if (before?.type === 'turn') begunLatest = at; // the service took its time
    if (before?.type === 'idle') check('idle', idle, -Infinity, before.at, at);
    switch (type) {
      case 'open':
        open = at;
        break;
      case 'read':
        read += event.bytes.length;
        if (!(begun <= at)) begun = begunLatest = at;
        break;
      case 'wait':
        if (event.missing.startsWith('a request')) begun = NaN;
        hasTold ||= event.seconds !== undefined;
        break;
      case 'turn':
        turn = begun = at;
        chunks = 0;
        hasTold = false;
        break;
      case 'idle':
        idleTold = at;
        begun = NaN;
        break;
      case 'block':
        progress = at;
        if (!hasTold) begun = NaN;
        break;
      case 'linger':
        lingerTold = heard = at;
        break;
      case 'drop':
        heard = at;
        break;
      case 'parse':
        if (event.part === 'chunk line') chunks = event.number;
        break;
      case 'end':
        hasEnded = true;
        break;
      case 'reject': {
        if (event.error.status !== 408) break;
        if (hasEnded) found.push('408, though nothing more could come');
        const extended = chunks >= PAUSE.chunks ? PAUSE.ms : 0;
        check('408', request, begun, begunLatest + extended, at);
        checkRead('408', begun + request);
        break;
      }
      case 'close':
        if (hasEnded && event.reason.startsWith('no request within'))
          found.push('it waits for a request, though none can come');
        if (event.reason.includes('of connecting')) {
          check('first request', request, open, open, at);
          checkRead('first request', open + request);
        }
        if (event.reason.includes('last response')) {
          check('idle', idle, turn, idleTold, at);
          checkRead('idle', turn + idle);
        }
        break;
      case 'gone':
        if (!Number.isNaN(lingerTold)) {
          const { reason } = event;
          const from = (words: string, time: number): number =>
            reason.startsWith(`given up: the client ${words}`) ? time : -Infinity;
          check('silence', LINGER.silence, from('was silent', heard), heard, at);
          check('linger', LINGER.all, from('did not', lingerTold), lingerTold, at);
        } else if (event.reason.startsWith('given up: nothing more')) {
          check('output', request, progress, at - request, at);
          checkStuck(at);
        }
    }
    before = event;
  }
  return found;
}
