/** A client that sends what a text says (bytes.ts), and collects what it receives. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expand, readScript, REPEATED } from './bytes';

/** Calls back after so many milliseconds. */
type After = (milliseconds: number, act: () => void) => unknown;

/** What is sent of a repetition at once. */
const PIECE_SIZE = 65_536;

/** @param text with repetitions, of which none is built whole
 * @returns the bytes that leave together, and the pauses between them, in milliseconds */
export function* piecesFor(text: string): Generator<Buffer | number> {
  for (const part of text.split(REPEATED)) {
    const [, unit, times] = /^‹([^]*) × (\d+)›$/.exec(part) ?? [];
    if (unit !== undefined) yield* repeat(unit, Number(times));
    else {
      const { bytes, cuts } = readScript(part);
      let start = 0;
      for (const { at, pause } of cuts) {
        if (at > start) yield Buffer.from(bytes.subarray(start, at));
        yield pause;
        start = at;
      }
      if (bytes.length > start) yield Buffer.from(bytes.subarray(start));
    }
  }
}

function* repeat(text: string, times: number): Generator<Buffer> {
  const unit = Buffer.from(readScript(expand(text)).bytes);
  const most = Math.max(1, Math.floor(PIECE_SIZE / unit.length));
  const piece = Buffer.alloc(unit.length * Math.min(most, times), unit);
  for (let left = times; left > 0; left -= most)
    yield piece.subarray(0, unit.length * Math.min(most, left));
}

const wait: After = (milliseconds, act) => setTimeout(act, milliseconds);

export class Player {
  /** A character for each byte. */
  received = '';
  /** Resolves when the other side has closed, or reset the connection. */
  readonly ended: Promise<void>;
  private readonly waiting = new Set<() => void>();

  private constructor(
    readonly socket: Socket,
    private readonly after: After,
  ) {
    const ended = new Promise<void>((resolve) => {
      for (const event of ['end', 'close']) socket.on(event, () => resolve());
    });
    this.ended = ended.then(() => this.check());
    socket.on('error', () => {}); // 'close' follows
  }

  static async connect(port: number, after: After = wait): Promise<Player> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    await once(socket, 'connect');
    return new Player(socket, after);
  }

  /** Takes what arrives, which waits in the system until then. */
  read(): void {
    this.socket.on('data', (bytes) => {
      this.received += bytes.toString('latin1');
      this.check();
    });
  }

  /** Sends the bytes of a text, and does what is said at its end. */
  async send(text: string): Promise<void> {
    const { ending } = readScript(text.slice(-'‖never‖'.length));
    for (const piece of piecesFor(text)) {
      if (typeof piece !== 'number') this.socket.write(piece);
      else await new Promise<void>((resolve) => this.after(piece, resolve));
    }
    if (ending === 'close') this.socket.end();
    if (ending === 'reset') this.socket.resetAndDestroy();
  }

  /** Waits until enough is received, or the other side has closed. */
  async until(isEnough: (received: string) => boolean): Promise<void> {
    const enough = new Promise<void>((resolve) => {
      const check = (): void => {
        if (!isEnough(this.received)) return;
        this.waiting.delete(check);
        resolve();
      };
      this.waiting.add(check);
      check();
    });
    await Promise.race([enough, this.ended]);
  }

  private check(): void {
    for (const check of this.waiting) check();
  }
}
