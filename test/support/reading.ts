/** Feeds a reader, in every cut, and collects what it reads. */
import { expect } from 'chai';
import { isDeepStrictEqual } from 'node:util';
import type { Request } from '../../src/http/message';
import { ProtocolError } from '../../src/http/protocol-error';
import { RequestReader } from '../../src/http/request-reader';
import { bytes, cuts, raw } from './bytes';

type ReaderOptions = NonNullable<ConstructorParameters<typeof RequestReader>[0]>;

/** A request that was read, and what its connection will say in the response. */
export type ReadRequest = Request & { readonly connectionOption: string | undefined };

/** What a reader made of a stream of bytes: its requests, then how it ended. */
export interface Result {
  readonly requests: readonly ReadRequest[];
  readonly end: 'wait' | 'finished' | ProtocolError;
}

/** @param ended whether the client closes its sending side after the pieces */
export function read(
  pieces: readonly Buffer[],
  ended = false,
  options?: ReaderOptions,
): Result {
  const reader = new RequestReader(options);
  const requests: ReadRequest[] = [];
  let end = drain(reader, requests);
  for (const piece of pieces) {
    reader.push(piece);
    end = drain(reader, requests);
    if (end instanceof ProtocolError) return { requests, end };
  }
  if (ended) {
    reader.end();
    end = drain(reader, requests);
  }
  return { requests, end };
}

function drain(reader: RequestReader, requests: ReadRequest[]): Result['end'] {
  for (;;) {
    const outcome = reader.next();
    switch (outcome.kind) {
      case 'request': {
        const { method, path, query, headers, body } = outcome.request;
        const { connectionOption } = outcome.persistence;
        requests.push({ method, path, query, headers, body, connectionOption });
        break;
      }
      case 'continue':
      case 'pause':
        break;
      case 'rejected':
        return outcome.error;
      default:
        return outcome.kind;
    }
  }
}

/** Fails with the difference; comparing is fast where there is none. */
export function expectSame(found: Result, expected: Result, how: string): void {
  if (!isDeepStrictEqual(found, expected)) expect(found, how).to.deep.equal(expected);
}

/** Reads bytes in every cut, and expects the same result each time. */
export function readInEveryCut(whole: Buffer, ended = false, step = 1): Result {
  const result = read([whole], ended);
  for (const pieces of cuts(whole, step)) {
    const lengths = pieces.slice(0, 3).map(({ length }) => length);
    expectSame(read(pieces, ended), result, `cut into ${lengths.join(' + ')}`);
  }
  return result;
}

const NEXT = bytes(raw`GET /next HTTP/1.1\r\nHost: b\r\n\r\n`);

/** With another request after it, a third of the cuts: it is the same bytes, and more. */
const followed = (whole: Buffer): Result =>
  readInEveryCut(Buffer.concat([whole, NEXT]), false, 3);

/** Reads one whole request in every cut: by itself, and with another request after it. */
export function accept(message: string): ReadRequest {
  const whole = bytes(message);
  const { requests, end } = readInEveryCut(whole);
  const [request] = requests;
  if (end instanceof ProtocolError)
    throw new Error(`rejected: ${end.status} ${end.message}`);
  if (request === undefined) throw new Error('not read to its end');
  expect({ requests, end }).to.deep.equal({ requests: [request], end: 'wait' });
  expect(pathsOf(followed(whole)), 'with a request after it').to.deep.equal([
    request.path,
    '/next',
  ]);
  return request;
}

/** Reads a malformed request in every cut: by itself, and with another request after it. */
export function reject(message: string | Buffer): ProtocolError {
  const whole = typeof message === 'string' ? bytes(message) : message;
  const result = readInEveryCut(whole);
  const { requests, end } = result;
  expect(requests, 'requests').to.deep.equal([]);
  if (!(end instanceof ProtocolError)) throw new Error(`not rejected: ${end}`);
  expectSame(followed(whole), result, 'with a request after it');
  return end;
}

export function pathsOf({ requests }: Result): string[] {
  return requests.map(({ path }) => path);
}

/** @returns how many bytes had been received, one at a time, when each request was
 * complete */
export function requestEnds(whole: Buffer): number[] {
  const reader = new RequestReader();
  const found: number[] = [];
  for (let at = 0; at < whole.length; at += 1) {
    reader.push(whole.subarray(at, at + 1));
    for (let { kind } = reader.next(); kind !== 'wait'; { kind } = reader.next()) {
      if (kind === 'request') found.push(at + 1);
      if (kind === 'rejected') return found;
    }
  }
  return found;
}
