/** Plays a script to its end, in virtual time, and keeps what happened for the oracle. */
import { getDefaultHighWaterMark } from 'node:stream';
import type { Service, TraceEvent } from '../../src/index';
import type { HttpServer, Inspection } from '../../src/server/server';
import { Random } from '../support/random';
import { collectWarnings } from '../support/warnings';
import type { SimulatedClient } from './client';
import { FOREVER, type Freedom } from './kernel';
import type { ClientScript, Script } from './script';
import { respondTo } from './service';
import { World } from './world';

/** What happened in a world. Times are those of its kernel. */
export type Played = Readonly<Awaited<ReturnType<typeof play>>>;

export async function play(script: Script) {
  const world = new World(freedomOf(script.seed));
  const { kernel, log, trace } = world;
  const start = kernel.time; // which the trace counts from
  const handled: string[] = []; // "GET /path" for each call of the service
  /** Where time passed while the server could do nothing. */
  const standstills: { readonly from: number; readonly to: number }[] = [];
  /** What the server held when every client was gone, and when it had stopped. */
  const left: Inspection[] = [];
  /** Whatever was thrown, or was seen to be wrong while it happened. */
  const faults: string[] = [];
  const warnings = collectWarnings();
  let server: HttpServer | undefined;
  let stopAsked: number | undefined;
  let stopped: number | undefined;

  const standStill = (ms: number): void => {
    if ((standstills.at(-1)?.to ?? 0) > kernel.time) return; // the server stands still already
    standstills.push({ from: kernel.time, to: kernel.time + ms });
    world.standStill(ms);
  };
  const stop = (): void => {
    stopAsked ??= kernel.time;
    void server?.stop();
  };
  const service: Service = ({ method, path }) => {
    if (stopAsked !== undefined) faults.push(`${method} ${path} is handled after stop()`);
    handled.push(`${method} ${path}`);
    const what = path.split('/')[1];
    if (what === 'slow') standStill(script.slowMs);
    if (what === 'stop') stop();
    if (what === 'throw') throw new Error('thrown by the service');
    return what === 'unsendable' ? { status: 200, body: '\u20ac' } : respondTo(path);
  };
  const ports = new Map<number, number>(); // of the client of each connection
  /** How many bytes were written to a connection. */
  const written = new Map<number, number>();
  /** How many of them its client's system has not got yet. */
  const outstanding = (connection: number): number => {
    const of = ({ client }: Actor): boolean =>
      client?.connection.port === ports.get(connection);
    const client = actors.find(of)?.client;
    const got = (client?.received.length ?? 0) + (client?.connection.output.length ?? 0);
    return client?.isGone === false ? (written.get(connection) ?? 0) - got : 0;
  };
  /** Judges what can be seen only while it happens. */
  const observe = (event: TraceEvent): void => {
    trace.events.push(event); // without the risks, which nobody judges here
    const { connection, type } = event;
    if (type === 'open') ports.set(connection, Number(event.remoteAddress?.split(':')[1]));
    if (type === 'write') {
      const text = event.responses.map((one) => one.text).join('');
      written.set(connection, (written.get(connection) ?? 0) + text.length);
      // A client that has its response finds its line in the log.
      for (const [, path = ''] of text.matchAll(/"path":"([^"]+)"/g)) {
        if (log.some((line) => line.endsWith(` ${path}`))) continue;
        faults.push(`the response to ${path} leaves before its line of the log`);
      }
    }
    if (type === 'idle' && outstanding(connection) > 0)
      faults.push(`c${connection} is idle before its client can have its responses`);
    if (type === 'turn' && outstanding(connection) > getDefaultHighWaterMark(false))
      faults.push(`c${connection} has a turn, but its client is not reading`);
  };
  const keepFault = (error: unknown): void => {
    faults.push(error instanceof Error ? String(error.stack) : String(error));
  };

  // Of a test runner, say.
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', keepFault);
  const actors = script.clients.map((client) => new Actor(world, client));
  try {
    const { requestTimeout, idleTimeout, maxRequests, maxConnections } = script;
    const { contentBudget } = script;
    const limits = { requestTimeout, idleTimeout, maxRequests, maxConnections };
    server = await world.serve({ ...limits, contentBudget, service, trace: observe });
    void server.stopped.then(() => {
      stopped = kernel.time;
      if (server !== undefined) left.push(server.inspect());
    });
    for (const actor of actors) kernel.at(start + actor.script.at, () => actor.start());
    for (const { at, ms } of script.standstills)
      kernel.at(start + at, () => standStill(ms));
    if (script.stopAt >= 0) kernel.after(script.stopAt, stop);
    await kernel.playUntil(FOREVER);
    left.push(server.inspect());
    stop();
    await kernel.playUntil(FOREVER);
  } catch (error) {
    keepFault(error);
  } finally {
    await new Promise(setImmediate); // others of this process go on
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
  }
  const lines = log.map((line) => `${line}\n`).join('');
  const { events } = trace;
  const times = { start, standstills, stopAsked, stopped };
  return { script, events, log: lines, handled, actors, left, warnings, faults, ...times };
}

