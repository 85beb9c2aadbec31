/** A reverse proxy that is naive on purpose, to show what happens between a proxy and a
 * server that read the same bytes differently. It lets no DELETE through. It forwards the
 * requests of all clients, unchanged and one after the other, over one connection to the
 * server, and gives the next response to the client whose turn it is. It does not ask
 * whether that response is really for this client, and request smuggling exploits that. */
import { once } from 'node:events';
import {
  connect,
  createServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net';
import {
  MISTAKES,
  readNaively,
  Unreadable,
  type Mistake,
  type NaiveRequest,
} from '../../naive/naive-request';
import { printable } from '../../text/text';
import type { ProxyEvent } from '../../trace/proxy-events';
import { RESPONSE_LIMIT, ResponseReader, type ReceivedResponse } from '../response-reader';

export interface NaiveProxyOptions {
  /** The port of the server, on this machine. */
  readonly to: number;
  readonly mistake: Mistake | undefined;
  /** Those of the proxy before it, which has stopped: the numbers go on from there. */
  readonly before?: Counts | undefined;
  /** Seconds of silence after which a client, or the server in a turn, is given up. */
  readonly timeout: number;
  /** Is told what the proxy does: as data, and in lines without control characters. */
  readonly tell: (event: ProxyEvent) => void;
}

/** Only programs of this machine can connect to it, and it connects to no other. */
const HOST = '127.0.0.1';
const CLIENTS_LIMIT = 100;
/** The most responses that are kept although nobody waits for them. */
const LEFT_OVER_LIMIT = 100;
/** The most bytes of a request that are held until all of it is there. */
const REQUEST_LIMIT = 16_384;
/** The most bytes of one client that wait while its request has its turn. */
const UNREAD_LIMIT = 65_536;
/** How long the other end may take to close its side of a connection after the proxy. */
const LINGER_MS = 2000;

/** How many bytes are shown before the end of a request, and after it. */
const SHOWN = 40;
const INCOMPLETE = 'The request is not complete';

/** Why a request is not forwarded. */
class Refusal {
  constructor(
    readonly status: string,
    readonly reason: string,
  ) {}
}

interface Client {
  readonly name: string;
  readonly socket: Socket;
  /** The bytes that are not forwarded yet, each of them one character. */
  unread: string;
  /** The request that waits for a response. */
  request: NaiveRequest | undefined;
  /** What it asks for: "POST /tasks". */
  asked: string;
}

/** A connection to the server. */
interface Upstream {
  readonly socket: Socket;
  readonly number: number;
  readonly reader: ResponseReader;
  /** How many responses have arrived on it. */
  responses: number;
}

/** A response, and where it came from. */
interface Passed {
  readonly response: ReceivedResponse;
  readonly connection: number;
  readonly number: number;
}

type Counts = Record<'clients' | 'connections' | 'requests', number>;

export class NaiveProxy {
  private readonly listener: Server;
  private readonly sockets = new Set<Socket>();
  private readonly waiting: Client[] = [];
  /** The client that gets the next response. Its request is forwarded. */
  private turn: Client | undefined;
  private server: Upstream | undefined;
  /** The responses that arrived when it was nobody's turn. */
  private readonly leftOver: Passed[] = [];
  readonly counts: Counts;

  constructor(private readonly options: NaiveProxyOptions) {
    this.counts = options.before ?? { clients: 0, connections: 0, requests: 0 };
    this.listener = createServer({ allowHalfOpen: true }, (socket) => this.accept(socket));
    this.listener.maxConnections = CLIENTS_LIMIT;
  }

  /** @returns the port */
  async listen(port: number): Promise<number> {
    this.listener.listen(port, HOST);
    await once(this.listener, 'listening');
    return (this.listener.address() as AddressInfo).port;
  }

  /** Closes everything at once. */
  stop(): void {
    this.turn = this.server = undefined;
    this.waiting.length = 0;
    this.listener.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private keepTrackOf(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
  }

  // The clients.

  private accept(socket: Socket): void {
    this.keepTrackOf(socket);
    this.counts.clients += 1;
    const name = `p${this.counts.clients}`;
    const client: Client = { name, socket, unread: '', request: undefined, asked: '' };
    socket.setTimeout(1000 * this.options.timeout, async () => {
      if (!(await isSilent(socket)) || client.request !== undefined) return;
      if (client.unread !== '') this.refuse(client, '408 Request Timeout', INCOMPLETE);
      else this.close(client);
    });
    socket.on('data', (bytes) => {
      if (!socket.writable) return;
      client.unread += bytes.toString('latin1');
      if (client.request === undefined) this.read(client);
      else if (!client.request.isEndKnown && this.turn === client) this.forward(client);
      else if (client.unread.length > UNREAD_LIMIT) socket.pause();
    });
    socket.on('end', () => this.read(client));
    socket.on('error', () => {}); // a reset
  }

  /** Reads the next request of a client, and gives it a turn. */
  private read(client: Client): void {
    const { mistake, tell } = this.options;
    const { socket, unread } = client;
    if (!socket.writable || client.request !== undefined) return;
    const request = readRequest(unread, mistake);
    if (request instanceof Refusal)
      return this.refuse(client, request.status, request.reason);
    if (request === undefined) {
      if (!socket.readableEnded) socket.resume();
      else if (unread === '') this.close(client);
      else this.refuse(client, '400 Bad Request', INCOMPLETE);
      return;
    }
    this.counts.requests += 1;
    const { requests: number } = this.counts;
    const { framing, isMistaken, method, target } = request;
    const name = `${method} ${printable(target)}`;
    this.say(client.name, `request ${number}: ${name}, ${framing}`);
    if (isMistaken && mistake !== undefined)
      this.say('', `mistake: it ${MISTAKES[mistake]}`);
    if (isMistaken) this.say('', `cut: ${describeCut(unread, request)}`);
    if (method === 'DELETE')
      return this.refuse(client, '403 Forbidden', 'No DELETE gets through');
    client.request = request;
    client.asked = name;
    tell({ type: 'request', client: client.name, name });
    this.waiting.push(client);
    this.beginTurn();
  }

  /** Responds in place of the server, and closes. */
  private refuse(client: Client, status: string, reason: string): void {
    this.say(client.name, `${status}, by the proxy: ${reason}${whereTo(client)}`);
    const content = `${reason} (the proxy)\n`;
    const text =
      `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${content.length}\r\n` +
      `Connection: close\r\n\r\n${content}`;
    this.options.tell({ type: 'refuse', client: client.name, status });
    this.write(client, text);
    this.close(client);
  }

  private write({ socket }: Client, text: string): void {
    if (!socket.writable) return;
    if (socket.writableLength > RESPONSE_LIMIT) socket.destroy();
    else socket.write(text, 'latin1');
  }

  private close(client: Client): void {
    client.unread = '';
    closeSoon(client.socket);
  }

  // The turns.

  /** Forwards the request of the client that waits longest, and is not gone. */
  private beginTurn(): void {
    if (this.turn !== undefined) return;
    let client = this.waiting.shift();
    while (client?.socket.destroyed) client = this.waiting.shift();
    if (client === undefined) return;
    this.turn = client;
    const server = (this.server ??= this.connectToServer());
    server.socket.setTimeout(1000 * this.options.timeout);
    server.reader.await(client.request?.method ?? '');
    this.forward(client);
    while (this.turn === client) {
      const passed = this.leftOver.shift();
      if (passed === undefined) return;
      this.give(client, passed, ' (left over)');
    }
  }

  /** Forwards the request, or as much of it as is here. */
  private forward(client: Client): void {
    const server = (this.server ??= this.connectToServer());
    const { request, socket, unread } = client;
    const end = request?.isEndKnown === true ? request.end : unread.length;
    server.socket.write(unread.slice(0, end), 'latin1');
    client.unread = unread.slice(end);
    if (request?.isEndKnown === false) socket.resume(); // paused, if much has arrived
    if (server.socket.writableLength > UNREAD_LIMIT) {
      this.failTurn('502 Bad Gateway', 'The server does not read the request');
    }
  }

  private give(client: Client, passed: Passed, from = ''): void {
    const { bytes, isInterim, persists, statusText } = passed.response;
    this.tellOf(passed, client);
    this.say(client.name, `response: ${printable(statusText)}${from}${whereTo(client)}`);
    this.write(client, bytes);
    if (isInterim) return;
    if (!persists) this.disconnect();
    if (!persists || client.request?.isEndKnown === false) this.close(client);
    this.endTurn(client);
  }

  private endTurn(client: Client): void {
    this.server?.socket.setTimeout(0);
    this.turn = undefined;
    client.request = undefined;
    // Not at once, because each turn of a long queue would be one call deeper.
    setImmediate(() => {
      this.beginTurn();
      this.read(client); // the next request may be here already
    });
  }

  private failTurn(status: string, reason: string): void {
    this.disconnect();
    const { turn } = this;
    if (turn === undefined) return this.say('--', reason);
    this.refuse(turn, status, reason);
    this.endTurn(turn);
  }

  // The server.

  private connectToServer(): Upstream {
    const { mistake, to } = this.options;
    const socket = connect({ port: to, host: HOST, noDelay: true });
    this.counts.connections += 1;
    const { connections: number } = this.counts;
    const reader = new ResponseReader({ methods: [] });
    const server: Upstream = { socket, number, reader, responses: 0 };
    this.keepTrackOf(socket);
    socket.on('connect', () => {
      const address = `${socket.localAddress}:${socket.localPort}`;
      this.options.tell({ type: 'connect', connection: number, address, mistake });
    });
    socket.on('data', (bytes) => {
      reader.push(bytes.toString('latin1'));
      this.receive(server);
    });
    socket.on('timeout', async () => {
      const isLate = (await isSilent(socket)) && this.server === server;
      const reason = 'The server did not respond in time';
      if (isLate) this.failTurn('504 Gateway Timeout', reason);
    });
    socket.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
      const isLost = this.server === server && this.turn !== undefined;
      if (isLost) this.failTurn('502 Bad Gateway', `No connection to port ${to} (${code})`);
    });
    const onGone = (): void => {
      reader.end();
      this.receive(server);
      if (this.server === server) this.disconnect();
    };
    socket.on('end', onGone);
    socket.on('close', onGone);
    return server;
  }

  private disconnect(): void {
    if (this.server !== undefined) closeSoon(this.server.socket);
    this.server = undefined;
  }

  /** Gives each response to the client whose turn it is. */
  private receive(server: Upstream): void {
    while (this.server === server) {
      const response = server.reader.next();
      if (response.kind === 'rejected') {
        const reason = `What the server sent is no response: ${response.error.reason}`;
        return this.failTurn('502 Bad Gateway', reason);
      }
      if (response.kind !== 'response') return;
      server.responses += 1;
      const { number: connection, responses: number } = server;
      const passed = { response, connection, number };
      if (this.turn !== undefined) this.give(this.turn, passed);
      else this.keep(passed);
    }
  }

  /** A proxy that is not naive would close the connection: nobody asked for this
   * response. */
  private keep(passed: Passed): void {
    if (this.leftOver.length === LEFT_OVER_LIMIT) {
      const reason = `The server sent more than ${LEFT_OVER_LIMIT} responses too many`;
      return this.failTurn('', reason);
    }
    this.leftOver.push(passed);
    this.tellOf(passed, undefined);
    const status = printable(passed.response.statusText);
    this.say('--', `left over: ${status}, for the next client`);
  }

  private tellOf({ connection, number, response }: Passed, client?: Client): void {
    this.options.tell({
      type: 'response',
      client: client?.name,
      asked: client?.asked,
      connection,
      response: number,
      bytes: response.bytes.length,
    });
  }

  private say(name: string, text: string): void {
    this.options.tell({ type: 'say', line: `${name.padEnd(3)} ${text}` });
  }
}

