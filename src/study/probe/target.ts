/** A server to which the cases are sent: one that the reader names, or the one of this
 * package. */
import { Failure } from '../../command/arguments';
import { afterReal, type After } from '../timer';
import { addressOf, startServer, type RunningServer } from '../../server/server';
import type { ServerOptions } from '../../server/server-options';
import { printable } from '../../text/text';
import { isValid, readCase, requestOf, type Case, type Group } from '../cases';
import { converse, NOBODY, type Peer } from './conversation';
import type { ProbeOptions } from './options';
import { interpret, type Baseline, type Reading } from './reading';

/** How many cases run at a time at one server. */
const AT_ONCE = 4;
const LOOPBACK = '127.0.0.1';
/** The statuses by which a server says that it does not serve the Host of a plain
 * request. */
const WRONG_HOST: readonly number[] = [400, 421];

/** Sends a case.
 * @param isPatient waits for the whole time, because the case runs alone
 * @returns undefined where the case needs an option that this server does not have */
export type Read = (one: Case, isPatient: boolean) => Promise<Reading | undefined>;

export interface Target {
  /** As the command line has it: "localhost:80". */
  readonly address: string;
  /** Its address, and what it calls itself in the Server field. */
  readonly name: string;
  /** What a reader has to know about the readings, if anything. */
  readonly note: string;
  readonly read: Read;
}

/** How a server has read the cases; one that was not sent is missing. */
export type Readings = ReadonlyMap<Case, Reading>;

export interface Comparison {
  readonly groups: readonly Group[];
  readonly ours: Readings;
  readonly theirs: Readings;
  /** The other server. */
  readonly target: Pick<Target, 'address' | 'name' | 'note'>;
}

/** A server cannot be probed. The message says why, in one line. */
export class UnusableError extends Failure {
  override readonly exitCode = 2;

  constructor(peer: Peer, why: string) {
    super(`Cannot probe ${addressOf(peer)}: ${why}`);
  }
}

/** Sends the cases to the server that the options name, and to ours.
 * @param onRead is called after each case that runs
 * @throws UnusableError */
export async function compare(
  { target: peer, groups, host }: ProbeOptions,
  onRead: () => void,
  after?: After,
): Promise<Comparison> {
  const target = await openTarget(peer, host, after);
  const own = await openOurs(after);
  const cases = groups.flatMap((group) => group.cases);
  try {
    const both = [own.read, target.read].map((read) => readAll(read, cases, onRead));
    const [ours = new Map(), theirs = new Map()] = await Promise.all(both);
    return { groups, ours, theirs, target };
  } finally {
    await own.close();
  }
}

/** @param host what Host says
 * @throws UnusableError where the server gives no readable response to a plain request */
export async function openTarget(
  peer: Peer,
  host: string,
  after: After = afterReal,
): Promise<Target> {
  const address = addressOf(peer);
  const { server, ...plain } = await getBaseline(peer, host, after);
  // By its status, such a server would seem to reject every POST.
  const rejectsPost = plain.post === 400;
  return {
    address,
    name: server === '' ? address : `${printable(server)} at ${address}`,
    note: rejectsPost
      ? 'POST was not sent: the server responds with 400 even to a well-formed one.'
      : '',
    read: async (one, isPatient) => {
      if (!isValid(one) && one.needs !== undefined) return undefined;
      if (rejectsPost && requestOf(one).startsWith('POST ')) return undefined;
      return play(peer, plain, one, host, { isPatient, after });
    },
  };
}

/** Starts the server of this package, in this process. */
export async function openOurs(
  after: After = afterReal,
): Promise<{ readonly read: Read; close(): Promise<void> }> {
  const main = await startOurs();
  return {
    read: async (one, isPatient) => {
      const options = isValid(one) ? undefined : one.needs?.options;
      const server = options === undefined ? main : await startOurs(options);
      const peer = { host: LOOPBACK, port: server.port };
      const reading = await play(peer, OURS, one, 'a', { isPatient, after });
      if (server !== main) await server.stop();
      return reading;
    },
    close: () => main.stop(),
  };
}

const startOurs = (options: Partial<ServerOptions> = {}): Promise<RunningServer> =>
  startServer({ service: () => ({ status: 200, body: '{}' }), host: LOOPBACK, ...options });

/** Sends each case once, and those where a response or a close is missing once more, alone:
 * another case that is still running may have kept the server busy.
 * @param onRead is called after each case that runs */
