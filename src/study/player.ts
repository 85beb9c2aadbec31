/** A client that sends what a text says (bytes.ts), and collects what it receives. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { partsOf, piecesOf, readScript } from './bytes';
import { Notifier } from './notifier';

/** @param text with repetitions
 * @returns the bytes that leave together, and the pauses between them, in milliseconds */
function* piecesFor(text: string): Generator<Buffer | number> {
  for (const { unit, times } of partsOf(text)) {
    const script = readScript(unit);
    // What is repeated is built once, without a place for each of its bytes.
    const { bytes } = script;
    if (times > 1) yield Buffer.alloc(bytes.length * times, bytes);
    else
      for (const piece of piecesOf(script))
        yield typeof piece === 'number' ? piece : Buffer.from(piece, 'latin1');
  }
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

export class Player {
  /** A character for each byte. */
  received = '';
  /** How the other side has closed: 'reset' is anything but a half-close. */
  ending: 'end' | 'reset' | undefined;
  private readonly changes = new Notifier();

  private constructor(readonly socket: Socket) {
    const onEnd = (ending: 'end' | 'reset') => (): void => {
      this.ending ??= ending;
      this.changes.notify();
    };
    socket.on('end', onEnd('end')).on('close', onEnd('reset'));
    socket.on('error', () => (this.ending = 'reset')); // 'close' follows
  }

  /** @param port of this machine */
  static async connect(port: number): Promise<Player> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    await once(socket, 'connect');
    return new Player(socket);
  }

  /** Takes what arrives, which waits in the system until then. */
  read(): void {
    this.socket.on('data', (bytes) => {
      this.received += bytes.toString('latin1');
      this.changes.notify();
    });
  }

  /** Sends the bytes of a text, and does what is said at its end.
   * @param wait lasts so many milliseconds */
  async send(text: string, wait: (pause: number) => Promise<void> = sleep): Promise<void> {
    for (const piece of piecesFor(text)) {
      if (typeof piece !== 'number') this.socket.write(piece);
      else await wait(piece);
    }
    const { ending } = readScript(text.slice(-'‖never‖'.length));
    if (ending === 'close') this.socket.end();
    if (ending === 'reset') this.socket.resetAndDestroy();
  }

  /** Waits until enough is received, or the other side has closed. */
  until(isEnough: (received: string) => boolean): Promise<void> {
    return this.changes.until(() => this.ending !== undefined || isEnough(this.received));
  }

  /** Waits until the other side has closed. */
  ended(): Promise<void> {
    return this.until(() => false);
  }
}
