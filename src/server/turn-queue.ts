/** A queue of entries that take turns, in the order in which they were added. Turns are
 * given in batches, one batch in each round of the event loop, so that the server sees new
 * bytes and clients between two batches. The queue knows nothing of HTTP. */
import type { System } from './system';

/** What waits in a queue. */
interface Entry {
  takeTurn(): void;
  /** Called when a batch ends, once for each turn that it had. */
  settle(): void;
}

/** A batch ends after this many turns, or once this many milliseconds have passed. */
interface Batch {
  readonly turns: number;
  readonly ms: number;
}

export class TurnQueue<Member extends Entry> {
  private readonly entries: Member[] = [];
  /** Whether a batch is scheduled or under way. */
  private isBusy = false;

  /** @param isClosed says whether no more turns are given */
  constructor(
    private readonly system: System,
    private readonly batch: Batch,
    private readonly isClosed = (): boolean => false,
    private readonly onBatchEnd = (): void => {},
  ) {}

  /** How many entries will still get a turn. */
  get size(): number {
    return this.isClosed() ? 0 : this.entries.length;
  }

  /** The entry at the end, if there is one. */
  get last(): Member | undefined {
    return this.entries.at(-1);
  }

  /** Adds an entry at the end, unless the queue is closed. It must not be waiting already. */
  enqueue(entry: Member): void {
    if (this.isClosed()) return;
    this.entries.push(entry);
    if (!this.isBusy) this.schedule();
  }

  private schedule(): void {
    this.isBusy = true;
    this.system.soon(() => this.runBatch());
  }

  private runBatch(): void {
    const { batch, system } = this;
    const served: Member[] = [];
    const end = system.now() + batch.ms;
    for (let turns = 0; turns < batch.turns && !this.isClosed(); turns += 1) {
      const entry = this.entries.shift(); // those added meanwhile have a turn, too
      if (entry === undefined) break;
      served.push(entry);
      entry.takeTurn();
      if (system.now() > end) break;
    }
    this.isBusy = false;
    if (this.size > 0) this.schedule();
    for (const entry of served) entry.settle();
    this.onBatchEnd();
  }
}
