/** A server to which the cases are sent: one that the reader names, or the one of this
 * package. */
import { Failure } from '../../command/arguments';
import { afterReal, type After } from '../../command/timer';
import { addressOf, startServer, type RunningServer } from '../../server/server';
import type { ServerOptions } from '../../server/server-options';
import { printable } from '../../text/text';
import { isValid, readCase, requestOf, type Case } from '../cases';
import { converse, NOBODY, type Peer } from './conversation';
import { interpret, type Baseline, type Reading } from './reading';

/** How many cases run at a time at one server. */
const AT_ONCE = 4;
const LOOPBACK = '127.0.0.1';
/** The statuses by which a server says that it does not serve the Host of a plain
 * request. */
const WRONG_HOST: readonly number[] = [400, 421];

export interface Target {
  /** As the command line has it: "localhost:80". */
  readonly address: string;
  /** Its address, and what it calls itself in the Server field. */
  readonly name: string;
  /** What a reader has to know about the readings, if anything. */
  readonly note: string;
  /** @param isPatient waits for the whole time, because the case runs alone
   * @returns undefined where the case needs an option that this server does not have */
  read(one: Case, isPatient: boolean): Promise<Reading | undefined>;
}

/** The server of this package. */
export interface OurTarget extends Target {
  close(): Promise<void>;
}

/** A server cannot be probed. The message says why, in one line. */
export class UnusableError extends Failure {
  constructor(message: string) {
    super(message, 2);
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
  const plain = await getPlainResponses(peer, host, after);
  // By its status, such a server would seem to reject every POST.
  const rejectsPost = plain.post === 400;
  return {
    address,
    name: plain.server === '' ? address : `${printable(plain.server)} at ${address}`,
    note: rejectsPost
      ? 'POST was not sent: the server responds with 400 even to a well-formed one.'
      : '',
    read: async (one, isPatient) => {
      const needsOption = !isValid(one) && one.needs !== undefined;
      if (needsOption || (rejectsPost && requestOf(one).startsWith('POST ')))
        return undefined;
      return play(peer, plain, one, host, { isPatient, after });
    },
  };
}

/** Starts the server of this package, in this process. */
export async function openOurs(after: After = afterReal): Promise<OurTarget> {
  const main = await startOurs();
  return {
    address: addressOf({ host: LOOPBACK, port: main.port }),
    name: 'the protocol layer of this package, with a service that responds with 200',
    note: '',
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
  target: Pick<Target, 'read'>,
  cases: readonly Case[],
  onRead: () => void,
): Promise<Map<Case, Reading>> {
  const readings = new Map<Case, Reading>();
  const read = async (one: Case, isPatient: boolean): Promise<void> => {
    const reading = await target.read(one, isPatient);
    if (reading !== undefined) readings.set(one, reading);
    onRead();
  };
  const queue = cases.values();
  const work = async (): Promise<void> => {
    for (const one of queue) await read(one, false);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  for (const one of cases) {
    const { result, end } = readings.get(one) ?? {};
    if (result === 'silent' || end === 'lost' || end === 'unclosed') await read(one, true);
  }
  return readings;
}

/** What the responses to well-formed requests tell of a server. A status that one of them
 * has is no rejection. */
interface Plain extends Omit<Baseline, 'statuses'> {
  readonly get: number;
  readonly post: number;
  /** What it calls itself. */
  readonly server: string;
}

const OURS: Plain = {
  get: 200,
  post: 200,
  server: '',
  closes: true,
  isEarly: false,
  persists: true,
};

async function getPlainResponses(peer: Peer, host: string, after: After): Promise<Plain> {
  const ask = (request: string) => converse(peer, request, { isPatient: true, after });
  const { responses, garbage, problem, hasEnded } = await ask(plainRequest('GET', host));
  const fail = (why: string): UnusableError =>
    new UnusableError(`Cannot probe ${addressOf(peer)}: ${why}`);
  const [get] = responses;
  const isOdd = get === undefined || WRONG_HOST.includes(get.status);
  if (isOdd && problem === undefined && (await speaksTls(peer, after))) {
    throw fail('it speaks TLS there, and the probe sends plain HTTP');
  }
  if (problem !== undefined) throw fail(printable(problem));
  if (garbage !== undefined) {
    const what =
      get === undefined ? 'it does not speak HTTP/1.x, but' : 'after a response it';
    throw fail(`${what} sends "${printable(garbage)}"`);
  }
  if (get === undefined) {
    throw fail(
      hasEnded
        ? 'it closes the connection without a response to a plain GET'
        : 'it does not respond to a plain GET within 3 seconds',
    );
  }
  if (WRONG_HOST.includes(get.status)) {
    throw fail(
      `it responds with ${get.status} to a plain GET with "Host: ${host}"; ` +
        'name a host that it knows with --host',
    );
  }
  const head = `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5\r\n\r\n`;
  const [posted, unfinished, followed] = await Promise.all([
    ask(plainRequest('POST', host)),
    converse(peer, head, { isPatient: false, after }),
    converse(peer, `${head}hello`, {
      next: plainRequest('GET', host),
      isPatient: true,
      after,
    }),
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
 * 7.4.1.2). Any server that speaks TLS responds with a handshake message or an alert. */
const CLIENT_HELLO =
  '\x16\x03\x01\0\x2f\x01\0\0\x2b\x03\x03' + '\0'.repeat(33) + '\0\x04\xc0\x2f\0\x2f\x01\0';

async function speaksTls(peer: Peer, after: After): Promise<boolean> {
  const { garbage = '' } = await converse(peer, CLIENT_HELLO, { isPatient: false, after });
  return /^[\x15\x16]\x03/.test(garbage);
}

const plainRequest = (method: 'GET' | 'POST', host: string): string =>
  `${method} / HTTP/1.1\r\nHost: ${host}\r\n` +
  `${method === 'POST' ? 'Content-Length: 0\r\n' : ''}Connection: close\r\n\r\n`;

async function play(
  peer: Peer,
  { get, post, ...plain }: Plain,
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
    throw new UnusableError(
      `Cannot probe ${addressOf(peer)}: it stopped at about the case ${one.name} ` +
        '(the server of npm start needs --max-requests 0)',
    );
  }
  const statuses = request.startsWith('POST ') ? [get, post] : [get];
  return interpret(conversation, { statuses, ...plain }, request);
}
