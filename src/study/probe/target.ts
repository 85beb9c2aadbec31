/** A server to which the cases are sent: one that the reader names, or the one of this
 * package. */
import { Failure } from '../../command/arguments';
import { afterReal, type After } from '../timer';
import { addressOf, startServer, type RunningServer } from '../../server/server';
import type { ServerOptions } from '../../server/server-options';
import { printable } from '../../text/text';
import { readCase, requestOf, type Case } from '../cases';
import { converse, NOBODY, SILENCE_MS, type Conversation, type Peer } from './conversation';
import type { ProbeOptions } from './options';
import { interpret, type Baseline, type Reading } from './reading';

const LOOPBACK = '127.0.0.1';
/** The statuses by which a server says that it does not serve the Host of a plain
 * request. */
const WRONG_HOST: readonly number[] = [400, 421];

export type Target = Awaited<ReturnType<typeof openTarget>>;

/** How the two servers have read a case, if it was sent. */
export interface Row {
  readonly one: Case;
  readonly ours: Reading | undefined;
  readonly theirs: Reading | undefined;
}

export interface Comparison {
  /** The other server. */
  readonly target: Target;
  readonly groups: readonly { readonly title: string; readonly rows: readonly Row[] }[];
}

/** A server cannot be probed. The message says why, in one line. */
export class UnusableError extends Failure {
  override readonly exitCode = 2;

  constructor(peer: Peer, why: string) {
    super(`Cannot probe ${addressOf(peer)}: ${why}`);
  }
}

/** Sends each case to the server that the options name, and to ours: one at a time, because
 * a server that is still busy with another may seem silent.
 * @param onRead is called after each case
 * @throws UnusableError */
export async function compare(
  { target: peer, groups, host }: ProbeOptions,
  onRead: () => void,
  after?: After,
): Promise<Comparison> {
  const target = await openTarget(peer, host, after);
  const own = await openOurs(after);
  try {
    const compared = [];
    for (const { title, cases } of groups) {
      const rows: Row[] = [];
      for (const one of cases) {
        const [ours, theirs] = await Promise.all([own.read(one), target.read(one)]);
        rows.push({ one, ours, theirs });
        onRead();
      }
      compared.push({ title, rows });
    }
    return { target, groups: compared };
  } finally {
    await own.close();
  }
}

type Start = (options: Partial<ServerOptions>) => Promise<RunningServer>;

/** @param host what Host says
 * @param start starts the same server, with the options that a case needs
 * @throws UnusableError where the server gives no readable response to a plain request */
export async function openTarget(
  peer: Peer,
  host: string,
  after: After = afterReal,
  start?: Start,
) {
  const ask = (request: string, next?: string, limit?: number): Promise<Conversation> =>
    converse(peer, request, { next, limit, after });
  const plainGet = `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  const conversation = await ask(plainGet);
  const [get] = conversation.responses;
  const why = whyUnusable(conversation, host);
  if (get === undefined || why !== undefined) {
    // Any server that speaks TLS responds with a handshake message or an alert.
    const hello =
      conversation.problem ?? (await ask(CLIENT_HELLO, undefined, SILENCE_MS)).garbage;
    const speaksTls = /^[\x15\x16]\x03/.test(hello ?? '');
    const tls = 'it speaks TLS there, and the probe sends plain HTTP';
    throw new UnusableError(peer, speaksTls ? tls : String(why));
  }
  const post = `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: `;
  const [posted, unfinished, followed] = await Promise.all([
    ask(`${post}0\r\nConnection: close\r\n\r\n`),
    ask(`${post}5\r\n\r\n`, undefined, SILENCE_MS),
    ask(`${post}5\r\n\r\nhello`, plainGet),
  ]);
  const baseline: Baseline = {
    get: get.status,
    post: (posted.responses[0] ?? get).status,
    closes: !get.persists && conversation.hasEnded,
    isEarly: unfinished.responses.length > 0,
    persists: followed.responses.length > 1,
  };
  const address = addressOf(peer);
  const server = get.fields.find(({ name }) => /^server$/i.test(name))?.value ?? '';
  // By its status, such a server would seem to reject every POST.
  const rejectsPost = baseline.post === 400;
  return {
    /** As the command line has it: "localhost:80". */
    address,
    /** Its address, and what it calls itself in the Server field. */
    name: server === '' ? address : `${printable(server)} at ${address}`,
    /** What a reader has to know about the readings, if anything. */
    note: rejectsPost
      ? 'POST was not sent: the server responds with 400 even to a well-formed one.'
      : '',
    /** Sends a case.
     * @returns undefined where it cannot be sent */
    async read(one: Case): Promise<Reading | undefined> {
      const request = requestOf(one, host);
      const needs = one.needs;
      if (needs !== undefined && start === undefined) return undefined;
      if (rejectsPost && request.startsWith('POST ')) return undefined;
      const special = needs && (await start?.(needs.options));
      const ends = readCase(one, host).ending === 'close';
      const to = { ...peer, port: special?.port ?? peer.port };
      const next = ends ? undefined : plainGet;
      const conversation = await converse(to, request, { next, ends, after });
      await special?.stop();
      // Of a server that has stopped, nothing more is seen, and silence would look right.
      if (conversation.problem === NOBODY) {
        const where = `it stopped at about the case ${one.name}`;
        const advice = 'the server of npm start needs --max-requests 0';
        throw new UnusableError(peer, `${where} (${advice})`);
      }
      return interpret(conversation, baseline, request);
    },
  };
}

/** A ClientHello of TLS 1.2 with two cipher suites and nothing more (RFC 5246 section
 * 7.4.1.2). */
const CLIENT_HELLO =
  '\x16\x03\x01\0\x2f\x01\0\0\x2b\x03\x03' + '\0'.repeat(33) + '\0\x04\xc0\x2f\0\x2f\x01\0';

/** @returns what is wrong with a conversation about a plain GET, if anything */
function whyUnusable(
  { garbage, hasEnded, problem, responses: [get] }: Conversation,
  host: string,
): string | undefined {
  if (problem !== undefined) return printable(problem);
  if (garbage !== undefined) {
    const what =
      get === undefined ? 'it does not speak HTTP/1.x, but' : 'after a response it';
    return `${what} sends "${printable(garbage)}"`;
  }
  if (get === undefined && hasEnded) {
    return 'it closes the connection without a response to a plain GET';
  }
  if (get === undefined) return 'it does not respond to a plain GET within 3 seconds';
  if (!WRONG_HOST.includes(get.status)) return undefined;
  const advice = 'name a host that it knows with --host';
  return `it responds with ${get.status} to a plain GET with "Host: ${host}"; ${advice}`;
}

/** Starts the server of this package, in this process. */
export async function openOurs(
  after?: After,
): Promise<Target & { close(): Promise<void> }> {
  const start: Start = (options) =>
    startServer({
      service: () => ({ status: 200, body: '{}' }),
      host: LOOPBACK,
      ...options,
    });
  const main = await start({});
  const target = await openTarget({ host: LOOPBACK, port: main.port }, 'a', after, start);
  return { ...target, close: () => main.stop() };
}
