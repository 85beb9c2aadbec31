import { expect } from 'chai';
import { bytes, raw } from '../support/bytes';
import { accept, messages, read, rejections } from '../support/reading';

/** A POST with these field lines, and what follows them. The first line starts at byte
 * 26. */
const post = (lines: string, rest = '', version = 'HTTP/1.1'): string =>
  raw`POST / ${version}\r\nHost: a\r\n${lines}\r\n\r\n${rest}`;

describe('the length of the content (9112 §6.3)', () => {
  it('without Content-Length and Transfer-Encoding, a request has no content', () => {
    expect(accept(post('A: x')).body).to.equal('');
  });

  describe('is Content-Length (9112 §6.2)', () => {
    it('Content-Length counts bytes of any kind', () => {
      const content = raw`a\r\n\r\n\0\xff\x80`;
      expect(accept(post('Content-Length: 8', content)).body).to.equal(
        'a\r\n\r\n\0\xff\x80',
      );
    });
    it('Content-Length may be 0', () =>
      expect(accept(post('Content-Length: 0')).body).to.equal(''));
    it('Content-Length counts for GET, too', () => {
      const message = raw`GET / HTTP/1.1\r\nHost: a\r\ncontent-length:  3 \r\n\r\nabc`;
      expect(accept(message).body).to.equal('abc');
    });

    describe('and rejected unless it is one decimal number', () => {
      const invalid = (why: string, lines: string, offset: number) =>
        [why, post(lines), 400, 'required by', '9112 6.3', offset] as const;
      rejections('rejects … as Content-Length', [
        invalid('nothing', 'Content-Length:', 41),
        invalid('a plus', 'Content-Length: +5', 42),
        invalid('a minus', 'Content-Length: -5', 42),
        invalid('hexadecimal', 'Content-Length: 0x5', 43),
        invalid('an exponent', 'Content-Length: 1e3', 43),
        invalid('a fraction', 'Content-Length: 5.0', 43),
        invalid('an underscore', 'Content-Length: 1_0', 43),
        invalid('white space inside', 'Content-Length: 1 0', 43),
        invalid('NBSP', raw`Content-Length: 5\xa0`, 43),
        invalid('superscript two', raw`Content-Length: \xb2`, 42),
        invalid('a zero first and a letter last', 'Content-Length: 05x', 44),
        invalid('a list of different numbers', 'Content-Length: 5, 6', 43),
        invalid('an empty list', 'Content-Length: ,', 42),
        invalid(
          'two numbers that are equal only as floating-point numbers',
          'Content-Length: 9007199254740992, 9007199254740993',
          58,
        ),
        invalid(
          'two different numbers in two lines',
          raw`Content-Length: 5\r\nContent-Length: 6`,
          61,
        ),
        invalid(
          'a wrong number after a right one',
          raw`Content-Length: 5\r\nContent-Length: x`,
          61,
        ),
        invalid(
          'a wrong number before a right one',
          raw`Content-Length: x\r\nContent-Length: 5`,
          42,
        ),
      ]);
    });

    describe('and rejected, as 9110 §8.6 allows, as a list of equal numbers', () => {
      const list = (why: string, lines: string, offset: number) =>
        [why, post(lines), 400, 'allowed by', '9110 8.6', offset] as const;
      rejections('rejects a Content-Length that is a list of equal numbers …', [
        list('in one line', 'Content-Length: 5, 5', 43),
        list('in two lines', raw`Content-Length: 5\r\nContent-Length: 5`, 61),
        list(
          'with another field between',
          raw`Content-Length: 5\r\nA: x\r\nContent-Length: 5`,
          67,
        ),
        list('with an empty element after it', 'Content-Length: 5,', 43),
        list('with an empty element before it', 'Content-Length: ,5', 42),
        list('with a leading zero in one of them', 'Content-Length: 05, 5', 44),
      ]);
    });

    describe('and rejected by our choice, although 9110 §8.6 holds it valid', () => {
      const valid = (why: string, lines: string, offset: number) =>
        [why, post(lines), 400, 'our choice', '9110 8.6', offset] as const;
      rejections('rejects a Content-Length with …', [
        valid('a zero before another digit', 'Content-Length: 05', 42),
        valid('two zeros', 'Content-Length: 00', 42),
        valid('16 zeros', 'Content-Length: 0000000000000000', 42),
        valid('16 digits', 'Content-Length: 1000000000000000', 57),
        valid('10,000 digits', `Content-Length: ${'9'.repeat(10_000)}`, 57),
      ]);
    });

    it('Content-Length may have 15 digits', () => {
      const message = post('Content-Length: 999999999999999', 'x');
      expect(read([bytes(message)]).end).to.include({ status: 413 });
    });
  });

  describe('is the sum of the chunks, with Transfer-Encoding (9112 §6.1)', () => {
    for (const value of [
      'chunked',
      'CHUNKED',
      'chunked,',
      ', ,chunked',
      raw`\tchunked\t`,
      raw`,\r\nTransfer-Encoding: chunked`,
    ]) {
      it(`the content is in chunks with Transfer-Encoding: ${value}`, () => {
        const message = post(`Transfer-Encoding: ${value}`, raw`1\r\nx\r\n0\r\n\r\n`);
        expect(accept(message).body).to.equal('x');
      });
    }

    describe('and rejected together with Content-Length', () => {
      const both = (why: string, lines: string, offset: number) =>
        [why, post(lines), 400, 'allowed by', '9112 6.1', offset] as const;
      rejections('rejects Transfer-Encoding together with Content-Length, …', [
        both('after it', raw`Transfer-Encoding: chunked\r\nContent-Length: 5`, 70),
        both('before it', raw`Content-Length: 5\r\nTransfer-Encoding: chunked`, 64),
        both(
          'before another coding',
          raw`Content-Length: x\r\nTransfer-Encoding: gzip`,
          64,
        ),
      ]);
    });

    describe('and rejected in HTTP/1.0, whatever its value', () => {
      const http10 = (why: string, lines: string, offset: number) =>
        [why, post(lines, '', 'HTTP/1.0'), 400, 'allowed by', '9112 6.1', offset] as const;
      rejections('rejects Transfer-Encoding in HTTP/1.0, …', [
        http10('chunked', 'Transfer-Encoding: chunked', 45),
        http10('gzip', 'Transfer-Encoding: gzip, chunked', 45),
        http10('empty', 'Transfer-Encoding:', 44),
        http10(
          'after Content-Length',
          raw`Content-Length: 5\r\nTransfer-Encoding: chunked`,
          64,
        ),
        http10(
          'before Content-Length',
          raw`Transfer-Encoding: chunked\r\nContent-Length: 5`,
          45,
        ),
      ]);
    });

    describe('and rejected unless the last coding is chunked', () => {
      const last = (why: string, value: string, offset: number) =>
        [
          why,
          post(`Transfer-Encoding:${value}`),
          400,
          'required by',
          '9112 6.3',
          offset,
        ] as const;
      rejections('rejects a Transfer-Encoding with …', [
        last('no coding', '', 44),
        last('only commas', ' , ,', 45),
        last('identity', ' identity', 45),
        last('gzip', ' gzip', 45),
        last('gzip with a parameter', ' gzip;a=b', 45),
        last('a comma inside an open quotation', ' gzip;a="b, chunked', 45),
        last(
          'an open quotation in two lines',
          raw` gzip;a="b\r\nTransfer-Encoding: chunked`,
          45,
        ),
        last('chunked before another coding', ' chunked, gzip', 54),
        last('a longer name', ' xchunked', 45),
      ]);
    });

    describe('and rejected unless chunked is applied once, without parameters', () => {
      const twice = (why: string, lines: string, offset: number) =>
        [
          why,
          post(`Transfer-Encoding: ${lines}`),
          400,
          'allowed by',
          '9112 6.1',
          offset,
        ] as const;
      const parameter = (why: string, value: string, offset: number) =>
        [
          why,
          post(`Transfer-Encoding: ${value}`),
          400,
          'allowed by',
          '9112 7.1',
          offset,
        ] as const;
      rejections('rejects the chunked coding …', [
        twice('twice', 'chunked, chunked', 54),
        twice('twice, in two lines', raw`chunked\r\nTransfer-Encoding: chunked`, 73),
        twice('twice, with another coding between', 'chunked, gzip, chunked', 60),
        parameter('with a parameter', 'chunked;a=b', 52),
        parameter('with a parameter after white space', 'chunked ; a=b', 52),
        parameter('with a parameter that holds a comma', 'chunked;a="b, c"', 52),
        parameter('twice, the first time with a parameter', 'chunked;a=b, chunked', 52),
      ]);
    });

    describe('and rejected unless each coding is a token, perhaps with parameters', () => {
      const malformed = (why: string, value: string, offset: number) =>
        [
          why,
          post(`Transfer-Encoding: ${value}`),
          400,
          'allowed by',
          '9110 10.1.4',
          offset,
        ] as const;
      rejections('rejects … as a transfer coding', [
        malformed('a quoted string', '"chunked"', 45),
        malformed('two words', 'chunked chunked', 52),
        malformed('two words before chunked', 'gzip a, chunked', 49),
        malformed('only a parameter', ';a=b, chunked', 45),
        malformed('NBSP', raw`\xa0chunked`, 45),
      ]);
    });

    describe('and rejected with 501 if another coding comes before chunked', () => {
      const other = (why: string, lines: string) =>
        [
          why,
          post(`Transfer-Encoding: ${lines}`),
          501,
          'allowed by',
          '9112 6.1',
          45,
        ] as const;
      rejections('rejects another coding before chunked, …', [
        other('gzip', 'gzip, chunked'),
        other('identity', 'identity, chunked'),
        other('two others', 'gzip, deflate, chunked'),
        other('in two lines', raw`gzip\r\nTransfer-Encoding: chunked`),
        other('with a parameter', 'gzip;q=1, chunked'),
        other(
          'with malformed parameters, which are not examined',
          'gzip ; a = ; b ;, chunked',
        ),
        other('with a comma in a parameter', 'gzip;a="b, chunked", chunked'),
        other(
          'with a parameter in two lines',
          raw`gzip;a="b\r\nTransfer-Encoding: c", chunked`,
        ),
        other('with an escaped quote in a parameter', raw`gzip;a="\\", chunked", chunked`),
      ]);
    });
  });

  describe('is judged after Host and before Expect', () => {
    rejections('judges …', [
      [
        'Host before framing',
        raw`POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n`,
        400,
        'required by',
        '9112 3.2',
        36,
      ],
      [
        'framing before Expect',
        post(raw`Expect: x\r\nContent-Length: x`),
        400,
        'required by',
        '9112 6.3',
        53,
      ],
      [
        'Expect before content',
        post(raw`Expect: x\r\nTransfer-Encoding: chunked`, 'z'),
        417,
        'allowed by',
        '9110 10.1.1',
        34,
      ],
      [
        'a field value before framing',
        post(raw`Transfer-Encoding: \x0bchunked`),
        400,
        'allowed by',
        '9110 5.5',
        45,
      ],
    ]);
    it('a wrong header section is rejected without waiting for content', () => {
      const message = raw`POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n`;
      expect(read([bytes(message)]).end).to.include({ status: 400, section: '9112 3.2' });
    });
  });

  describe('when rejected, tells a list of equal numbers from a number that is wrong', () => {
    messages([
      [
        post('Content-Length: 5, 5'),
        'Content-Length is a list, though it names one length ' +
          '(allowed by RFC 9110 section 8.6), at byte 43',
      ],
      [
        post(raw`Content-Length: 5\r\nContent-Length: 5`),
        'More than one Content-Length, though all their numbers are equal ' +
          '(allowed by RFC 9110 section 8.6), at byte 61',
      ],
      [
        post(raw`Content-Length: 5\r\nContent-Length:`),
        'More than one Content-Length, though all their numbers are equal ' +
          '(allowed by RFC 9110 section 8.6), at byte 60',
      ],
      [
        post(raw`Content-Length: 5, 5\r\nContent-Length: 5`),
        'Content-Length is a list, though it names one length ' +
          '(allowed by RFC 9110 section 8.6), at byte 43',
      ],
      [
        post(raw`Content-Length: 5\r\nContent-Length: 6`),
        'Content-Length has different values (required by RFC 9112 section 6.3), at byte 61',
      ],
      [
        post('Content-Length: 5, x'),
        'Content-Length is not a single decimal number ' +
          '(required by RFC 9112 section 6.3), at byte 43',
      ],
      [
        post('Content-Length: 05'),
        'Content-Length has a leading zero ' +
          '(our choice: RFC 9110 section 8.6 would allow it), at byte 42',
      ],
    ]);
  });
});