function freedomOf(seed: number): Freedom {
  const random = new Random(seed);
  return {
    roundMs: () => random.below(20) / 1000,
    order: (items) => {
      const left = [...items];
      return items.map(() => left.splice(random.below(left.length), 1)).flat();
    },
    resetLosesData: () => random.onceIn(2),
  };
}

/** How a client reads: so many bytes, after so many milliseconds. */
interface Slowly {
  readonly bytes: number;
  readonly every: number;
}

/** A client that follows its script. */
export class Actor {
  /** From when on it has connected. */
  client: SimulatedClient | undefined;
  hasReset = false;
  hasClosed = false;
  hasEnded = false;
  private done = 0;
  private responses = 0;
  /** The end of what it has read: a status line may begin there. */
  private lastText = '';
  private isClosing = false;
  /** What it waits for. */
  private wait: { readonly responses: number } | undefined;
  private slowly: Slowly | undefined;
  private readsSoon = false;

  constructor(
    private readonly world: World,
    readonly script: ClientScript,
  ) {}

  start(): void {
    this.client = this.world.connect(this.script);
    this.client.onRead = (text) => this.onRead(text);
    this.act(this.client);
  }

  private act(client: SimulatedClient): void {
    const { world } = this;
    const step = this.script.steps[this.done];
    this.done += 1;
    if (step === undefined || client.isGone) return;
    switch (step.do) {
      case 'send':
        if (!this.hasEnded) client.write(Buffer.from(step.text, 'latin1'));
        break;
      case 'wait':
        world.in(step.ms, () => this.act(client));
        return;
      case 'await':
        this.awaitResponses(client, step.responses, step.ms);
        return;
      case 'read':
        this.readSlowly(client, step);
        break;
      case 'end':
        this.hasEnded = true;
        client.end();
        break;
      case 'reset':
        this.hasReset = true;
        client.reset();
        return;
      case 'close':
        this.close();
        return;
    }
    this.act(client);
  }

  private awaitResponses(client: SimulatedClient, responses: number, ms: number): void {
    const wait = { responses };
    this.wait = wait;
    this.world.in(ms, () => {
      if (this.wait !== wait) return;
      this.wait = undefined;
      this.act(client);
    });
    this.onRead('');
  }

  private onRead(text: string): void {
    const { client, wait } = this;
    if (client === undefined) return;
    const parts = (this.lastText + text).split('HTTP/1.1 ');
    this.responses += parts.length - 1;
    this.lastText = parts.at(-1)?.slice(1 - 'HTTP/1.1 '.length) ?? '';
    if (this.slowly !== undefined) this.readSoon(client, this.slowly);
    const hasEnded = client.ending !== undefined;
    if (wait !== undefined && (hasEnded || this.responses >= wait.responses)) {
      this.wait = undefined;
      this.act(client);
    }
    if (!hasEnded || this.isClosing || this.script.closesAfter < 0) return;
    this.isClosing = true;
    this.world.in(this.script.closesAfter, () => this.close());
  }

  private readSlowly(client: SimulatedClient, slowly: Slowly): void {
    this.slowly = slowly;
    client.stopReading();
    this.readSoon(client, slowly);
  }

  /** Reads some bytes after a while, if there are any. */
  private readSoon(client: SimulatedClient, slowly: Slowly): void {
    if (slowly.bytes === 0 || client.connection.output.length === 0) return;
    if (this.readsSoon) return;
    this.readsSoon = true;
    this.world.in(slowly.every, () => {
      this.readsSoon = false;
      if (!client.isGone) client.read(this.slowly?.bytes ?? 0);
    });
  }

  private close(): void {
    this.hasClosed ||= this.client?.isGone === false;
    this.client?.close();
  }
}
