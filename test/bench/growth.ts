/** How the time of reading grows: with the length of what is read, and no faster. */
import { RequestReader } from '../../dist/http/request-reader';
import { compare, number, processorTime } from './report';

const ROUNDS = 7;
/** Octets that a figure is taken of, so that small messages take as long as large ones. */
const OCTETS = 1_048_576;
const KIB = 1024;
/** What a table of growth compares: how many times an octet, or a request, takes the time that it takes in the first row. */
export const LINEAR = 'times the first (linear: 1)';
const START = 'POST /tasks HTTP/1.1\r\nHost: a\r\n';

interface Series {
  readonly name: string;
  readonly sizes: readonly number[];
  readonly message: (size: number) => string;
  /** Octets that come at once. */
  readonly piece: number;
}

const SERIES: readonly Series[] = [
  { name: 'octets of a head, coming one by one', sizes: [2 * KIB, 4 * KIB, 8 * KIB, 16 * KIB], message: (size) => `${`${START}A: `.padEnd(size - 4, 'a')}\r\n\r\n`, piece: 1 },
  { name: 'field lines', sizes: [12, 25, 50, 100], message: (size) => `${START}${'A-Field-Name: and its value\r\n'.repeat(size - 1)}\r\n`, piece: 16 * KIB },
  { name: 'octets of content, each a chunk', sizes: [64 * KIB, 256 * KIB, 1024 * KIB], message: (size) => `${START}Transfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(size)}0\r\n\r\n`, piece: 64 * KIB },
];

export async function growthOfReading(): Promise<void> {
  for (const { name, sizes, message, piece } of SERIES) {
    const subjects = sizes.map((size) => {
      const octets = Buffer.from(message(size), 'latin1');
      const pieces = Array.from({ length: Math.ceil(octets.length / piece) }, (_, at) => octets.subarray(at * piece, (at + 1) * piece));
      return { name: number(size), measure: () => timePerOctet(pieces, octets.length) };
    });
    await compare(`Growth: ${name}`, ROUNDS, subjects, [
      { head: 'ns an octet', of: (time) => time, digits: 1 },
      { head: 'MB/s', of: (time) => 1000 / time, ratio: LINEAR },
    ]);
  }
}

function timePerOctet(pieces: readonly Buffer[], length: number): number {
  const times = Math.ceil(OCTETS / length);
  const reader = new RequestReader();
  const began = processorTime();
  for (let count = 0; count < times; count += 1) {
    let { kind } = reader.next();
    for (const piece of pieces) {
      reader.push(piece);
      ({ kind } = reader.next());
    }
    if (kind !== 'request') throw new Error(`not read: ${kind}`);
  }
  return (processorTime() - began) / (times * length);
}
