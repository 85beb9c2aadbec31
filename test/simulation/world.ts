/** A server in virtual time, and clients of it: a test lets time pass, and it takes
 * none. */
import { taskService, type ServerOptions } from '../../src/index';
import { startServer, type HttpServer } from '../../src/server/server';
import { Trace } from '../support/recorded-trace';
import { SimulatedClient, type ClientOptions } from './client';
import { Kernel, type Freedom } from './kernel';

export class World {
  readonly kernel: Kernel;
  readonly trace = new Trace();
  /** The log so far, one line per element. */
  readonly log: string[] = [];

  constructor(freedom?: Freedom) {
    this.kernel = new Kernel(freedom);
  }

  /** Starts the only server of this world. */
  serve(options: Partial<ServerOptions> = {}): Promise<HttpServer> {
    const log = (lines: string): unknown =>
      this.log.push(...lines.split('\n').slice(0, -1));
    const { sink: trace } = this.trace;
    return startServer({ service: taskService, log, trace, ...options }, this.kernel);
  }

  /** A client connects. Play on, and it is accepted. */
  connect(options?: ClientOptions): SimulatedClient {
    return new SimulatedClient(this.kernel, options);
  }

  /** In milliseconds. */
  get time(): number {
    return this.kernel.time;
  }

  /** Lets so many milliseconds pass, and everything happen until nothing is left to do. */
  advance(ms: number): Promise<void> {
    return this.kernel.playUntil(this.time + ms);
  }

  /** Lets everything happen that takes no time. */
  settle(): Promise<void> {
    return this.advance(0);
  }

  /** Has a client do something in so many milliseconds, while the test lets them pass. */
  in(ms: number, act: () => void): void {
    this.kernel.at(this.time + ms, act);
  }

  /** Lets so many milliseconds pass in which the server can do nothing, because its process
   * is suspended or, called in a service, because that takes so long. */
  standStill(ms: number): void {
    this.kernel.standStill(ms);
  }
}
