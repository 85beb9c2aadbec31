/** How the time of reading grows with the length of what is read: it should not grow
 * faster. */
import { RequestReader } from '../../dist/http/request-reader';
import { compare, number, processorTime } from './report';

const ROUNDS = 7;
/** How many bytes are read for a figure, so that small messages take as long as large
 * ones. */
const BYTES = 1_048_576;
const KIB = 1024;
/** A byte, or a request, takes so many times the time that it takes in the first row. */
export const LINEAR = 'times the first (linear: 1)';
const START = 'POST /tasks HTTP/1.1\r\nHost: a\r\n';
const CHUNKED = `${START}Transfer-Encoding: chunked\r\n\r\n`;

interface Series {
  readonly name: string;
  readonly sizes: readonly number[];
  readonly message: (size: number) => string;
  /** How many bytes arrive at once. */
  readonly piece: number;
}

const SERIES: readonly Series[] = [
  {
    name: 'bytes of a head, arriving one by one',
    sizes: [2 * KIB, 4 * KIB, 8 * KIB, 16 * KIB],
    message: (size) => `${`${START}A: `.padEnd(size - 4, 'a')}\r\n\r\n`,
    piece: 1,
  },
  {
    name: 'field lines',
    sizes: [12, 25, 50, 100],
    message: (size) => `${START}${'A-Field-Name: and its value\r\n'.repeat(size - 1)}\r\n`,
    piece: 16 * KIB,
  },
  {
    name: 'bytes of content, each in a chunk',
    sizes: [64 * KIB, 256 * KIB, 1024 * KIB],
    message: (size) => `${CHUNKED}${'1\r\na\r\n'.repeat(size)}0\r\n\r\n`,
    piece: 64 * KIB,
  },
];

export async function growthOfReading(): Promise<void> {
  for (const { name, sizes, message, piece } of SERIES) {
    const subjects = sizes.map((size) => {
      const bytes = Buffer.from(message(size), 'latin1');
      const pieces = cut(bytes, piece);
      return { name: number(size), measure: () => timePerByte(pieces, bytes.length) };
    });
    await compare(`Growth: ${name}`, ROUNDS, subjects, [
      { head: 'ns per byte', of: (time) => time, digits: 1 },
      { head: 'MB/s', of: (time) => 1000 / time, ratio: LINEAR },
    ]);
  }
}

function cut(bytes: Buffer, piece: number): Buffer[] {
  const count = Math.ceil(bytes.length / piece);
  return Array.from({ length: count }, (_, at) =>
    bytes.subarray(at * piece, (at + 1) * piece),
  );
}

function timePerByte(pieces: readonly Buffer[], length: number): number {
  const times = Math.ceil(BYTES / length);
  const reader = new RequestReader();
  const began = processorTime();
  for (let count = 0; count < times; count += 1) {
    let { kind } = reader.next();
    for (const piece of pieces) {
      reader.push(piece);
      do ({ kind } = reader.next());
      while (kind === 'pause'); // many chunks at once
    }
    if (kind !== 'request') throw new Error(`not read: ${kind}`);
  }
  return (processorTime() - began) / (times * length);
}
