import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Failure } from '../../src/command/arguments';
import { PageFile } from '../../src/command/page-file';
import { Command, inThread, MAIN } from '../support/command';

/** A module for which a second signal comes half a second after the first. */
const LATE_SIGNALS = `
  const { now } = performance;
  let signals = 0;
  process.on('SIGTERM', () => (signals += 1));
  performance.now = () => now.call(performance) + (signals > 1 ? 500 : 0);
`;
/** More than a pipe holds. */
const LARGE = ['<!doctype html>', 'x'.repeat(1_000_000), '</html>'];

describe('the file of a page', () => {
  let folder = '';
  let file = '';
  beforeEach(() => {
    folder = fs.mkdtempSync(join(tmpdir(), 'page-'));
    file = join(folder, 'trace.html');
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  /** @returns a file descriptor that reads a new fifo */
  function openFifo(): number {
    expect(spawnSync('mkfifo', [file]).status).to.equal(0);
    return fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  }

  /** @returns how many bytes of a fifo were there */
  function readSome(reader: number, buffer: Buffer): number {
    try {
      return fs.readSync(reader, buffer);
    } catch (error) {
      expect(error).to.have.property('code', 'EAGAIN');
      return 0;
    }
  }

  async function failureOf(written: Promise<void>): Promise<string> {
    const error: unknown = await written.catch((thrown: unknown) => thrown);
    if (error instanceof Failure) return error.message;
    throw new Error(`no failure, but ${String(error)}`);
  }

  it('a page takes the place of all that the file held, whatever its name', async () => {
    file = join(folder, 'x'.repeat(255));
    fs.writeFileSync(file, 'y'.repeat(2000));
    const page = new PageFile(file);
    expect(fs.readFileSync(file, 'utf8')).to.equal('y'.repeat(2000));
    await page.write(['<p>', '\u00fc', '</p>'], 0);
    expect(fs.readFileSync(file, 'utf8')).to.equal('<p>\u00fc</p>');
    page.discard();
    expect(fs.existsSync(file)).to.equal(true);
  });
  it('a file without a page is left as it was, or not at all', () => {
    new PageFile(file).discard();
    expect(fs.existsSync(file)).to.equal(false);
    fs.writeFileSync(file, 'old');
    new PageFile(file).discard();
    expect(fs.readFileSync(file, 'utf8')).to.equal('old');
  });
  it('half a page is not left behind', async () => {
    const half = function* (): Generator<string> {
      yield 'half';
      throw new Error('no more');
    };
    const message = `Cannot write the page ${file}: no more`;
    expect(await failureOf(new PageFile(file).write(half(), 0))).to.equal(message);
    expect(fs.existsSync(file)).to.equal(false);
    fs.writeFileSync(file, 'old');
    expect(await failureOf(new PageFile(file).write(half(), 0))).to.equal(message);
    expect(fs.readFileSync(file, 'utf8')).to.equal('old');
    expect(fs.readdirSync(folder)).to.deep.equal(['trace.html']);
  });
  it('a page does not go to a file that has no name any more', async () => {
    const page = new PageFile(file);
    fs.renameSync(file, `${file}.old`);
    expect(await failureOf(page.write(['x'], 0))).to.contain('no such file');
    const other = new PageFile(file);
    fs.renameSync(file, `${file}.old`);
    fs.writeFileSync(file, 'another');
    expect(await failureOf(other.write(['x'], 0))).to.contain('another file');
    expect(fs.readFileSync(file, 'utf8')).to.equal('another');
  });
  it('a directory, and a fifo without a reader, are told at once', () => {
    const line = `Cannot write the page ${folder}: illegal operation on a directory`;
    expect(() => new PageFile(folder)).to.throw(Failure, line);
    fs.closeSync(openFifo());
    expect(() => new PageFile(file)).to.throw(Failure, 'nobody reads this fifo');
  });
  if (fs.existsSync('/dev/full')) {
    it('a full disk is told', async () => {
      const written = new PageFile('/dev/full').write(['x'], 0);
      expect(await failureOf(written)).to.match(
        /^Cannot write the page \/dev\/full: no space left on device/,
      );
    });
  }
  it('a fifo gets the whole page, as fast as its reader takes it', async () => {
    const reader = openFifo();
    const written = new PageFile(file).write(LARGE, 60_000);
    const buffer = Buffer.alloc(65_536);
    let [received, isWritten] = ['', false];
    void written.then(() => (isWritten = true));
    for (let isOver = false; !isOver;) {
      const length = readSome(reader, buffer);
      received += buffer.toString('latin1', 0, length);
      isOver = isWritten && length === 0;
      await setTimeout(1); // a pause between two looks, which decides nothing
    }
    fs.closeSync(reader);
    expect(received).to.equal(LARGE.join(''));
  });

  describe('of node dist/main.js --trace-page FILE', function () {
    this.slow(2000);

    it('the end of standard input ends the command though nobody reads the fifo', async () => {
      const reader = openFifo();
      const args = ['--port', '0', '--until-stdin-ends', '--trace-page', file];
      const command = inThread(MAIN, args);
      await command.port;
      command.endInput();
      expect(await command.exit).to.equal(1);
      expect(command.stderr).to.match(
        /^Cannot write the page .*: nobody has read it in time\n$/,
      );
      fs.closeSync(reader);
    });
    it('a later signal ends the command while nobody reads the fifo', async () => {
      const reader = openFifo();
      const command = Command.runWith(LATE_SIGNALS, '--port', '0', '--trace-page', file);
      await command.port;
      command.process.kill('SIGTERM');
      // The command needs the processor, too.
      while (readSome(reader, Buffer.alloc(1)) === 0) await setTimeout(1);
      command.process.kill('SIGTERM');
      expect(await command.exit).to.equal(1);
      expect(command.stderr).to.equal(
        'No page is written: a second signal came before it\n',
      );
      fs.closeSync(reader);
    });
  });
});
