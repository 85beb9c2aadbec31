/** A reverse proxy that is naive on purpose, to show what happens between a proxy and a
 * server that read the same bytes differently. It lets no DELETE through. It forwards the
 * requests of all clients, unchanged and one after the other, over one connection to the
 * server, and gives the next response to the client whose turn it is. It does not ask
 * whether that response is really for this client, and request smuggling exploits that. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterReal, type After } from '../../command/timer';
import { MISTAKES, Unreadable, type Mistake } from '../../naive/naive-request';
import { count, printable } from '../../text/text';
import type { ProxyEvent } from '../../trace/proxy-events';
import { RESPONSE_LIMIT, ResponseReader, type ReceivedResponse } from '../response-reader';
import { describeCuts } from './cuts';
import { readRequest, TooLarge, type ProxiedRequest } from './proxied-request';

export interface NaiveProxyOptions {
  /** The port of the server, on this machine. */
  readonly to: number;
  /** Its address: "localhost" by default. */
  readonly host?: string;
  readonly mistake: Mistake | undefined;
  /** Seconds for a request to arrive, and for the server to respond to it. */
  readonly timeout: number;
  /** Receives what the proxy does, a line at a time. No control character is in it. */
  readonly say: (line: string) => void;
  /** Is told whose request goes where, and who is given which response. */
  readonly onEvent?: (event: ProxyEvent) => void;
  readonly after?: After;
}

const CLIENTS_LIMIT = 100;
/** The most responses that nobody waits for, and the most interim ones to one request. */
const LEFT_OVER_LIMIT = 100;
const INTERIM_LIMIT = 10;
/** The most lines that are printed within a second. */
const LINES_LIMIT = 1000;
/** The most bytes of one client that wait while its request has its turn. */
const UNREAD_LIMIT = 65_536;
/** How long the other end may take to close its side of a connection after the proxy. */
const LINGER_MS = 2000;

const INCOMPLETE = 'The request is not complete';

interface Client {
  readonly name: string;
  readonly socket: Socket;
  /** The bytes that are not forwarded yet, each of them one character. */
  unread: string;
  /** The request that waits for a response. */
  request: ProxiedRequest | undefined;
  /** Which of all requests it is. */
  number: number;
  /** How many interim responses it has got to this request. */
  interim: number;
  isClosing: boolean;
  /** Ends its time to send a request. */
  stopWaiting: () => void;
}

/** A response, and where it came from. */
interface Passed {
  readonly response: ReceivedResponse;
  readonly connection: number;
  readonly number: number;
}

export class NaiveProxy {
  private readonly listener: Server;
  /** The client that gets the next response. Its request is forwarded. */
  private turn: Client | undefined;
  private readonly waiting: Client[] = [];
  private server: Socket | undefined;
  private received = ''; // from the server: the beginning of a response
  /** Counts the connections to the server, and what was sent and received on the last. */
  private connections = 0;
  private sent = 0;
  private responses = 0;
  /** The responses that arrived when it was nobody's turn. */
  private readonly leftOver: Passed[] = [];
  private readonly after: After;
  private stopTurnTimer = (): void => {};
  private stopLineTimer: (() => void) | undefined;
  private lines = 0; // of this second
  private readonly sockets = new Set<Socket>();
  private clients = 0;
  private requests = 0;

  constructor(private readonly options: NaiveProxyOptions) {
    this.after = options.after ?? afterReal;
    this.listener = createServer({ allowHalfOpen: true }, (socket) => this.accept(socket));
    this.listener.maxConnections = CLIENTS_LIMIT;
  }

