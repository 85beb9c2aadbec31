/** The file that a page is written to. It is opened before the server starts, so that a
 * mistake is told at once, and what was in it stays until there is a page. */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { Failure, reasonOf } from './arguments';

/** Without O_NONBLOCK, opening a fifo would wait for its reader, and so would writing. */
const EXISTING = constants.O_WRONLY | constants.O_NONBLOCK;
const NEW = EXISTING | constants.O_CREAT | constants.O_EXCL;
/** How long to wait before writing again, where a reader has not read enough. */
const RETRY_MS = 10;

export class PageFile {
  private readonly descriptor: number;
  /** Whether there was no such file. */
  private readonly isNew: boolean;
  private isOpen = true;

  /** @throws Failure if nothing can be written to the file */
  constructor(private readonly name: string) {
    try {
      [this.descriptor, this.isNew] = open(name);
    } catch (error) {
      throw this.failure(error);
    }
  }

  /** Writes the page to its end, and closes the file.
   * @param limit the milliseconds that a reader has for it, if the file is a fifo
   * @throws Failure; half a page is not left behind */
  async write(pieces: Iterable<string>, limit: number): Promise<void> {
    try {
      this.checkPlace();
      const { mode } = fstatSync(this.descriptor);
      if (this.isRegular) this.replace(pieces, mode);
      else {
        const end = process.uptime() + limit / 1000;
        for (const piece of pieces) await this.writeAll(Buffer.from(piece), end);
      }
      this.close();
    } catch (error) {
      this.discard();
      throw this.failure(error);
    }
  }

  /** Closes the file, if it is open, without a page.
   * @returns whether it was open */
  discard(): boolean {
    if (!this.isOpen) return false;
    try {
      this.checkPlace();
      if (this.isNew) unlinkSync(this.name);
    } catch {
      // What we opened is not there any more: nothing of ours is left behind.
    }
    this.close();
    return true;
  }

  private close(): void {
    this.isOpen = false;
    closeSync(this.descriptor);
  }

  /** @throws Error if the name leads to another file by now, or nowhere */
  private checkPlace(): void {
    const [opened, there] = [fstatSync(this.descriptor), statSync(this.name)];
    if (opened.ino === there.ino && opened.dev === there.dev) return;
    throw new Error('another file has taken its place');
  }

  /** Writes beside the file first, so that a full disk leaves what was in it. */
  private replace(pieces: Iterable<string>, mode: number): void {
    const place = realpathSync(this.name);
    const beside = `${place}.${process.pid}.part`;
    const descriptor = openSync(beside, NEW, mode);
    try {
      for (const piece of pieces) writeFileSync(descriptor, piece);
      renameSync(beside, place);
    } catch (error) {
      unlinkSync(beside);
      throw error;
    } finally {
      closeSync(descriptor);
    }
  }

  private get isRegular(): boolean {
    return fstatSync(this.descriptor).isFile();
  }

  /** One write may take less than all. A fifo takes nothing while it is full. */
  private async writeAll(bytes: Buffer, end: number): Promise<void> {
    let written = 0;
    while (written < bytes.length) {
      try {
        written += writeSync(this.descriptor, bytes, written);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
        if (process.uptime() > end) throw new Error('nobody has read it in time');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  private failure(error: unknown): Failure {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENXIO' ? 'nobody reads this fifo' : reasonOf(error);
    return new Failure(`Cannot write the page ${this.name}: ${reason}`);
  }
}

/** @returns a file descriptor, and whether the file is new */
function open(name: string): [number, boolean] {
  try {
    return [openSync(name, NEW), true];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return [openSync(name, EXISTING), false];
  }
}
