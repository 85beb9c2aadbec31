import { expect } from 'chai';
import { readResponses } from '../../../src/study/probe/responses';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const statuses = (text: string, isHead = false, hasEnded = false): number[] =>
  readResponses(text, isHead, hasEnded).responses.map(({ status }) => status);

describe('the responses of a probed server', () => {
  for (const [how, text, expected] of [
    ['by Content-Length', `${OK}${OK}`, [200, 200]],
    [
      'by chunks, with extensions and trailers',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nok\r\n0\r\nA: b\r\n\r\n${OK}`,
      [200, 200],
    ],
    [
      'by lines that end with LF',
      `HTTP/1.1 404 x\nContent-Length: 2\n\nok${OK}`,
      [404, 200],
    ],
    [
      'by statuses without content',
      `HTTP/1.1 304 x\r\nContent-Length: 2\r\n\r\n${OK}`,
      [304, 200],
    ],
    ['not as final, if they are interim', `HTTP/1.1 100 Continue\r\n\r\n${OK}`, [200]],
  ] as const) {
    it(`responses are told apart ${how}`, () =>
      expect(statuses(text)).to.deep.equal(expected));
  }

  it('a response counts only when it is complete', () => {
    const chunked =
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n';
    for (const whole of [OK, chunked]) {
      for (let length = 0; length < whole.length; length += 1) {
        const { responses, garbage } = readResponses(whole.slice(0, length), false, false);
        expect({ responses, garbage }).to.deep.equal({ responses: [], garbage: undefined });
      }
      expect(statuses(whole)).to.deep.equal([200]);
    }
  });

  it('a response without a length ends with the connection', () => {
    const text = 'HTTP/1.1 200 OK\r\n\r\nok';
    expect(statuses(text)).to.deep.equal([]);
    const { responses } = readResponses(text, false, true);
    expect(responses.map(({ status, persists }) => [status, persists])).to.deep.equal([
      [200, false],
    ]);
  });

  it('the response to HEAD has no content', () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n';
    expect(statuses(head + OK, true)).to.deep.equal([200, 200]);
  });

  for (const [closes, start, field] of [
    [false, 'HTTP/1.1', ''],
    [true, 'HTTP/1.1', 'connection: Close\r\n'],
    [true, 'HTTP/1.0', ''],
    [false, 'HTTP/1.0', 'Connection: Keep-Alive\r\n'],
  ] as const) {
    it(`${start} with "${field.trimEnd()}" ${closes ? 'closes' : 'persists'}`, () => {
      const text = `${start} 200 OK\r\n${field}Content-Length: 0\r\n\r\n`;
      expect(readResponses(text, false, false).responses).to.have.nested.property(
        '0.persists',
        !closes,
      );
    });
  }

  for (const garbage of [
    '\x15\x03\x03',
    'hello',
    'HTTP/2 200\r\n\r\n',
    'HTTP/1.1 2000 x\r\n\r\n',
  ]) {
    it(`${JSON.stringify(garbage)} is not a status line`, () => {
      const received = readResponses(OK + garbage, false, true);
      expect(received.responses).to.have.lengthOf(1);
      expect(received.garbage).to.equal(garbage);
    });
  }

  it('what ends within its first line is no response, and may go on until then', () => {
    const text = 'HTTP/1.1 200 O';
    expect(readResponses(text, false, true).garbage).to.equal(text);
    expect(readResponses(text, false, false).garbage).to.equal(undefined);
  });
  it('whatever a server sends, its responses are read in linear time', () => {
    const many = 500_000;
    for (const text of [
      `HTTP/1.1 200 OK\r\nServer:${' '.repeat(many)}x\r\nContent-Length: 0\r\n\r\n`,
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'0'.repeat(many)}`,
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${'a\n'.repeat(many)}`,
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\nx\r\n'.repeat(many)}`,
      'HTTP/1.1 100 x\r\n\r\n'.repeat(many / 20),
    ]) {
      const before = process.cpuUsage();
      readResponses(text, false, false);
      // Processor time, whatever else the machine does; more than linear would take
      // minutes.
      expect(process.cpuUsage(before).user).to.be.lessThan(10_000_000);
    }
  });
});
