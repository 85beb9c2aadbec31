/** What the page says, as the functions say that draw it: no browser is needed for words. */
import { expect } from 'chai';
import { explanationOf } from '../../src/page/view/explanation';
import { labelsOf } from '../../src/page/model/labels';
import { Message } from '../../src/page/model/message';
import { Readers } from '../../src/page/model/readers';
import * as sections from '../../src/page/model/sections';
import { tellReaders } from '../../src/page/view/messages';
import { go, grow, NOTHING } from '../../src/page/view/state';
import { listOf, type View } from '../../src/page/view/view';
import type { Mistake } from '../../src/naive/naive-request';
import type { PageData } from '../../src/page/model/page-data';
import { raw } from '../support/bytes';
import { converse } from '../support/conversation';
import { dataOf, DELETE, GET, proxied, REJECTED, SMUGGLED } from '../support/page-data';

const FIVE = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n`;
const LARGE = raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999\r\n`;

const textOf = (views: readonly View[]): string =>
  views
    .map((one) =>
      typeof one === 'string'
        ? one
        : `${textOf(one.children)}${/^(?:p|d[td]|h2|li|summary)$/.test(one.tag) ? '\n' : ''}`,
    )
    .join('');

/** An exchange, where a verdict or else the last step is chosen. */
class Shown {
  readonly request: Message;
  step: number;
  constructor(
    readonly data: PageData,
    index = 0,
  ) {
    const exchange = data.exchanges[index];
    if (exchange === undefined) throw new Error('no such exchange');
    this.request = new Message(data, exchange, 'request', exchange.request);
    this.step = exchange.rejection?.step ?? exchange.steps.at(-1) ?? 0;
  }
  get readers() {
    return new Readers(this.request.when(this.step));
  }
  get exchange() {
    return this.request.exchange;
  }
  /** Goes to a step, by its verb. */
  at(verb: string, number = 1): this {
    const all = this.exchange.steps.filter((step) => this.data.steps[step]?.verb === verb);
    this.step = all.at(number > 0 ? number - 1 : number) ?? NaN;
    return this;
  }
  /** What is said beside the bytes. @param byte that is chosen */
  says(byte = this.exchange.rejection?.offset): string {
    const when = this.request.when(this.step);
    const chosen =
      byte === undefined ? undefined : ({ side: 'request', offset: byte } as const);
    const shown = { when, readers: this.readers };
    return textOf(explanationOf('', [shown], this.step, chosen));
  }
  labels(byte = this.exchange.rejection?.offset): string[] {
    const { labels } = labelsOf(this.request.when(this.step), this.readers, byte);
    return labels.map(([offset, text]) => `${offset} ${text}`);
  }
  describe(byte: number): string {
    return this.request.when(this.step).describe(byte);
  }
  about(isHidden = false): string {
    return sections.describeRequest(this.request, this.step, isHidden);
  }
}

const show = async (...conversations: (readonly string[])[]): Promise<Shown> =>
  new Shown(dataOf(await converse(conversations)));

