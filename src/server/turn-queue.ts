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
  /** How many turns the current batch has given, including the one under way. */
  private served = 0;
  private isClosed = false;

  constructor(private readonly options: TurnQueueOptions<Entry>) {}

  /** How many entries wait for their turn. */
  get size(): number {
    return this.entries.length - this.served;
  }

  /** The entry behind which a new one would wait, if there is one. */
  get last(): Entry | undefined {
    return this.size > 0 ? this.entries[this.entries.length - 1] : undefined;
  }

  /** Adds an entry at the end. It must not be waiting already. While a batch is under way,
   * only the entry whose turn it is may be added. */
  enqueue(entry: Entry): void {
    if (this.isClosed) return;
    this.entries.push(entry);
    // Behind another entry, a batch is scheduled or under way.
    if (this.entries.length === 1) this.options.system.soon(() => this.runBatch());
  }

  private runBatch(): void {
    const { msPerBatch, settle, system, takeTurn, turnsPerBatch } = this.options;
    const atStart = this.entries.length;
    const end = system.now() + msPerBatch;
    for (;;) {
      const entry = this.entries[this.served];
      if (entry === undefined) break; // those added meanwhile have had a turn, too
      this.served += 1;
      takeTurn(entry);
      if (this.served === turnsPerBatch || system.now() > end) break;
    }
    const turns = this.entries.splice(0, this.served);
    this.served = 0;
    if (this.entries.length > 0) system.soon(() => this.runBatch());
    // What was added meanwhile had its turn then, so it is among the first `atStart`, too.
    if (settle !== undefined) turns.slice(0, atStart).forEach(settle);
    this.options.onBatchEnd?.();
  }

  /** Gives no more turns. */
  close(): void {
    this.isClosed = true;
    this.entries.length = this.served;
  }
}
