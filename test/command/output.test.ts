import { expect } from 'chai';
import { Writable } from 'node:stream';
import { BoundedOutput } from '../../src/command/output';

/** One of which nobody reads anything before read() is called. */
class Unread extends Writable {
  written = '';
  private go: (() => void)[] = [];

  override _write(bytes: Buffer, _: BufferEncoding, done: () => void): void {
    this.go.push(() => {
      this.written += bytes.toString();
      done();
    });
  }

  /** Reads all that is written, and then at once what follows. */
  async read(): Promise<void> {
    while (this.writableLength > 0) {
      this.go.shift()?.();
      await new Promise(setImmediate);
    }
  }
}

describe('an output that nobody reads', () => {
  const MIB = 1_048_576;
  const LINE = `${'x'.repeat(999)}\n`;

  it('holds at most 1 MiB, in whole lines, however many come at once', async () => {
    for (const lines of [[LINE.repeat(9400)], Array<string>(9400).fill(LINE)]) {
      const stream = new Unread();
      const output = new BoundedOutput('this', stream);
      for (const some of lines) output.write(some);
      expect(stream.writableLength).to.equal(LINE.length * Math.floor(MIB / LINE.length));
      expect(output.takeGap()).to.match(/^\.\.\. 8352 lines of this dropped: /);
    }
  });
  it('says where lines are missing, once half of what waited is written', async () => {
    const stream = new Unread();
    const output = new BoundedOutput('this', stream);
    for (let line = 0; line < 1050; line += 1) output.write(LINE);
    output.write('missing\n');
    await stream.read();
    output.write('here\n');
    output.write('next\n');
    await stream.read();
    expect(stream.written.slice(1048 * LINE.length)).to.equal(
      '... 3 lines of this dropped: they could not be written\nhere\nnext\n',
    );
  });
  it('an error of the stream is none of the program', () => {
    const stream = new Unread();
    const output = new BoundedOutput('this', stream);
    stream.destroy(new Error('EPIPE'));
    output.write(LINE);
    expect([stream.writableLength, output.takeGap()]).to.deep.equal([0, '']);
  });
});