/** Reads the first request of some bytes, each of them one character. Its end is known only
 * if all of it is here: a chunk that is too long to be held never is.
 * @returns undefined where more bytes are needed */
function readRequest(
  text: string,
  mistake: Mistake | undefined,
): NaiveRequest | Refusal | undefined {
  const tooLong = (status: string): Refusal =>
    new Refusal(status, `A request exceeds ${REQUEST_LIMIT} bytes`);
  const request = readNaively(text, mistake);
  if (request instanceof Unreadable) return new Refusal('400 Bad Request', request.message);
  const isLong = text.length > REQUEST_LIMIT;
  if (request === undefined)
    return isLong ? tooLong('431 Request Header Fields Too Large') : undefined;
  const { end, isEndKnown, isMistaken } = request;
  if (end <= REQUEST_LIMIT && (isEndKnown || !isLong))
    return isEndKnown && end <= text.length ? request : undefined;
  const isEndless = isMistaken && !isEndKnown && mistake === '64-bit';
  return isEndless ? request : tooLong('413 Content Too Large');
}

/** Where the proxy ends a request. */
function describeCut(text: string, { end, isEndKnown }: NaiveRequest): string {
  if (!isEndKnown) return 'not yet';
  const before = printable(text.slice(Math.max(0, end - SHOWN), end));
  const after = end < text.length ? printable(text.slice(end), SHOWN) : 'nothing more';
  return `${end > SHOWN ? '...' : ''}${before} | ${after}`;
}

function whereTo({ socket }: Client): string {
  return socket.destroyed ? ', but the client is gone' : '';
}

/** Whether nothing has arrived, after a time limit: a busy process reads late. */
async function isSilent(socket: Socket): Promise<boolean> {
  const { bytesRead } = socket;
  await new Promise(setImmediate);
  return socket.bytesRead === bytesRead;
}

/** Closes a connection once everything is sent, even if the other end does not close it. */
function closeSoon(socket: Socket): void {
  socket.end();
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
