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
  /** How many turns the batch that is under way has given. */
  private given = 0;

  /** @param isClosed says whether no more turns are given */
  constructor(
    private readonly system: System,
    private readonly batch: Batch,
    private readonly isClosed = (): boolean => false,
    private readonly onBatchEnd = (): void => {},
  ) {}

  /** How many entries will still get a turn. */
  get size(): number {
    return this.isClosed() ? 0 : this.entries.length - this.given;
  }

  /** The entry at the end, if one waits. */
  get last(): Member | undefined {
    return this.size > 0 ? this.entries.at(-1) : undefined;
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
    const { batch, entries, system } = this;
    const end = system.now() + batch.ms;
    while (this.given < batch.turns) {
      const entry = entries[this.given]; // those added meanwhile have a turn, too
      if (entry === undefined || this.isClosed()) break;
      this.given += 1;
      entry.takeTurn();
      if (system.now() > end) break;
    }
    const served = entries.splice(0, this.given);
    if (this.isClosed()) entries.length = 0;
    this.given = 0;
    this.isBusy = false;
    if (this.size > 0) this.schedule();
    for (const entry of served) entry.settle();
    this.onBatchEnd();
  }
}
