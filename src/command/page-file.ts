/** The file that a page is written to. It is opened before the server starts, so that a
 * mistake is told at once, and what was in it stays until there is a page. */
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { Failure, reasonOf } from './arguments';

/** Without O_NONBLOCK, opening a fifo would wait for its reader, and so would writing. */
const EXISTING = fs.constants.O_WRONLY | fs.constants.O_NONBLOCK;
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
      this.isNew = fs.lstatSync(name, { throwIfNoEntry: false }) === undefined;
      this.descriptor = fs.openSync(name, this.isNew ? 'wx' : EXISTING);
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
      const stats = fs.fstatSync(this.descriptor);
      if (stats.isFile()) this.replace(pieces, stats.mode);
      else await this.writeAll(pieces, limit);
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
      if (this.isNew) fs.unlinkSync(this.name);
    } catch {
      // What we opened is not there any more: nothing of ours is left behind.
    }
    this.close();
    return true;
  }

  private close(): void {
    this.isOpen = false;
    fs.closeSync(this.descriptor);
  }

  /** @throws Error if the name leads to another file by now, or nowhere */
  private checkPlace(): void {
    const [opened, there] = [fs.fstatSync(this.descriptor), fs.statSync(this.name)];
    if (opened.ino === there.ino && opened.dev === there.dev) return;
    throw new Error('another file has taken its place');
  }

  /** Writes beside the file first, so that a full disk leaves what was in it. */
  private replace(pieces: Iterable<string>, mode: number): void {
    const place = fs.realpathSync(this.name);
    const beside = `${dirname(place)}/.${process.pid}.part`; // any name has room for that
    const descriptor = fs.openSync(beside, 'wx', mode);
    try {
      for (const piece of pieces) fs.writeFileSync(descriptor, piece);
      fs.renameSync(beside, place);
    } catch (error) {
      fs.unlinkSync(beside);
      throw error;
    } finally {
      fs.closeSync(descriptor);
    }
  }

  /** One write may take less than all. A fifo takes nothing while it is full. */
  private async writeAll(pieces: Iterable<string>, limit: number): Promise<void> {
    const end = process.uptime() + limit / 1000;
    for (const piece of pieces) {
      let bytes = Buffer.from(piece);
      while (bytes.length > 0) {
        try {
          bytes = bytes.subarray(fs.writeSync(this.descriptor, bytes));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
          if (process.uptime() > end) throw new Error('nobody has read it in time');
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        }
      }
    }
  }

  private failure(error: unknown): Failure {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENXIO' ? 'nobody reads this fifo' : reasonOf(error);
    return new Failure(`Cannot write the page ${this.name}: ${reason}`);
  }
}
