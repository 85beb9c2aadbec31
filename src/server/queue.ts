/**
 * The queue: who holds a complete request takes a place in it, and requests are handled one at a time, in the order of the places, over
 * all connections. A turn handles one request; who has another one takes a new place, behind all who wait.
 *
 * Turns are taken when the octets that have come were read, many turns on end: so the answers of a connection, and the log lines of all,
 * leave together.
 */

/** Somebody who waits for a turn. */
export interface Waiting {
  /** Handles one request. */
  turn(): void;
  /** Sends what the turns left to send. */
  flush(): void;
}

/** Turns on end, at most: then what has come meanwhile is read. */
const BATCH = 1024;

export class Queue<W extends Waiting> {
  private waiting: W[] = [];
  /** How many of `waiting` have had their turn. */
  private served = 0;
  private scheduled = false;
  private closed = false;

  /** @param afterTurns called after turns on end, with the function that sends their answers */
  constructor(private readonly afterTurns: (send: () => void) => void) {}

  /** How many wait. */
  get length(): number {
    return this.waiting.length - this.served;
  }

  /** The one behind whom a newcomer waits. */
  get last(): W | undefined {
    return this.length > 0 ? this.waiting.at(-1) : undefined;
  }

  add(who: W): void {
    if (this.closed) return;
    this.waiting.push(who);
    if (!this.scheduled) this.schedule();
  }

  /** Gives no turn any more. */
  close(): void {
    this.closed = true;
    this.waiting.length = this.served;
  }

  private schedule(): void {
    this.scheduled = true;
    setImmediate(() => this.run());
  }

  private run(): void {
    for (let who = this.waiting[0]; who !== undefined && this.served < BATCH; who = this.waiting[this.served]) {
      this.served += 1;
      who.turn();
    }
    const served = this.waiting.splice(0, this.served);
    this.served = 0;
    this.afterTurns(() => {
      for (const who of served) who.flush();
    });
    this.scheduled = false;
    if (this.waiting.length > 0) this.schedule();
  }
}
