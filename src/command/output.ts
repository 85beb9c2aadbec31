/** Standard output and standard error. It may be that nobody reads them, so writing never
 * waits: no client waits for the reader of the log, and a signal still ends the process.
 * What waits to be written is bounded, and where lines are missing, that is said. */
import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { count } from '../text/text';

/** The most bytes that may wait. Beyond that, lines are dropped until half of them are
 * written. */
const BACKLOG = 1_048_576;
/** How long to wait before writing again, where there was no room. */
const RETRY_MS = 10;
/** A full disk may have room later, but nobody waits for that. */
const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** @returns a stream to a descriptor that tells at once when it has no room */
function writer(descriptor: number): Writable {
  const write = (bytes: Buffer, done: (error?: Error) => void): void => {
    let written = 0;
    let code = '';
    try {
      written = writeSync(descriptor, bytes);
    } catch (error) {
      code = String((error as NodeJS.ErrnoException).code);
      if (code !== 'EAGAIN' && !FULL.has(code)) return done(error as Error);
    }
    if (written === bytes.length) return done();
    const timer = setTimeout(() => write(bytes.subarray(written), done), RETRY_MS);
    if (FULL.has(code)) timer.unref();
  };
  return new Writable({ write: (bytes: Buffer, _, done) => write(bytes, done) });
}

/** Node writes to pipes and sockets without waiting, but waits for a terminal, and gives up
 * a file when the disk was full once. We write to a file by the descriptor that we were
 * given, because its position is shared with others (`>> log 2>&1`), and to a terminal by
 * one of our own: O_NONBLOCK set on theirs would be set for the shell, too.
 *
 * On Linux, /dev/fd opens the terminal once more. Where that is not allowed (the terminal of
 * another user, after su), and on systems where it makes a copy, Node writes, and a
 * terminal that does not read halts the process. */
function open(stream: NodeJS.WriteStream & { readonly fd: 1 | 2 }): Writable {
  const { fd } = stream;
  try {
    if (isatty(fd)) {
      const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
      return writer(openSync(`/dev/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY));
    }
    const stats = fstatSync(fd);
    return stats.isFIFO() || stats.isSocket() ? stream : writer(fd);
  } catch {
    return stream;
  }
}

export class BoundedOutput {
  /** How many lines were dropped, since takeGap() was last called. */
  private dropped = 0;

  /** @param errors where it says that lines are missing */
  constructor(
    private readonly name: string,
    readonly stream: Writable,
    private readonly errors?: BoundedOutput,
  ) {
    // That the reader of our output closes it early (`| head -1`) is no error.
    stream.on('error', () => {});
  }

  /** Writes whole lines, or drops those for which there is no room. */
  write(lines: string): void {
    const { stream } = this;
    if (this.dropped > 0 && stream.writableLength <= BACKLOG / 2)
      (this.errors ?? this).write(this.takeGap());
    // Bytes, because a queued string would keep alive the whole request that it was cut
    // from.
    const bytes = Buffer.from(lines);
    const room = this.dropped > 0 ? 0 : Math.max(0, BACKLOG - stream.writableLength);
    const isWhole = bytes.length <= room;
    const end = isWhole ? bytes.length : bytes.subarray(0, room).lastIndexOf('\n') + 1;
    // A copy, because part of a buffer would keep all of it.
    if (end > 0) stream.write(isWhole ? bytes : Buffer.from(bytes.subarray(0, end)));
    this.dropped += bytes.toString('latin1', end).split('\n').length - 1;
  }

  /** @returns a line that says how many lines are missing here, or '' for none */
  takeGap(): string {
    const { dropped, name } = this;
    this.dropped = 0;
    if (dropped === 0) return '';
    return `... ${count(dropped, 'line')} of ${name} dropped: they could not be written\n`;
  }
}

const errors = new BoundedOutput('standard error', open(process.stderr));
const output = new BoundedOutput('standard output', open(process.stdout), errors);

/** Writes whole lines to standard output. */
export const log = (lines: string): void => output.write(lines);

/** Writes whole lines to standard error. */
export const logError = (lines: string): void => errors.write(lines);

/** Ends the process once both outputs are flushed, or after `limit` milliseconds. */
export function exitWhenFlushed(limit: number): void {
  writeLast(output.takeGap() + errors.takeGap());
  setTimeout(() => process.exit(), limit);
  output.stream.write('', () => errors.stream.write('', () => process.exit()));
}

// Of standard error, the end may be missing without a word, because there is no other place
// to say it.
process.on('exit', () => {
  const { writableLength: waiting } = output.stream;
  const lost = `The last ${count(waiting)} of standard output could not be written\n`;
  writeLast(output.takeGap() + errors.takeGap() + (waiting > 0 ? lost : ''));
});

/** Writes to standard error, whether there is room or not. */
function writeLast(lines: string): void {
  if (lines !== '') errors.stream.write(lines);
}