  /** @returns the port; only programs of this machine can connect to it */
  listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.listener.once('error', reject);
      this.listener.listen(port, '127.0.0.1', () => {
        const address = this.listener.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  /** Closes everything at once. */
  stop(): void {
    this.stopTurnTimer();
    this.stopLineTimer?.();
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
    this.clients += 1;
    const name = `c${this.clients}`;
    const client: Client = {
      name,
      socket,
      unread: '',
      request: undefined,
      number: 0,
      interim: 0,
      isClosing: false,
      stopWaiting: () => {},
    };
    this.waitForRequest(client);
    socket.on('data', (bytes) => {
      if (client.isClosing) return;
      client.unread += bytes.toString('latin1');
      if (client.request === undefined) this.read(client);
      else if (!client.request.isComplete && this.turn === client) this.forward(client);
      else if (client.unread.length > UNREAD_LIMIT) socket.pause();
    });
    socket.on('end', () => this.read(client));
    socket.on('error', () => {}); // a reset: 'close' follows
    socket.on('close', () => {
      client.stopWaiting();
      client.isClosing = true;
      const place = this.waiting.indexOf(client);
      if (place >= 0) this.waiting.splice(place, 1);
    });
  }

  private waitForRequest(client: Client): void {
    client.stopWaiting = this.after(1000 * this.options.timeout, () => {
      if (client.isClosing || client.request !== undefined) return;
      if (client.unread !== '') this.refuse(client, '408 Request Timeout', INCOMPLETE);
      else this.close(client);
    });
  }

  /** Reads the next request of a client, and gives it a turn. */
  private read(client: Client): void {
    if (client.isClosing || client.request !== undefined) return;
    let request: ProxiedRequest | undefined;
    try {
      request = readRequest(client.unread, this.options.mistake);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      const status = error instanceof TooLarge ? error.status : '400 Bad Request';
      return this.refuse(client, status, error.message);
    }
    if (request === undefined) {
      if (!client.socket.readableEnded) client.socket.resume();
      else if (client.unread === '') this.close(client);
      else this.refuse(client, '400 Bad Request', INCOMPLETE);
      return;
    }
    client.stopWaiting();
    this.requests += 1;
    const { framing, isMistaken, method, target } = request;
    this.say(
      client.name,
      `request ${this.requests}: ${method} ${printable(target)}, ${framing}`,
    );
    const { mistake } = this.options;
    if (isMistaken && mistake !== undefined)
      this.say('', `mistake: it ${MISTAKES[mistake]}`);
    for (const line of describeCuts(client.unread, request)) this.say('', line);
    if (method === 'DELETE')
      return this.refuse(client, '403 Forbidden', 'No DELETE gets through');
    client.request = request;
    client.number = this.requests;
    const { contentLength, contentStart } = request;
    const about = { request: this.requests, name: `${method} ${printable(target)}` };
    this.tell({
      ...{ type: 'request', client: nameOf(client) },
      ...about,
      contentLength,
      contentStart,
    });
    this.waiting.push(client);
    this.beginTurn();
  }

  /** Responds in place of the server, and closes. */
  private refuse(client: Client, status: string, reason: string): void {
    this.say(client.name, `${status}, by the proxy: ${reason}${this.whereTo(client)}`);
    const content = `${reason} (the proxy)\n`;
    const text =
      `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${content.length}\r\n` +
      `Connection: close\r\n\r\n${content}`;
    this.tell({ type: 'refuse', client: nameOf(client), text });
    this.write(client, text);
    this.close(client);
  }

  private whereTo({ socket }: Client): string {
    return socket.destroyed ? ', but the client is gone' : '';
  }

  private write({ socket }: Client, text: string): void {
    if (socket.destroyed || socket.writableEnded) return;
    if (socket.writableLength > RESPONSE_LIMIT) socket.destroy();
    else socket.write(text, 'latin1');
  }

  private close(client: Client): void {
    client.stopWaiting();
    client.isClosing = true;
    client.unread = '';
    closeSoon(client.socket);
  }

  // The turns.

  /** Forwards the request of the client that waits longest. */
  private beginTurn(): void {
    if (this.turn !== undefined) return;
    const client = (this.turn = this.waiting.shift());
    if (client === undefined) return;
    this.stopTurnTimer = this.after(1000 * this.options.timeout, () =>
      this.failTurn(
        '504 Gateway Timeout',
        `The server did not respond in time${this.got()}`,
      ),
    );
    this.server ??= this.connectToServer();
    const { connections: connection, sent: from } = this;
    const request = client.number;
    this.tell({ type: 'forward', client: nameOf(client), request, connection, from });
    this.forward(client);
    while (this.turn === client) {
      const passed = this.leftOver.shift();
      if (passed === undefined) return;
      this.give(client, passed, ' (left over)');
    }
  }

  /** What has arrived of a response. */
  private got(): string {
    const { length } = this.received;
    return length === 0 ? '' : `: only ${count(length)} came, ${printable(this.received)}`;
  }

  /** Forwards the request, or as much of it as is here. */
  private forward(client: Client): void {
    const server = (this.server ??= this.connectToServer());
    const end =
      client.request?.isComplete === true ? client.request.end : client.unread.length;
    server.write(client.unread.slice(0, end), 'latin1');
    this.sent += Math.min(end, client.unread.length);
    client.unread = client.unread.slice(end);
    if (server.writableLength > UNREAD_LIMIT) {
      this.failTurn('502 Bad Gateway', 'The server does not read the request');
    }
  }

  private give(client: Client, passed: Passed, from = ''): void {
    const { response } = passed;
    const status = printable(response.statusText);
    this.tellOf(passed, client);
    this.say(client.name, `response: ${status}${from}${this.whereTo(client)}`);
    this.write(client, response.bytes);
    if (response.isInterim) {
      client.interim += 1;
      if (client.interim <= INTERIM_LIMIT) return;
      const reason = `The server sent more than ${INTERIM_LIMIT} interim responses`;
      return this.failTurn('502 Bad Gateway', reason);
    }
    if (!response.persists) this.disconnect();
    if (!response.persists || client.request?.isComplete === false) this.close(client);
    this.endTurn(client);
  }

  private endTurn(client: Client): void {
    this.stopTurnTimer();
    this.turn = undefined;
    client.request = undefined;
    client.interim = 0;
    if (!client.isClosing) this.waitForRequest(client);
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

  private connectToServer(): Socket {
    const { to, host = 'localhost' } = this.options;
    const socket = connect({ port: to, host, noDelay: true });
    const connection = (this.connections += 1);
    this.sent = this.responses = 0;
    this.keepTrackOf(socket);
    let failure: string | undefined;
    const onGone = (): void => {
      if (this.server !== socket) return;
      const isCut = this.received !== '';
      const where = isCut ? 'inside a' : 'before its';
      const closed = `The server closed the connection ${where} response`;
      const reason = failure ?? closed + this.got();
      this.disconnect();
      if (this.turn !== undefined) this.failTurn('502 Bad Gateway', reason);
    };
    socket.on('connect', () => {
      const address = `${socket.localAddress}:${socket.localPort}`;
      const { mistake } = this.options;
      this.tell({ type: 'connect', connection, address, mistake });
    });
    socket.on('data', (bytes) => {
      if (this.server === socket) this.receive(bytes.toString('latin1'));
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      failure = `No connection to port ${this.options.to} (${error.code ?? 'unknown'})`;
    });
    socket.on('end', onGone);
    socket.on('close', onGone);
    return socket;
  }

  private disconnect(): void {
    if (this.server !== undefined) closeSoon(this.server);
    this.server = undefined;
    this.received = '';
  }

  /** Gives each response to the client whose turn it is. */
  private receive(text: string): void {
    this.received += text;
    try {
      for (;;) {
        const { turn } = this;
        const passed = this.takeResponse(turn?.request?.method);
        if (passed === undefined) return;
        if (turn !== undefined) this.give(turn, passed);
        else this.keep(passed);
      }
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.failTurn('502 Bad Gateway', error.message);
    }
  }

  /** @returns undefined where more bytes are needed
   * @throws Unreadable */
  private takeResponse(method = 'GET'): Passed | undefined {
    const { received } = this;
    if (received === '') return undefined;
    const reader = new ResponseReader({ methods: [method] });
    reader.push(received);
    const outcome = reader.next();
    if (outcome.kind === 'rejected') {
      throw new Unreadable(
        `The server sent what is no response (${outcome.error.reason}): ${printable(received)}`,
      );
    }
    if (outcome.kind !== 'response') {
      const framing = reader.head?.framing;
      if (framing?.kind === 'close')
        throw new Unreadable('A response does not say how long it is');
      if (framing?.kind === 'length' && framing.length > RESPONSE_LIMIT)
        throw new Unreadable(`A response exceeds ${RESPONSE_LIMIT} bytes`);
      return undefined;
    }
    this.received = received.slice(outcome.bytes.length);
    const number = (this.responses += 1);
    return { response: outcome, connection: this.connections, number };
  }

  /** A proxy that is not naive would close the connection: nobody asked for this
   * response. */
  private keep(passed: Passed): void {
    if (this.leftOver.length === LEFT_OVER_LIMIT) {
      return this.failTurn(
        '',
        `The server sent more than ${LEFT_OVER_LIMIT} responses too many`,
      );
    }
    this.leftOver.push(passed);
    this.tellOf(passed, undefined);
    const status = printable(passed.response.statusText);
    this.say('--', `left over: ${status}, for the next client`);
  }

  private tell(event: ProxyEvent): void {
    this.options.onEvent?.(event);
  }

  private tellOf({ connection, number, response }: Passed, client?: Client): void {
    this.tell({
      type: 'response',
      client: client && nameOf(client),
      request: client?.number,
      connection,
      response: number,
      isInterim: response.isInterim,
      bytes: response.bytes.length,
    });
  }

  private say(name: string, text: string): void {
    this.stopLineTimer ??= this.after(1000, () => this.beginSecond());
    this.lines += 1;
    if (this.lines <= LINES_LIMIT) this.options.say(`${name.padEnd(3)} ${text}`);
  }

  private beginSecond(): void {
    const leftOut = this.lines - LINES_LIMIT;
    this.stopLineTimer = undefined;
    this.lines = 0;
    if (leftOut > 0) this.say('--', `${count(leftOut, 'more line')} within a second`);
  }
}

/** In events, "c1" is a connection of the server. */
function nameOf({ name }: Client): string {
  return name.replace('c', 'p');
}

/** Closes a connection once everything is sent, even if the other end does not close it. */
function closeSoon(socket: Socket): void {
  socket.end();
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
