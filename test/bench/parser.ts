/** Reading requests without sockets: with this server's reader, with llhttp as Node has it,
 * and with all of node:http. */
import { createServer } from 'node:http';
import { Duplex } from 'node:stream';
import { RequestReader } from '../../dist/http/request-reader';
import { compare, processorTime, type Subject } from './report';

const START = 'GET /tasks HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n';
/** As short as requests are. */
export const REQUEST = `${START}\r\n`;
const FROM_CURL = [
  `${START}User-Agent: curl/8.5.0`,
  'Accept: */*',
  'Accept-Encoding: deflate, gzip, br, zstd',
  'X-Request-Id: 0123456789\r\n\r\n',
].join('\r\n');
const FROM_A_BROWSER = [
  `${START}Connection: keep-alive`,
  'sec-ch-ua: "Chromium";v="124", "Google Chrome";v="124", "Not-A.Brand";v="99"',
  'sec-ch-ua-mobile: ?0',
  'sec-ch-ua-platform: "Linux"',
  'Upgrade-Insecure-Requests: 1',
  'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) ' +
    'Chrome/124.0.0.0 Safari/537.36',
  'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,' +
    'image/apng,*/*;q=0.8,application/signed-exchange;v=b3',
  'Sec-Fetch-Mode: navigate',
  'Accept-Encoding: gzip, deflate, br, zstd',
  'Accept-Language: en-GB,en;q=0.9',
  `Cookie: session=${'0123456789abcdef'.repeat(5)}; a=b\r\n\r\n`,
].join('\r\n');

const ROUNDS = 15;
const REQUESTS = 10_000;

/** The parser of node:http has no public name, and may move. */
interface NodeParser {
  initialize(type: number, resource: object): void;
  execute(bytes: Buffer): number | Error;
  [callback: number]: () => void;
}
interface NodeParsers {
  new (): NodeParser;
  readonly REQUEST: number;
  readonly kOnHeadersComplete: number;
  readonly kOnMessageComplete: number;
}

export async function parser(): Promise<void> {
  for (const { name, request } of [
    { name: 'shortest', request: REQUEST },
    { name: 'curl', request: FROM_CURL },
    { name: 'browser', request: FROM_A_BROWSER },
  ]) {
    const bytes = Buffer.from(request, 'latin1');
    const title = `Only the parser, ${name}, ${bytes.length} bytes`;
    const subjects = [thisReader(bytes), ...llhttp(bytes), nodeHttp(bytes)];
    await compare(title, ROUNDS, subjects, [
      { head: 'ns per request', of: (time) => time },
      {
        head: 'MB/s',
        of: (time) => (bytes.length / time) * 1000,
        ratio: 'this one is faster, times',
      },
    ]);
  }
}

/** @returns nanoseconds of processor time per request */
function timed(read: () => void): number {
  const began = processorTime();
  for (let count = 0; count < REQUESTS; count += 1) read();
  return (processorTime() - began) / REQUESTS;
}

/** As a connection uses it: to where more bytes are needed. */
function thisReader(bytes: Buffer): Subject<number> {
  const reader = new RequestReader();
  const read = (): void => {
    reader.push(bytes);
    const isRead = reader.next().kind === 'request' && reader.next().kind === 'wait';
    if (!isRead) throw new Error('not read');
  };
  return { name: 'this server', measure: () => timed(read) };
}

/** Calls back with the method, the target, and the names and values of the fields as
 * strings: node:http builds its request from these. */
function llhttp(bytes: Buffer): Subject<number>[] {
  let HTTPParser: NodeParsers;
  try {
    ({ HTTPParser } = require('_http_common'));
  } catch {
    return [];
  }
  const parser = new HTTPParser();
  let complete = 0;
  parser.initialize(HTTPParser.REQUEST, {});
  parser[HTTPParser.kOnHeadersComplete] = () => {};
  parser[HTTPParser.kOnMessageComplete] = () => (complete += 1);
  const read = (): void => {
    complete = 0;
    parser.execute(bytes);
    if (complete !== 1) throw new Error('not read');
  };
  return [{ name: 'llhttp', measure: () => timed(read) }];
}

/** Takes a response like a socket, and calls for the next request. */
class Wire extends Duplex {
  onResponse = (): void => {};
  override _read(): void {}
  override _write(_bytes: Buffer, _encoding: string, done: () => void): void {
    done();
    process.nextTick(this.onResponse);
  }
}

/** All of node:http but the sockets, with an empty response to each request. */
function nodeHttp(bytes: Buffer): Subject<number> {
  const wire = new Wire();
  createServer((_, response) => void response.end()).emit('connection', wire);
  const measure = (): Promise<number> =>
    new Promise((resolve) => {
      const began = processorTime();
      let count = 0;
      wire.onResponse = () => {
        if (count === REQUESTS) return resolve((processorTime() - began) / REQUESTS);
        count += 1;
        wire.push(bytes);
      };
      wire.onResponse();
    });
  return { name: 'node:http, with a response', measure };
}
