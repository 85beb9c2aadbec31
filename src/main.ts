#!/usr/bin/env node
/**
 * The command: argv, standard output, signals, exit code. Standard output carries what the contract lists and nothing else; whatever else
 * there is to say goes to standard error.
 */
import type { Service } from './http/message';
import { readOptions, USAGE, UsageError, type Options } from './options';
import { start } from './server/server';
import { inColour, Story } from './server/story';
import type { TraceEvent } from './server/trace';
import { dispatch, endpoints } from './tasks/dispatcher';
import { NAME, VERSION } from './tasks/tasks';

/** Octets that may wait for a reader of an output that has stopped reading. What comes beyond is lost: lines, rather than memory. */
const BACKLOG = 1_048_576;
/** How long a last line may take to leave. */
const LAST_WORD_MS = 50;

async function main(): Promise<void> {
  // Whoever closes an output early (`| head -1`) does not want more of it, and the server goes on.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
  try {
    const options = readOptions(process.argv.slice(2));
    if (options === 'help') print(USAGE);
    else if (options === 'version') print(`${VERSION}\n`);
    else await serve(options);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    complain(2, `${error.message} (see --help)`);
  }
}

/** Starts, announces it, and ends the process when the server has stopped. */
async function serve({ trace: traced, ...settings }: Options): Promise<void> {
  const { host, port } = settings;
  print(`${NAME} ${VERSION}\n${endpoints().map((endpoint) => `  ${endpoint}\n`).join('')}`);
  const story = traced ? new Story(inColour(process.env, process.stderr.isTTY)) : undefined;
  const trace = story && ((event: TraceEvent) => write(process.stderr, story.lines(event)));
  const server = await start({ ...settings, service, log: print, trace }).catch((error: unknown) => complain(1, whyNot(error, port)));
  if (server === undefined) return;

  let signals = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      signals += 1;
      if (signals > 1) process.exit(0);
      void server.stop();
    });
  }
  const name = host === undefined ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  // Signals are heard by now, for who reads this line may send one at once.
  print(`Listening on port ${server.port}: http://${name}:${server.port}\n`);
  await server.stopped;
  process.stdout.write('', () => process.exit(0));
  setTimeout(() => process.exit(0), LAST_WORD_MS);
}

const service: Service = ({ method, path }, explain) => dispatch(method, path, explain);

function print(text: string): void {
  write(process.stdout, text);
}

function write(output: NodeJS.WriteStream, text: string): void {
  // Octets, for a text that waits would keep what it was cut from: the whole request, and more.
  if (output.writableLength < BACKLOG) output.write(Buffer.from(text, 'latin1'));
}

function complain(code: number, sentence: string): void {
  process.exitCode = code;
  process.stderr.write(`${sentence}\n`);
}

/** What keeps the server from listening, and what to do about it, in one line. */
function whyNot(error: unknown, port: number): string {
  if (!(error instanceof Error)) return String(error);
  switch ('code' in error && error.code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use: stop the program that listens on it, or choose another one with --port (0 lets the system choose)`;
    case 'EACCES':
      return `No permission to listen on port ${port}: choose one above 1023 with --port`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'No interface of this machine has this address: choose another one with --host, or leave it out';
    default:
      return error.message;
  }
}

void main();
