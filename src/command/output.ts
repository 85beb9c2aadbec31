/** Standard output and standard error, which nobody may be reading: what waits to be
 * written is bounded. */
import { count } from '../text/text';

/** The most bytes that may wait. Beyond that, lines are dropped. */
const BACKLOG = 1_048_576;

class BoundedOutput {
  /** How many lines were dropped, since takeDropped() was last called. */
  private dropped = 0;

  constructor(private readonly stream: NodeJS.WriteStream) {}

  /** Writes whole lines, or drops them. Each character is one byte. */
  write(lines: string): void {
    if (this.isFull) {
      this.dropped += lines.split('\n').length - 1;
      return;
    }
    // The lines are copied to bytes, because a queued string would keep alive the whole
    // request that it was cut from.
    this.stream.write(Buffer.from(lines, 'latin1'));
  }

  get isFull(): boolean {
    return this.stream.writableLength > BACKLOG;
  }

  /** How many bytes wait to be written. */
  get waiting(): number {
    return this.stream.writableLength;
  }

  takeDropped(): number {
    const { dropped } = this;
    this.dropped = 0;
    return dropped;
  }

  /** Calls back when everything is written. */
  onFlushed(callback: () => void): void {
    this.stream.write('', () => callback());
  }
}

const standardOutput = new BoundedOutput(process.stdout);
const standardError = new BoundedOutput(process.stderr);

export function log(lines: string): void {
  standardOutput.write(lines);
}

/** Writes lines of the trace to standard error, and says where some are missing. */
export function logTrace(lines: string): void {
  const dropped = standardError.isFull ? 0 : standardError.takeDropped();
  if (dropped > 0) {
    standardError.write(
      `... ${count(dropped, 'line')} dropped: standard error was not read fast enough\n`,
    );
  }
  standardError.write(lines);
}

/** Ends the process once both outputs are flushed, or after `limit` milliseconds, and says
 * what was lost. */
export function exitWhenFlushed(limit: number): void {
  const dropped = standardOutput.takeDropped();
  if (dropped > 0) {
    console.error(
      `${count(dropped, 'line')} of standard output dropped: it was not read fast enough`,
    );
  }
  setTimeout(() => {
    const lost = standardOutput.waiting;
    if (lost > 0) {
      console.error(`The last ${lost} bytes of standard output were not read in time`);
    }
    process.exit();
  }, limit);
  standardOutput.onFlushed(() => standardError.onFlushed(() => process.exit()));
}