export async function readAll(
  read: Read,
  cases: readonly Case[],
  onRead: () => void = () => {},
): Promise<Map<Case, Reading>> {
  const readings = new Map<Case, Reading>();
  const readOne = async (one: Case, isPatient: boolean): Promise<void> => {
    const reading = await read(one, isPatient);
    if (reading !== undefined) readings.set(one, reading);
    onRead();
  };
  const queue = cases.values();
  const work = async (): Promise<void> => {
    for (const one of queue) await readOne(one, false);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  for (const one of cases) {
    const { result, end } = readings.get(one) ?? {};
    const isMissing = result === 'silent' || end === 'lost' || end === 'unclosed';
    if (isMissing) await readOne(one, true);
  }
  return readings;
}

const OURS: Baseline = {
  ...{ get: 200, post: 200, closes: true, isEarly: false, persists: true },
};

/** @returns also what the server calls itself
 * @throws UnusableError */
async function getBaseline(
  peer: Peer,
  host: string,
  after: After,
): Promise<Baseline & { readonly server: string }> {
  const ask = (request: string, next?: string, isPatient = true) =>
    converse(peer, request, { next, isPatient, after });
  const { responses, garbage, problem, hasEnded } = await ask(plainRequest('GET', host));
  const fail = (why: string): UnusableError => new UnusableError(peer, why);
  const [get] = responses;
  const isOdd = get === undefined || WRONG_HOST.includes(get.status);
  if (isOdd && problem === undefined) {
    // Any server that speaks TLS responds with a handshake message or an alert.
    const hello = await ask(CLIENT_HELLO, undefined, false);
    const speaksTls = /^[\x15\x16]\x03/.test(hello.garbage ?? '');
    if (speaksTls) throw fail('it speaks TLS there, and the probe sends plain HTTP');
  }
  if (problem !== undefined) throw fail(printable(problem));
  if (garbage !== undefined) {
    const isNoHttp = get === undefined;
    const what = isNoHttp ? 'it does not speak HTTP/1.x, but' : 'after a response it';
    throw fail(`${what} sends "${printable(garbage)}"`);
  }
  if (get === undefined && hasEnded) {
    throw fail('it closes the connection without a response to a plain GET');
  }
  if (get === undefined) throw fail('it does not respond to a plain GET within 3 seconds');
  if (WRONG_HOST.includes(get.status)) {
    const advice = 'name a host that it knows with --host';
    throw fail(
      `it responds with ${get.status} to a plain GET with "Host: ${host}"; ${advice}`,
    );
  }
  const head = `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5\r\n\r\n`;
  const [posted, unfinished, followed] = await Promise.all([
    ask(plainRequest('POST', host)),
    ask(head, undefined, false),
    ask(`${head}hello`, plainRequest('GET', host)),
  ]);
  return {
    get: get.status,
    post: (posted.responses[0] ?? get).status,
    server: get.fields.find(({ name }) => /^server$/i.test(name))?.value ?? '',
    closes: !get.persists && hasEnded,
    isEarly: unfinished.responses.length > 0,
    persists: followed.responses.length > 1,
  };
}

/** A ClientHello of TLS 1.2 with two cipher suites and nothing more (RFC 5246 section
 * 7.4.1.2). */
const CLIENT_HELLO =
  '\x16\x03\x01\0\x2f\x01\0\0\x2b\x03\x03' + '\0'.repeat(33) + '\0\x04\xc0\x2f\0\x2f\x01\0';

const plainRequest = (method: 'GET' | 'POST', host: string): string =>
  `${method} / HTTP/1.1\r\nHost: ${host}\r\n` +
  `${method === 'POST' ? 'Content-Length: 0\r\n' : ''}Connection: close\r\n\r\n`;

async function play(
  peer: Peer,
  plain: Baseline,
  one: Case,
  host: string,
  patience: { readonly isPatient: boolean; readonly after: After },
): Promise<Reading> {
  const request = requestOf(one, host);
  const ends = readCase(one, host).ending === 'close';
  const next = ends ? undefined : plainRequest('GET', host);
  const conversation = await converse(peer, request, { next, ends, ...patience });
  // Of a server that has stopped, nothing more is seen, and silence would look right.
  if (conversation.problem === NOBODY) {
    const advice = 'the server of npm start needs --max-requests 0';
    throw new UnusableError(peer, `it stopped at about the case ${one.name} (${advice})`);
  }
  return interpret(conversation, plain, request);
}