describe('what the page says', () => {
  const HEAD_OF_GET = raw`GET / HTTP/1.1\r\n`;
  // prettier-ignore
  for (const [what, pieces, byte, said] of [
    ['the byte of a rejection', REJECTED, 81, /^✖ 400 at byte 81\n.*not followed by CRLF/],
    ['what was found', REJECTED, 81, /Found\nbyte 81: X\nRight\nA line end \(\\r\\n\)\.\n/],
    ['too large content', [raw`${LARGE}\r\na`], 53, /Rejected at\nbyte 53[^]*Rejected in step/],
    ['content that is held back', [raw`${LARGE}Expect: 100-continue\r\n\r\n`], 75,
      /Rejected at\nbyte 75[^]*It had not arrived when/],
    ['what is missing', [raw`${HEAD_OF_GET}X: y\r\n\r\n`], 22, /Missing before\nbyte 22/],
    ['a line without an end', ['GET /'], 4, /The server has looked through its line/],
    ['where a chunk is announced', REJECTED, 72, / section 7\.1, announced in step \d+\n/],
    ['the bytes of content', [`${FIVE}hel`, 'lo'], 52, /content, bytes 52 to 56\n/],
    ['what belongs together', [`${FIVE}hel`, 'lo'], 47, /hello\nbyte 52: 5 bytes\n/],
    ['who takes a byte for what', [SMUGGLED], 81,
      /^Reader A\nits content: 42 bytes\nReader B\nits content: 0 bytes in chunks/m],
    ['nothing of readers where they agree', [SMUGGLED], 0, /^(?!.*Reader)/s],
  ] as const) {
    it(`tells ${what}`, async () => expect((await show(pieces)).says(byte)).to.match(said));
  }

  it('says of a byte what it is, and nothing of later', async () => {
    const shown = await show(REJECTED);
    expect(shown.describe(75)).to.equal('chunk-size');
    expect(shown.describe(81)).to.equal('wrong byte');
    shown.at('wait', -1);
    expect(shown.describe(75)).to.equal('not here yet');
    expect(shown.labels(0)).to.include('-1 waits for a chunk line');
    expect(shown.about()).to.equal('75 bytes so far, 13 bytes later');
    expect(shown.says()).to.match(/This lasted .* The limit of 60 s began at an earlier/);
    const missing = sections.describeMissing(shown.exchange, shown.step);
    expect(missing).to.match(/^written later, in step/);
    const idle = (await show([GET])).at('idle');
    expect(idle.says()).to.contain('This client asks for nothing');
  });

  const TWICE = raw`Content-Length: 0\r\nContent-Length: 27\r\n`;
  // prettier-ignore
  for (const [what, pieces, label] of [
    ['the wrong byte', REJECTED, /^81 wrong byte, no CRLF$/m],
    ['one value too many', [SMUGGLED], /^70 one value too many, says chunks$/m],
    ['content that is too large', [raw`${LARGE}\r\na`], /^53 content too large$/m],
    ['what four pieces waited for', ['G', 'E', 'T', '('], /^1 waited .*of the request line$/m],
    ['where a reader begins', [SMUGGLED], /^86 reader B begins request 2 here$/m],
    ['no reader where the first request begins', [SMUGGLED], /^(?![^]*begins request 1)/],
    ['where two readers begin', [raw`POST / HTTP/1.1\r\nHost: a\r\n${TWICE}\r\n${GET}..`],
      /reader A begins request 2/],
  ] as const) {
    it(`labels ${what}`, async () =>
      expect((await show(pieces)).labels().join('\n')).to.match(label));
  }

  it('shows of what belongs together only what had arrived', async () => {
    const shown = (await show([`${FIVE}hel`, 'lo'])).at('wait', -1);
    expect(shown.says(47)).to.match(/hel\nbyte 52: 3 of 5 bytes\n/);
    expect(shown.says(52)).to.contain('content, bytes 52 to 56, 3 of them here\n');
  });

  it('says how a request came, how many were handled, and what was not parsed', async () => {
    const two = ['GET /', raw` HTTP/1.1\r\nHost: a\r\n\r\n${GET}`];
    const data = dataOf(await converse([[GET, raw`\r\n`], two]));
    expect(sections.describePage(data, false)).to.equal(
      'recorded: 3 requests handled, 0 rejected',
    );
    expect(new Shown(data, 3).about()).to.match(/^34 bytes, in one piece;/);
    expect(new Shown(data, 3).about(true)).to.equal('34 bytes arrived, in one piece');
    const rest = new Shown(dataOf(await converse([[`${GET}GET /x`]])), 1);
    expect(rest.about()).to.equal('6 bytes arrived, in one piece');
    const none = dataOf(await converse([[], [GET]]));
    expect(new Shown(none, 0).about()).to.equal('The server parsed nothing.');
    expect(new Shown(none, 2).about()).to.equal('These steps are about the server itself.');
  });

  const HEAD_LINES = raw`GET / HTTP/1.1\r\nHost: a\r\n`;
  // prettier-ignore
  for (const [what, request, said] of [
    ['in one sentence', SMUGGLED,
      /a proxy that .*reader A.* forwards .* A server that .*reader B.* handles DELETE/],
    ['one by one', SMUGGLED, /Reader A goes by Content-Length.*: bytes 0 to 80 are/],
    ['of which one waits', raw`${HEAD_LINES}Transfer-Encoding: chunked, chunked\r\n\r\n`,
      /A looks .*: GET \/, waits for more\n.*B ignores .*: bytes 0 to 63 are request 1: GET \/\n$/],
    ['of a line that is not whole', raw`${HEAD_LINES}Content-Length: 7\r\n\r\nGET /ta`,
      / are request 2: no whole request line, waits for more\n$/],
    ['before the input ends', raw`${HEAD_LINES}Content-Length: 99\r\n\r\n${DELETE}`,
      /^Before the input ends: a proxy that reads .* waits for \d+ more bytes\. A server/],
  ] as const) {
    it(`tells in words what the other readers do: ${what}`, async () => {
      const { readers } = await show([request]);
      expect(textOf(listOf(tellReaders(readers)))).to.match(said);
    });
  }

  it('calls a reader the proxy where the request came through one with its mistake', async () => {
    const names = async (mistake?: Mistake): Promise<string[]> =>
      new Shown(await proxied(SMUGGLED, [], mistake)).readers.heads().map(([name]) => name);
    expect(await names()).to.deep.equal(['The server', 'Reader A', 'Reader B']);
    const mistaken = await names('content-length');
    expect(mistaken).to.deep.equal(['The server', 'The proxy', 'Another reader']);
  });

  it('follows what happens after a rejection that is known', async () => {
    const events = await converse([REJECTED]);
    const rejected = events.findIndex(({ type }) => type === 'reject');
    const first = grow(NOTHING, dataOf(events.slice(0, rejected + 3)), undefined, '');
    const last = go(first, first.exchange?.steps.at(-1) ?? NaN);
    const { exchange, step } = grow(last, dataOf(events), undefined, '');
    expect([first.step < last.step, step]).to.deep.equal([true, exchange?.steps.at(-1)]);
  });

  const POOR = GET.replace('/1', '/9');
  // prettier-ignore
  for (const [pieces, index, guess, said] of [
    [[SMUGGLED], 0, 'handles it', '≠ You said: it handles it. It rejects it.'],
    [[POOR], 0, 'handles it', '✓ You said: it handles it. It handles it: 400 Bad Request.'],
    [[GET.slice(0, 9)], 0, 'waits for more',
      '✓ You said: it waits for more. It waits for more, then rejects it.'],
    [[GET.slice(0, 9), GET.slice(9)], 0, 'handles it',
      '✓ You said: it handles it. It waits for more, then handles it: 200 OK.'],
    [[raw`${GET}\r\n`], 1, 'waits for more', '✓ You said: it waits for more. It waits for more.'],
    [[raw`${GET.replace('1.1', '1.0')}${GET}`], 1, 'waits for more',
      '≠ You said: it waits for more. It does none of these: never parsed, because the request ' +
      'before it is the last (HTTP/1.0 without "keep-alive").'],
  ] as const) {
    it(`judges a guess: ${said}`, async () => {
      const { data } = await show(pieces);
      expect(sections.judgeGuess(data, new Shown(data, index).exchange, guess)).to.equal(said);
    });
  }

  it('says how to send a request again, and which came last', async () => {
    expect(sections.commandOf((await show(REJECTED)).request)).to.match(
      /^\(printf 'POST \/tasks HTTP.*'; sleep [\d.]+; printf '5;a=b.*\) \| nc localhost \d+$/,
    );
    const half = sections.commandOf((await show(['GET / HT'])).request);
    expect(half).to.match(/ \| nc -N localhost \d+$/);
    const events = await converse([[GET.slice(0, 9), GET.slice(9)], [GET]]);
    const first = events.filter(({ connection }) => connection === 1);
    const others = events.filter(({ connection }) => connection !== 1);
    const rest = first.findIndex((event, at) => at > 3 && event.type === 'read');
    const mixed = [...first.slice(0, rest), ...others, ...first.slice(rest)];
    const data = dataOf(mixed.map((event, at) => ({ ...event, at })));
    expect(sections.newestIn(data)?.connection).to.equal(1);
  });
});
