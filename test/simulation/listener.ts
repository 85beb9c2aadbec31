/** The listener of a simulated server: the part of net.Server that the server uses. */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Kernel, Pollable } from './kernel';
import { SimulatedSocket } from './socket';
import type { TcpConnection } from './tcp';

export class SimulatedListener extends EventEmitter implements Pollable {
  listening = false;
  /** Who has connected, and is not accepted yet. */
  private readonly backlog: TcpConnection[] = [];

  constructor(
    private readonly kernel: Kernel,
    private readonly onConnection: (socket: Socket) => void,
  ) {
    super();
  }

  listen(_: unknown, onListening: () => void): void {
    this.listening = true;
    this.kernel.watch(this);
    process.nextTick(onListening);
  }

  address(): { readonly port: number } {
    return { port: 8080 };
  }

  /** Resets those who are not accepted yet, as TCP does. */
  close(): void {
    this.listening = false;
    this.kernel.unwatch(this);
    for (const connection of this.backlog.splice(0)) connection.resetClient();
  }

  /** A client connects. */
  connect(connection: TcpConnection): void {
    if (this.listening) this.backlog.push(connection);
    else connection.resetClient();
  }

  get isReady(): boolean {
    return this.backlog.length > 0;
  }

  async poll(): Promise<void> {
    let connection: TcpConnection | undefined;
    while ((connection = this.backlog.shift()) !== undefined) {
      const socket = new SimulatedSocket(this.kernel, connection);
      // The server uses the part of the type that streams have, and the address.
      await this.kernel.call(() => this.onConnection(socket as unknown as Socket));
    }
  }
}
