import { expect } from 'chai';
import { createHash } from 'node:crypto';
import type { TraceEvent } from '../../src/index';
import { tracePage } from '../../src/index';
import { Conversation } from '../../src/page/model/conversation';
import type { PageData } from '../../src/page/model/page-data';
import { splitCitations } from '../../src/page/model/citations';
import { bytes, escapeByte, EVERY_BYTE, raw } from '../support/bytes';
import { converse } from '../support/conversation';

/** Bytes that would end an element, begin one, or end a line of a script. */
const HOSTILE = [
  '</script><script>alert(1)</script>',
  '<!--<script>',
  '<img src=x onerror=alert(1)>',
  '"\'`&lt;&#60;',
  raw`\xe2\x80\xa8\xe2\x80\xa9`, // U+2028 and U+2029 in UTF-8
  '{{x}}${x}',
];

/** The text of an element of a page. */
function textOf(html: string, start: string, end: string): string {
  const from = html.indexOf(start) + start.length;
  expect(from, start).to.be.above(start.length - 1);
  return html.slice(from, html.indexOf(end, from));
}

const textsOf = (html: string): string[] =>
  dataOf(html).exchanges.map(({ request }) => request.text);

const dataOf = (html: string): PageData =>
  Conversation.of(
    textOf(html, '<script type="application/jsonl" id="data">', '</script>').split('\n'),
  ).describe();

describe('the page of a trace', () => {
  it('lets only its own script and its own style run, and loads nothing', async () => {
    const html = tracePage(await converse([[raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`]]));
    const policy = textOf(html, '"Content-Security-Policy" content="', '"');
    const hash = (text: string): string =>
      `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    expect(policy.split('; ')).to.deep.equal([
      "default-src 'none'",
      `script-src ${hash(textOf(html, '<script>', '</script>'))}`,
      `style-src ${hash(textOf(html, '<style>', '</style>'))}`,
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(html).to.not.match(/<(?:link|img|iframe|object|embed)\b|\bsrc=|@import|url\(/i);
    expect(html).to.not.match(/\son\w+=|\sstyle=|javascript:|innerHTML|eval\(/i);
    const links = Array.from(html.matchAll(/href="([^"]*)"/g), ([, to]) => to);
    expect(links).to.deep.equal(['#bytes']);
  });

  it('is ASCII, whatever the bytes are', async () => {
    const every = Array.from(EVERY_BYTE, (_, byte) => escapeByte(byte)).join('');
    const head = raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 256\r\n\r\n`;
    const html = tracePage(await converse([[head + every]]));
    expect(html).to.match(/^[\n -~]*$/);
    const [text] = textsOf(html);
    expect(text?.slice(-256)).to.equal(EVERY_BYTE);
  });

  for (const hostile of HOSTILE) {
    it(`shows ${hostile} as text, wherever it stands`, async () => {
      const { length } = bytes(hostile);
      const places = [
        raw`${hostile} / HTTP/1.1\r\nHost: a\r\n\r\n`,
        raw`GET /${hostile} HTTP/1.1\r\nHost: a\r\n\r\n`,
        raw`GET /?${hostile} HTTP/1.1\r\nHost: a\r\n\r\n`,
        raw`GET / HTTP/1.1\r\nHost: ${hostile}\r\n\r\n`,
        raw`GET / HTTP/1.1\r\nHost: a\r\nX: ${hostile}\r\n${hostile}: x\r\n\r\n`,
        raw`PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${hostile}`,
      ];
      const html = tracePage(await converse(places.map((place) => [place])));
      const script = textOf(html, '<script>', '</script>');
      expect(html.match(/<script/g)).to.have.lengthOf(2);
      const rest = html.replace(script, '');
      expect(rest.match(/<\/script/g)).to.have.lengthOf(2);
      expect(rest).to.not.match(/<!--|<img/);
      expect(textOf(html, '<pre>', '</pre>')).to.not.match(/&(?!#\d+;)/);
      const text = bytes(hostile).toString('latin1');
      const found = textsOf(html).filter((request) => request.includes(text));
      expect(found).to.have.lengthOf.at.least(6);
    });
  }

  it('has a script and a style that no parser of HTML could cut short', () => {
    const html = tracePage([]);
    expect(textOf(html, '<script>', '</script>')).to.contain('require("page/view/main")');
    expect(textOf(html, '<script>', '</script>')).to.not.match(/<!--|<script/i);
    expect(textOf(html, '<style>', '</style>')).to.contain('color-scheme');
  });

  it('tells the bytes and the decisions as text, for a browser without JavaScript', async () => {
    const html = tracePage(await converse([[raw`GET / HTTP/1.1\r\nHost : a&b\r\n\r\n`]]));
    const text = textOf(html, '<noscript>', '</noscript>');
    expect(text).to.contain(raw`Host : a&#38;b\r\n`);
    expect(text).to.match(/reject 400 White space between a field name and the colon/);
  });

  it('says what it leaves out, and shows the last of it', async () => {
    const event = (at: number): TraceEvent => ({ at, connection: 1, type: 'end' });
    const told = (html: string): string => textOf(html, '<noscript>', '</noscript>');
    expect(told(tracePage([event(0)]))).to.not.contain('Left');
    const html = tracePage(Array.from({ length: 10_003 }, (_, at) => event(at)));
    const left = 'Left out: the first 3 events, with 0 bytes of messages.';
    expect(dataOf(html).leftOut).to.contain(left);
    expect(told(html)).to.contain(left);
    expect(dataOf(html).steps.map(({ at }) => at))
      .to.include(10_002)
      .and.not.include(2);
  });
});

describe('a citation', () => {
  it('is a link only where our own text has it: at the end, in parentheses', () => {
    const link = (rfc: string, section: string) => ({
      text: `RFC ${rfc} section ${section}`,
      url: `https://www.rfc-editor.org/rfc/rfc${rfc}.html#section-${section}`,
    });
    // prettier-ignore
    for (const [sentence, parts] of [
      ['no section', ['no section']],
      ['x (RFC 9112 section 5.1)', ['x ', '(', link('9112', '5.1'), ')']],
      ['(RFC 9112 section 1) x', ['(RFC 9112 section 1) x']],
      ['x (RFC 9112 section 6.3, rule 7)', ['x ', '(', link('9112', '6.3'), ', rule 7)']],
      ['x (RFC 6585 section 5), 60 s at most', ['x ', '(', link('6585', '5'), '), 60 s at most']],
    ] as const) {
      expect(splitCitations(sentence)).to.deep.equal(parts);
    }
  });
});
