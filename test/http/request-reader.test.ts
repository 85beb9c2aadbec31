import { expect } from 'chai';
import { READING, RequestReader, type ReadingState } from '../../src/http/request-reader';
import { octets } from '../support/octets';
import { read, readInEveryCut } from '../support/reading';

const GET = String.raw`GET /1 HTTP/1.1\r\nHost: a\r\n\r\n`;
const POST = String.raw`POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc`;
const CHUNKED = String.raw`PUT /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxy\r\n0\r\nT: 1\r\n\r\n`;
const BAD = String.raw`GET /4 HTTP/1.1\r\nHost : a\r\n\r\n`;
const paths = (raw: string): string[] => readInEveryCut(octets(raw)).requests.map(({ path }) => path);

describe('the reading of a connection', () => {
  it('gives pipelined requests one after the other (9112 §9.3.2)', () => expect(paths(GET + POST + CHUNKED + GET)).to.deep.equal(['/1', '/2', '/3', '/1']));
  it('passes over an empty line before each', () => expect(paths(String.raw`\r\n${POST}\r\n${GET}\r\n`)).to.deep.equal(['/2', '/1']));
  it('gives what is good before what is bad, then refuses', () => {
    const { requests, end } = readInEveryCut(octets(GET + BAD + GET));
    expect(requests.map(({ path }) => path)).to.deep.equal(['/1']);
    expect(end).to.include({ status: 400, section: '9112 5.1', offset: 21 });
  });
  it('reads nothing behind what is bad', () => expect(paths(BAD + GET + GET)).to.deep.equal([]));
  it('takes what follows 0 CRLF for trailer fields, never for a request', () => {
    const smuggled = CHUNKED.replace(String.raw`T: 1\r\n\r\n`, GET);
    expect(readInEveryCut(octets(smuggled)).requests).to.deep.equal([]);
  });
  it('takes 20,000 requests in one piece', () => expect(read([Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20_000))]).requests).to.have.lengthOf(20_000));

  describe('9110 §10.1.1 Expect', () => {
    const post = (lines: string, version = 'HTTP/1.1'): string => String.raw`POST / ${version}\r\nHost: a\r\n${lines}\r\n\r\n`;
    const kinds = (...pieces: string[]): string[] => {
      const reader = new RequestReader();
      return pieces.map((piece) => {
        reader.push(octets(piece));
        return reader.next().kind;
      });
    };
    it('100-continue: asks for the content, once', () => {
      expect(kinds(post(String.raw`Expect: 100-continue\r\nContent-Length: 3`), 'a', 'bc')).to.deep.equal(['continue', 'needMore', 'request']);
      expect(kinds(post(String.raw`Expect: 100-CONTINUE, ,\r\nTransfer-Encoding: chunked`), String.raw`0\r\n\r\n`)).to.deep.equal(['continue', 'request']);
    });
    it('does not ask where content is here already', () => {
      expect(kinds(String.raw`${post(String.raw`Expect: 100-continue\r\nContent-Length: 3`)}a`, 'bc')).to.deep.equal(['needMore', 'request']);
    });
    it('does not ask without content', () => {
      expect(kinds(post('Expect: 100-continue'))).to.deep.equal(['request']);
      expect(kinds(post(String.raw`Expect: 100-continue\r\nContent-Length: 0`))).to.deep.equal(['request']);
    });
    it('does not ask for an empty list', () => expect(kinds(post(String.raw`Expect: ,\r\nContent-Length: 1`), 'x')).to.deep.equal(['needMore', 'request']));
    it('does not ask in HTTP/1.0', () => expect(kinds(post(String.raw`Expect: 100-continue\r\nContent-Length: 1`, 'HTTP/1.0'), 'x')).to.deep.equal(['needMore', 'request']));
    it('refuses more than 1 MiB instead of asking for it', () => {
      expect(read([octets(post(String.raw`Expect: 100-continue\r\nContent-Length: 1048577`))]).end).to.include({ status: 413, section: '9110 15.5.14' });
    });
    for (const value of ['x', '100-continue, x', '100-continue;a=b', '"100-continue"', '200-ok']) {
      it(`417 for ${value}`, () => expect(readInEveryCut(octets(post(`Expect: ${value}`))).end).to.include({ status: 417, section: '9110 10.1.1' }));
    }
    it('takes an empty list for none', () => expect(readInEveryCut(octets(post('Expect: , ,'))).requests).to.have.lengthOf(1));
  });

  describe('9112 §8 a client that closes its side', () => {
    it('after whole requests has sent all there is', () => {
      const { requests, end } = readInEveryCut(octets(GET + POST), true);
      expect(requests).to.have.lengthOf(2);
      expect(end).to.equal('finished');
    });
    for (const nothing of ['', String.raw`\r\n`, String.raw`\r`, String.raw`${GET}\r\n`]) {
      it(`with nothing but "${nothing}" has left nothing open`, () => expect(readInEveryCut(octets(nothing), true).end).to.equal('finished'));
    }
    for (const [part, missing] of [
      ['GE', 'the SP after the method'],
      [String.raw`\r\nG`, 'the SP after the method'],
      ['GET /', 'the SP after the request-target'],
      ['GET / HTTP/1.1', 'the CRLF after the HTTP-version'],
      [String.raw`GET / HTTP/1.1\r\n`, 'the empty line after the field lines'],
      [String.raw`GET / HTTP/1.1\r\nHo`, 'the empty line after the field lines'],
      [POST.slice(0, -1), '1 octets of the content'],
      [CHUNKED.slice(0, CHUNKED.indexOf('xy')), '2 octets of the data of chunk 1'],
      [CHUNKED.slice(0, CHUNKED.indexOf('xy') + 2), 'the CRLF after the data of the chunk'],
      [CHUNKED.slice(0, CHUNKED.indexOf('xy') + 7), 'the end of the chunk line'],
      [CHUNKED.slice(0, -4), 'the empty line after the last chunk'],
      [GET + 'GET', 'the SP after the method'],
    ] as const) {
      it(`in mid-request is told what is missing: ${missing}`, () => {
        const { end } = readInEveryCut(octets(part), true);
        if (typeof end === 'string') throw new Error(`not refused: ${end}`);
        expect(end).to.include({ status: 400, section: '9112 8' });
        expect(end.text).to.contain(missing);
      });
    }
  });

  describe('9112 §9.3 persistence', () => {
    const request = (version: string, lines = '', start = 'GET /'): string => String.raw`${start} ${version}\r\nHost: a\r\n${lines}\r\n`;
    for (const [raw, says] of [
      [request('HTTP/1.1'), undefined],
      [request('HTTP/1.1', String.raw`Connection: keep-alive\r\n`), undefined],
      [request('HTTP/1.1', String.raw`Connection: close\r\n`), 'close'],
      [request('HTTP/1.1', String.raw`Connection: Upgrade,\tCLOSE ,\r\n`), 'close'],
      [request('HTTP/1.1', String.raw`Connection: keep-alive\r\nConnection: close\r\n`), 'close'],
      [request('HTTP/1.1', String.raw`Connection: x-close, closed\r\n`), undefined],
      [request('HTTP/1.0'), 'close'],
      [request('HTTP/1.0', String.raw`Connection: keep-alive\r\n`), 'keep-alive'],
      [request('HTTP/1.0', String.raw`Connection: a, Keep-Alive\r\n`), 'keep-alive'],
      [request('HTTP/1.0', String.raw`Connection: keep-alive, close\r\n`), 'close'],
      [request('HTTP/1.2', ''), undefined],
      [request('HTTP/1.1', '', 'CONNECT a:1'), 'close'],
    ] as const) {
      it(`${raw} -> ${says ?? 'nothing to say'}`, () => expect(readInEveryCut(octets(raw)).requests[0]?.says).to.equal(says));
    }
  });

  it('has a machine in which every state is reached, and an end from every state', () => {
    const seen = new Set<ReadingState>(['emptyLine']);
    for (const state of seen) for (const to of READING[state]) seen.add(to);
    expect([...seen]).to.have.members(Object.keys(READING));
  });
});
