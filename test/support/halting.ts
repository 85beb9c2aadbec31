/** What `kill -STOP` does to a program, for one that runs in this process: the system keeps
 * what arrives until the program goes on. */
import type { Socket } from 'node:net';

export class Halting {
  private held: (() => void)[] | undefined;

  /** @param socket of the program */
  watch(socket: Socket): void {
    const push = socket.push.bind(socket);
    socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
      if (this.held === undefined) return push(chunk, encoding);
      this.held.push(() => push(chunk, encoding));
      return true;
    };
  }

  halt(): void {
    this.held = [];
  }

  resume(): void {
    const { held = [] } = this;
    this.held = undefined;
    for (const act of held) act();
  }
}
