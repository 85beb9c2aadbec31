import { expect } from 'chai';
import type { Response } from '../../src/http/message';
import { requiredBy } from '../../src/http/protocol-error';
import {
  CONTINUE_MESSAGE,
  INTERNAL_ERROR,
  ResponseSerializer,
  UnsendableResponse,
} from '../../src/http/response';
import { held } from '../support/held';

const serializer = new ResponseSerializer(() => Date.UTC(1994, 10, 6, 8, 49, 37, 999));
const DATE = 'Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n';
/** @returns what a service returned, as bytes */
function serialize(
  response: Response,
  method: string,
  option?: string,
  by = serializer,
): string {
  return by.serialize(by.check(response), method, option);
}

const JSON_TYPE = 'Content-Type: application/json\r\n';

describe('a response (9112 §4)', () => {
  it('a response is a status line, field lines and content', () => {
    expect(serialize({ status: 200, body: '{"a":1}' }, 'GET')).to.equal(
      `HTTP/1.1 200 OK\r\n${JSON_TYPE}Content-Length: 7\r\n${DATE}\r\n{"a":1}`,
    );
  });
  it('a response says what becomes of the connection, and has the fields of the service', () => {
    const headers = [
      { name: 'Allow', value: 'GET, PUT' },
      { name: 'X', value: '' },
    ];
    const response: Response = {
      status: 405,
      body: 'x',
      contentType: 'text/plain',
      headers,
    };
    expect(serialize(response, 'GET', 'close')).to.equal(
      'HTTP/1.1 405 Method Not Allowed\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n' +
        `${DATE}Connection: close\r\nAllow: GET, PUT\r\nX: \r\n\r\nx`,
    );
  });
  it('a response may have very many field lines', () => {
    const headers = Array.from({ length: 200_000 }, () => ({ name: 'X', value: '' }));
    const text = serialize({ status: 200, body: 'end', headers }, 'GET');
    expect(text.endsWith('X: \r\n\r\nend')).to.equal(true);
  });
  it('a response to HEAD ends with its empty line, without Content-Length (9110 §8.6)', () => {
    expect(serialize({ status: 405, body: 'xyz' }, 'HEAD')).to.equal(
      `HTTP/1.1 405 Method Not Allowed\r\n${JSON_TYPE}${DATE}\r\n`,
    );
  });
  it('a response with status 204 has neither content nor Content-Length (9110 §8.6)', () => {
    expect(serialize({ status: 204, body: '' }, 'OPTIONS')).to.equal(
      `HTTP/1.1 204 No Content\r\n${DATE}\r\n`,
    );
  });
  it('a response to CONNECT with 2xx has neither content nor Content-Length (9110 §9.3.6)', () => {
    expect(serialize({ status: 200, body: 'x' }, 'CONNECT', 'close')).to.equal(
      `HTTP/1.1 200 OK\r\n${JSON_TYPE}${DATE}Connection: close\r\n\r\n`,
    );
    expect(serialize({ status: 405, body: 'x' }, 'CONNECT', 'close')).to.contain(
      '\r\nContent-Length: 1\r\n',
    );
  });
  it('Content-Length counts characters, because each is one byte', () => {
    const text = serialize({ status: 200, body: '\xe9\xff' }, 'GET');
    expect(text).to.contain('\r\nContent-Length: 2\r\n');
    expect(Buffer.from(text, 'latin1').subarray(-2)).to.deep.equal(Buffer.of(0xe9, 0xff));
  });
  it('Date follows the clock, in whole seconds (9110 §6.6.1)', () => {
    let now = 0;
    const moving = new ResponseSerializer(() => now);
    const dateAt = (time: number): string | undefined => {
      now = time;
      return /Date: (.*)\r\n/.exec(
        moving.serialize(moving.check({ status: 200, body: '' }), 'GET'),
      )?.[1];
    };
    expect([0, 999, 1000, 999].map(dateAt)).to.deep.equal([
      'Thu, 01 Jan 1970 00:00:00 GMT',
      'Thu, 01 Jan 1970 00:00:00 GMT',
      'Thu, 01 Jan 1970 00:00:01 GMT',
      'Thu, 01 Jan 1970 00:00:00 GMT',
    ]);
  });
  it('the response to a rejection tells the rule, its source and the byte', () => {
    const error = requiredBy(
      '9112 5.1',
      25,
      'White space between a field name and the colon',
    );
    expect(serializer.serializeError(error, 'GET')).to.equal(
      `HTTP/1.1 400 Bad Request\r\n${JSON_TYPE}Content-Length: 105\r\n${DATE}` +
        'Connection: close\r\n\r\n' +
        '{"error":"White space between a field name and the colon ' +
        '(required by RFC 9112 section 5.1), at byte 25"}',
    );
  });
  it('the response for a failing service can itself be sent', () => {
    expect(serialize(INTERNAL_ERROR, 'GET', 'close')).to.match(/^HTTP\/1.1 500 /);
  });
  it('the response that asks for the content has a status line only (9110 §15.2.1)', () => {
    expect(CONTINUE_MESSAGE).to.equal('HTTP/1.1 100 Continue\r\n\r\n');
  });
});

