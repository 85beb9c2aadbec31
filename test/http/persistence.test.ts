import { expect } from 'chai';
import { INPUT_ENDED, LAST_REQUEST, SERVER_FAILED } from '../../src/http/persistence';
import { RequestReader } from '../../src/http/request-reader';
import { bytes, raw } from '../support/bytes';
import { accept, readInEveryCut } from '../support/reading';

describe('persistence (9112 §9.3)', () => {
  const request = (version: string, lines = '', start = 'GET /'): string =>
    raw`${start} ${version}\r\nHost: a\r\n${lines}\r\n`;
  for (const [message, connectionOption] of [
    [request('HTTP/1.1'), undefined],
    [request('HTTP/1.1', raw`Connection: keep-alive\r\n`), undefined],
    [request('HTTP/1.1', raw`Connection: close\r\n`), 'close'],
    [request('HTTP/1.1', raw`Connection: Upgrade,\tCLOSE ,\r\n`), 'close'],
    [request('HTTP/1.1', raw`Connection: keep-alive\r\nConnection: close\r\n`), 'close'],
    [request('HTTP/1.1', raw`Connection: x-close, closed\r\n`), undefined],
    // Outside a quoted-string, a backslash is a character like others.
    [request('HTTP/1.1', raw`Connection: a\\,close\r\n`), 'close'],
    [request('HTTP/1.1', raw`Connection: "a\\",close"\r\n`), undefined],
    [request('HTTP/1.1', raw`Connection: "x\r\nConnection: close\r\n`), 'close'],
    [request('HTTP/1.0'), 'close'],
    [request('HTTP/1.0', raw`Connection: keep-alive\r\n`), 'keep-alive'],
    [request('HTTP/1.0', raw`Connection: a, Keep-Alive\r\n`), 'keep-alive'],
    [request('HTTP/1.0', raw`Connection: keep-alive, close\r\n`), 'close'],
    [request('HTTP/1.2'), undefined],
    [request('HTTP/1.1', '', 'CONNECT a:1'), 'close'],
    [request('HTTP/1.0', raw`Connection: keep-alive\r\n`, 'CONNECT a:1'), 'close'],
  ] as const) {
    const option = connectionOption ?? 'nothing';
    it(`the response to ${message} has ${option} in Connection`, () => {
      expect(accept(message).connectionOption).to.equal(connectionOption);
    });
  }

  it('the server has reasons of its own to close', () => {
    const closing = { persists: false, connectionOption: 'close' };
    expect(LAST_REQUEST).to.include({ ...closing, section: '9112 9.6' });
    expect(SERVER_FAILED).to.include({ ...closing, section: '9112 9.6' });
    expect(INPUT_ENDED).to.include({ ...closing, section: '9112 9.5' });
  });
  for (const [message, persists, reason, section] of [
    [request('HTTP/1.1'), true, 'HTTP/1.1 without "close"', '9112 9.3'],
    [
      request('HTTP/1.0', raw`Connection: keep-alive\r\n`),
      true,
      'HTTP/1.0 with "keep-alive"',
      '9112 9.3',
    ],
    [request('HTTP/1.0'), false, 'HTTP/1.0 without "keep-alive"', '9112 9.3'],
    [
      request('HTTP/1.1', raw`Connection: close\r\n`),
      false,
      'the client says "close"',
      '9112 9.6',
    ],
    [
      request('HTTP/1.1', '', 'CONNECT a:1'),
      false,
      'what follows CONNECT is meant for a tunnel',
      '9110 9.3.6',
    ],
    [
      request('HTTP/1.1', raw`Connection: close\r\n`, 'CONNECT a:1'),
      false,
      'the client says "close"',
      '9112 9.6',
    ],
  ] as const) {
    it(`the decision about the connection gives the reason: ${reason}`, () => {
      const reader = new RequestReader();
      reader.push(bytes(message));
      const outcome = reader.next();
      if (outcome.kind !== 'request') throw new Error(`not read: ${outcome.kind}`);
      expect(outcome.persistence).to.include({ persists, reason, section });
    });
  }
});

describe('Expect (9110 §10.1.1)', () => {
  const post = (lines: string): string =>
    raw`POST / HTTP/1.1\r\nHost: a\r\n${lines}\r\n\r\n`;
  for (const [value, offset] of [
    ['x', 34],
    ['100-continue, x', 48],
    ['100-continue;a=b', 34],
    ['"100-continue"', 34],
    ['200-ok', 34],
    [raw`100-continue\r\nExpect: x`, 56],
  ] as const) {
    it(`"Expect: ${value}" is rejected with 417`, () => {
      const { end } = readInEveryCut(bytes(post(`Expect: ${value}`)));
      const expected = {
        status: 417,
        authority: 'allowed by',
        section: '9110 10.1.1',
        offset,
      };
      expect(end).to.include(expected);
    });
  }
  it('an Expect that is an empty list is like none', () => {
    expect(readInEveryCut(bytes(post('Expect: , ,'))).requests).to.have.lengthOf(1);
  });
});
