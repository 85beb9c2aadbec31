/** The scripts of the lab, played without a shell. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { ServerOptions } from '../../src/index';
import { bytes } from '../support/bytes';
import { LabServer, runNode } from './laboratory';

/** What a script brought about. */
export interface Outcome {
  /** What it prints, with LF for each CRLF. */
  readonly answer: string;
  readonly trace: string;
  readonly log: string;
  /** How many requests were handled. */
  readonly turns: number;
  /** What the proxy prints. */
  readonly proxy: string;
}

const NOTHING_SAID = { trace: '', log: '', turns: 0, proxy: '' } as const;

/** One `... | nc localhost 8080 | ...`. */
export interface Pipeline {
  readonly pieces: readonly Buffer[];
  readonly halfCloses: boolean;
  /** When it reads: at once, when the server has said the last word, or never. */
  readonly reading: 'at once' | 'late' | 'never';
  /** What it counts, instead of printing it: grep -c. */
  readonly counted: string | undefined;
}

const PIPELINE =
  /^((?:printf|\().*)\| nc( -N)? localhost \d+(?: \| ([^&\n]*)|; echo)?(?: &)?$/gm;
const PRINTF = /printf '(?<format>[^']*)'(?: \$\(seq (?<times>\d+)\))?/;
const HEAD = /head -c (?<size>\d+) \/dev\/zero(?: \| tr '\\0' (?<fill>\w))?/;
const PIECE = new RegExp(`${PRINTF.source}|${HEAD.source}`, 'g');

/** What a client writes at once, of what `head` makes. */
const PIECE_SIZE = 65_536;

/** Plays a script against the server of a folder. No shell runs, and nobody sleeps. */
export async function play(script: string, folder: string): Promise<Outcome> {
  const program = /^node -e '([^']*)'( &)?$/m.exec(script);
  if (program !== null && program[2] === undefined) {
    return { answer: await runNode(folder, '-e', program[1] ?? ''), ...NOTHING_SAID };
  }
  const pipelines = readPipelines(script);
  if (pipelines.length === 0) throw new Error(`cannot be played:\n${script}`);
  const server = new LabServer(folder);
  await server.start(program === null ? {} : optionsOf(program[1] ?? '', folder));
  const clients: Socket[] = [];
  try {
    while (clients.length < pipelines.length) {
      const client = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
      clients.push(client);
      await Promise.all([once(client, 'connect'), server.heard('open', clients.length)]);
    }
    const requests = pipelines.flatMap(({ pieces }) => pieces).reduce(countRequests, 0);
    const answers = pipelines.map((pipeline, at) =>
      converse(pipeline, clients[at], server, requests),
    );
    const answer = (await Promise.all(answers)).join('');
    await server.heard('gone', clients.length);
    const trace = server.trace();
    return { ...NOTHING_SAID, answer, trace, log: server.log, turns: server.count('turn') };
  } finally {
    for (const client of clients) client.destroy();
    await server.stop();
  }
}

export function readPipelines(script: string): Pipeline[] {
  const joined = script
    .replace(/'\\\n'/g, '')
    .replace(/ *\\\n */g, ' ')
    .replace(/\n +/g, '; ');
  return Array.from(
    joined.matchAll(PIPELINE),
    ([, source = '', halfCloses, sink = '']) => ({
      pieces: Array.from(source.matchAll(PIECE)).flatMap(({ groups = {} }) => {
        const { format, times = '1', size, fill } = groups;
        return format === undefined
          ? filled(Number(size), fill)
          : [printf(format, Number(times))];
      }),
      halfCloses: halfCloses !== undefined,
      reading: /^\(sleep/.test(sink) ? 'late' : /^sleep/.test(sink) ? 'never' : 'at once',
      counted: /grep -c '?([^')]*)/.exec(sink)?.[1],
    }),
  );
}

function printf(format: string, times: number): Buffer {
  return bytes(format.replace('%.0s', '').replaceAll('%%', '%').repeat(times));
}

function filled(size: number, fill = '\0'): Buffer[] {
  const piece = Buffer.alloc(PIECE_SIZE, fill);
  const pieces = Array.from({ length: Math.floor(size / PIECE_SIZE) }, () => piece);
  return [...pieces, piece.subarray(0, size % PIECE_SIZE)];
}

/** Those that end with an empty line. */
function countRequests(sum: number, piece: Buffer): number {
  return sum + piece.toString('latin1').split('\r\n\r\n').length - 1;
}

/** Sends everything, in one turn of the event loop, and takes what is answered. */
async function converse(
  { pieces, halfCloses, reading, counted }: Pipeline,
  client: Socket | undefined,
  server: LabServer,
  requests: number,
): Promise<string> {
  if (client === undefined) return '';
  let received = '';
  const ended = new Promise((resolve) => client.on('end', resolve).on('close', resolve));
  // A reset is what some of the experiments are about.
  client.on('error', () => {});
  const read = (): void => {
    client.on('data', (data) => (received += data.toString('latin1')));
  };
  if (reading === 'at once') read();
  for (const piece of pieces) client.write(piece);
  if (halfCloses) client.end();
  if (reading === 'never') {
    await Promise.race([server.heardAny('block'), server.idle(requests)]);
    client.destroy();
    return '';
  }
  if (reading === 'late') {
    await server.heardAny('linger', 'block', 'gone');
    read();
  }
  // To a client that half-closes, the server sends its responses and closes, too.
  await (halfCloses ? ended : Promise.race([ended, server.idle(requests)]));
  client.end();
  const text = received.replaceAll('\r\n', '\n');
  return counted === undefined ? text.trimEnd() : String(text.split(counted).length - 1);
}

/** Runs a program that starts a server, up to there. @returns the options that it gives */
function optionsOf(text: string, folder: string): ServerOptions {
  let given: ServerOptions | undefined;
  const startServer = (options: ServerOptions): void => void (given = options);
  const load = (name: string): unknown => ({
    ...(require(join(folder, name)) as typeof import('../../src/index')),
    startServer,
  });
  new Function('require', text)(load);
  if (given === undefined) throw new Error(`starts no server:\n${text}`);
  return given;
}