describe('the messages that are made once for many responses', () => {
  /** A serializer that has just made responses with so many bodies of a length. */
  const afterBodies = (count: number, length: number): ResponseSerializer => {
    const used = new ResponseSerializer(() => 0);
    for (let number = 0; number < count; number += 1) {
      const body = String(number).padStart(length);
      serialize({ status: 200, body }, 'GET', undefined, used);
    }
    return used;
  };

  for (const [what, count, length] of [
    ['10,000 bodies', 10_000, 1000],
    ['long bodies', 60, 100_000],
  ] as const) {
    it(`a service with ${what} does not fill the memory with them`, () => {
      expect(held(afterBodies(count, length))).to.be.below(250_000);
    });
  }
});

describe('responses with the same content', () => {
  const USUAL: Response = { status: 200, body: 'x' };
  const own = (response: Response, method: string, option?: string): string =>
    serialize(response, method, option, new ResponseSerializer(() => 0));
  for (const [what, response, method, option] of [
    ['another status', { ...USUAL, status: 404 }, 'GET', undefined],
    ['another content type', { ...USUAL, contentType: 'text/plain' }, 'GET', undefined],
    ['a field', { ...USUAL, headers: [{ name: 'A', value: 'b' }] }, 'GET', undefined],
    ['HEAD', USUAL, 'HEAD', undefined],
    ['"close"', USUAL, 'GET', 'close'],
  ] as const) {
    it(`a response with ${what} differs from a plain one before it, and after it`, () => {
      const shared = new ResponseSerializer(() => 0);
      const plain = own(USUAL, 'GET');
      const different = own(response, method, option);
      expect(different).to.not.equal(plain);
      for (let count = 0; count < 2; count += 1) {
        expect(serialize(response, method, option, shared)).to.equal(different);
        expect(serialize(USUAL, 'GET', undefined, shared)).to.equal(plain);
      }
    });
  }
});

