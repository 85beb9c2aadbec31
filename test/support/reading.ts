/** Feeds the reader, in every cut, and says what came out. */
import { expect } from 'chai';
import { Failure } from '../../src/http/failure';
import type { Request } from '../../src/http/message';
import { RequestReader } from '../../src/http/request-reader';
import { cuts, octets } from './octets';

/** What a reader made of a stream of octets: its requests, then how it ended. */
export interface Outcome {
  readonly requests: readonly (Request & { readonly says: string | undefined })[];
  readonly end: 'needMore' | 'finished' | Failure;
}

/** @param ended whether the client closes its side behind the pieces */
export function read(pieces: readonly Buffer[], ended = false): Outcome {
  const reader = new RequestReader();
  const requests: (Request & { readonly says: string | undefined })[] = [];
  const drain = (): 'needMore' | 'finished' | Failure => {
    for (;;) {
      const reading = reader.next();
      if (reading.kind === 'request') requests.push({ ...reading.request, says: reading.persistence.says });
      else if (reading.kind === 'refused') return reading.failure;
      else if (reading.kind !== 'continue') return reading.kind;
    }
  };
  for (const piece of pieces) {
    reader.push(piece);
    const end = drain();
    if (end instanceof Failure) return { requests, end };
  }
  if (ended) reader.end();
  return { requests, end: drain() };
}

/** Reads octets in every cut, and expects one outcome of all. */
export function readInEveryCut(whole: Buffer, ended = false): Outcome {
  const outcome = read([whole], ended);
  for (const pieces of cuts(whole)) {
    expect(read(pieces, ended), `cut into ${pieces.map((piece) => piece.length).slice(0, 3).join(' + ')}`).to.deep.equal(outcome);
  }
  return outcome;
}

const BEHIND = octets(String.raw`GET /behind HTTP/1.1\r\nHost: b\r\n\r\n`);

/** Reads a whole request, alone and with another one behind it, in every cut. */
export function accept(raw: string): Outcome['requests'][number] {
  const whole = octets(raw);
  const alone = readInEveryCut(whole);
  expect(alone.end, 'how it ended').to.equal('needMore');
  expect(alone.requests, 'requests').to.have.lengthOf(1);
  const followed = readInEveryCut(Buffer.concat([whole, BEHIND]));
  expect(followed.requests.map(({ path }) => path), 'with a request behind').to.deep.equal([alone.requests[0]?.path, '/behind']);
  const [request] = alone.requests;
  if (request === undefined) throw new Error('unreachable');
  return request;
}

/** Reads what is no well-formed request, alone and with another one behind it, in every cut. */
export function refuse(raw: string | Buffer): Failure {
  const whole = typeof raw === 'string' ? octets(raw) : raw;
  const { requests, end } = readInEveryCut(whole);
  expect(requests, 'requests').to.deep.equal([]);
  if (!(end instanceof Failure)) throw new Error(`not refused: ${end}`);
  expect(readInEveryCut(Buffer.concat([whole, BEHIND])), 'with a request behind').to.deep.equal({ requests, end });
  return end;
}

/** A row of a table of refusals: what it shows, the octets, the status, the section, and the offset of the first wrong octet. */
export type Refusal = readonly [why: string, raw: string, status: number, section: string, offset: number];

export function refusals(rows: readonly Refusal[]): void {
  for (const [why, raw, status, section, offset] of rows) {
    it(`${status} at byte ${offset}: ${why}`, () => {
      const failure = refuse(raw);
      expect({ status: failure.status, section: failure.section, offset: failure.offset }, failure.text).to.deep.equal({ status, section, offset });
    });
  }
}
