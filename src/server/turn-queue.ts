/** A queue of entries that take turns, in the order in which they were added. Turns are
 * given in batches, one batch in each round of the event loop, so that the server sees new
 * bytes and clients between two batches. The queue knows nothing of HTTP. */
import type { System } from './system';

export interface TurnQueueOptions<Entry> {
  readonly system: System;
  /** Called for each entry, when it is its turn. */
  readonly takeTurn: (entry: Entry) => void;
  /** Called for each entry that had a turn, when the batch ends. */
  readonly settle?: (entry: Entry) => void;
  /** Called after that. */
  readonly onBatchEnd?: () => void;
  /** A batch ends after this many turns. */
  readonly turnsPerBatch: number;
  /** It also ends once this many milliseconds have passed. */
  readonly msPerBatch: number;
}

export class TurnQueue<Entry> {
  private readonly entries: Entry[] = [];
  /** Whether a batch is scheduled or under way. */
  private isBusy = false;
  private isClosed = false;

  constructor(private readonly options: TurnQueueOptions<Entry>) {}

  /** How many entries wait for their turn. */
  get size(): number {
    return this.entries.length;
  }

  /** The entry behind which a new one would wait, if there is one. */
  get last(): Entry | undefined {
    return this.entries.at(-1);
  }

  /** Adds an entry at the end. It must not be waiting already. */
  enqueue(entry: Entry): void {
    if (this.isClosed) return;
    this.entries.push(entry);
    if (!this.isBusy) this.schedule();
  }

  private schedule(): void {
    this.isBusy = true;
    this.options.system.soon(() => this.runBatch());
  }

  private runBatch(): void {
    const { msPerBatch, settle, system, takeTurn, turnsPerBatch } = this.options;
    const served = new Set<Entry>();
    const end = system.now() + msPerBatch;
    for (let turns = 0; turns < turnsPerBatch; turns += 1) {
      const entry = this.entries.shift();
      if (entry === undefined) break; // those added meanwhile have had a turn, too
      served.add(entry);
      takeTurn(entry);
      if (system.now() > end) break;
    }
    this.isBusy = false;
    if (this.entries.length > 0) this.schedule();
    if (settle !== undefined) served.forEach((entry) => settle(entry));
    this.options.onBatchEnd?.();
  }

  /** Gives no more turns. */
  close(): void {
    this.isClosed = true;
    this.entries.length = 0;
  }
}
