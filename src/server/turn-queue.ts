/** A queue of entries that take turns, in the order in which they were added. Turns are
 * given in batches, one batch in each round of the event loop, so that the server sees new
 * bytes and clients between two batches. The queue knows nothing of HTTP. */
import type { System } from './system';

/** What waits in a queue. */
interface Entry {
  takeTurn(): void;
  /** Called when a batch ends in which it had a turn. */
  settle(): void;
}

export interface TurnQueueOptions {
  readonly system: System;
  /** A batch ends after this many turns. */
  readonly turnsPerBatch: number;
  /** It also ends once this many milliseconds have passed. */
  readonly msPerBatch: number;
  /** Whether no more turns are given. */
  readonly isClosed?: () => boolean;
  /** Called when a batch has ended. */
  readonly onBatchEnd?: () => void;
}

export class TurnQueue<Member extends Entry> {
  private readonly entries: Member[] = [];
  /** Whether a batch is scheduled or under way. */
  private isBusy = false;

  constructor(private readonly options: TurnQueueOptions) {}

  /** How many entries wait for their turn. */
  get size(): number {
    return this.options.isClosed?.() === true ? 0 : this.entries.length;
  }

  /** The entry behind which a new one would wait, if there is one. */
  get last(): Member | undefined {
    return this.entries.at(-1);
  }

  /** Adds an entry at the end, if turns are given. It must not be waiting already. */
  enqueue(entry: Member): void {
    if (this.options.isClosed?.() === true) return;
    this.entries.push(entry);
    if (!this.isBusy) this.schedule();
  }

  private schedule(): void {
    this.isBusy = true;
    this.options.system.soon(() => this.runBatch());
  }

  private runBatch(): void {
    const { msPerBatch, onBatchEnd, system, turnsPerBatch } = this.options;
    const served = new Set<Member>();
    const end = system.now() + msPerBatch;
    for (let turns = 0; turns < turnsPerBatch && this.size > 0; turns += 1) {
      const entry = this.entries.shift(); // those added meanwhile have a turn, too
      if (entry === undefined) break;
      served.add(entry);
      entry.takeTurn();
      if (system.now() > end) break;
    }
    this.isBusy = false;
    if (this.size > 0) this.schedule();
    for (const entry of served) entry.settle();
    onBatchEnd?.();
  }
}