describe('a response of a service', () => {
  const ok: Response = { status: 200, body: '' };

  describe('can be sent', () => {
    for (const [why, response] of [
      ['with every byte in its content', { ...ok, body: '\0\r\n\xff' }],
      ['with status 204 and no content', { status: 204, body: '' }],
      [
        'with obs-text and HTAB in a value',
        {
          ...ok,
          headers: [{ name: 'A', value: '\t\xe9 x' }],
        },
      ],
      [
        'with a field twice',
        {
          ...ok,
          headers: [
            { name: 'Set-Cookie', value: 'a' },
            { name: 'Set-Cookie', value: 'b' },
          ],
        },
      ],
    ] as const) {
      it(`a response ${why} can be sent`, () =>
        expect(serialize(response, 'GET')).to.contain(`HTTP/1.1 ${response.status} `));
    }
  });

  describe('cannot be sent, and the problem is told', () => {
    const withField = (name: string, value: string): Response => ({
      ...ok,
      headers: [{ name, value }],
    });
    /** What a service in JavaScript could return. */
    const untyped = (response: unknown): Response => response as Response;
    const withUntypedName = (name: unknown): Response =>
      untyped({ ...ok, headers: [{ name, value: '1' }] });
    for (const [why, response, problem] of [
      ['with an unknown status', untyped({ status: 299, body: '' }), 'status 299'],
      [
        'with a status that objects inherit',
        untyped({ status: 'toString', body: '' }),
        'status "toString"',
      ],
      ['with NaN as its status', untyped({ status: NaN, body: '' }), 'status NaN'],
      ['with a BigInt as its status', untyped({ status: 200n, body: '' }), 'status 200'],
      ['that is null', untyped(null), 'the response is null'],
      ['without content', untyped({ status: 200 }), 'the body'],
      ['with a character that is not one byte', { ...ok, body: '\u20ac' }, 'U+00FF'],
      ['with status 204 and content', { status: 204, body: 'x' }, '204'],
      [
        'with a line break in its content type',
        { ...ok, contentType: 'a\r\nb' },
        'the content type',
      ],
      ['with an empty content type', { ...ok, contentType: '' }, 'the content type'],
      ['with a blank content type', { ...ok, contentType: ' \t' }, 'the content type'],
      ['with an empty field name', withField('', 'x'), 'a field name'],
      ['with white space in a field name', withField('A B', 'x'), 'a field name'],
      ['with a line break in a value', withField('A', 'x\r\nB: y'), 'the value of A'],
      ['with NUL in a value', withField('A', '\0'), 'the value of A'],
      ['with DEL in a value', withField('A', '\x7f'), 'the value of A'],
      [
        'with a value that is not a string',
        untyped({ ...ok, headers: [{ name: 'A', value: 1 }] }),
        'the value of A',
      ],
      [
        'with Content-Type among its fields',
        withField('Content-Type', 'a'),
        'Content-Type',
      ],
      ['with Content-Length', withField('content-length', '1'), 'Content-Length'],
      [
        'with Transfer-Encoding',
        withField('TRANSFER-ENCODING', 'chunked'),
        'Transfer-Encoding',
      ],
      ['with Date', withField('Date', 'x'), 'Date'],
      ['with Connection', withField('Connection', 'close'), 'Connection'],
      ['with Upgrade', withField('upgrade', 'h2c'), 'Upgrade'],
      ['with Keep-Alive', withField('Keep-Alive', 'timeout=5'), 'Keep-Alive'],
      ['with LF in a value', withField('A', 'x\ny'), 'the value of A'],
      [
        'with a character over U+00FF in a value',
        withField('A', '\u20ac'),
        'the value of A',
      ],
      ['with a line break in a field name', withField('A\r\nB', 'x'), 'a field name'],
      [
        'with content that is not a string',
        untyped({ ...ok, body: Buffer.from('x') }),
        'the body',
      ],
      ['with an interim status', untyped({ ...ok, status: 100 }), 'status 100'],
      [
        'with a status of another type',
        untyped({ ...ok, status: '200 OK\r\nX: y' }),
        '200 OK',
      ],
      ['with a status as a string', untyped({ status: '204', body: '' }), 'status "204"'],
      [
        'with a field name in an array',
        withUntypedName(['Content-Length']),
        'a field name',
      ],
      ['without a status', untyped({ body: '' }), 'status undefined'],
      [
        'with a status that has no text',
        untyped({ status: Symbol('x'), body: '' }),
        'status',
      ],
    ] as const) {
      it(`a response ${why} cannot be sent, and the problem names ${problem}`, () =>
        expect(() => serialize(response, 'GET')).to.throw(UnsendableResponse, problem));
    }
  });
});
