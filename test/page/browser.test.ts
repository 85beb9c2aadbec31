/** The page as a reader has it: in a browser without a window, where one is installed. */
import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tracePage, type TraceEvent } from '../../src/index';
import { renderPage } from '../../src/page/page';
import { TraceRecorder } from '../../src/trace/recorder';
import { Browser, findBrowser } from '../support/browser';
import { bytes, raw } from '../support/bytes';
import { converse } from '../support/conversation';
import { linesOf } from '../support/page-data';

const HEAD = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
/** A request that is rejected in its second chunk, and arrives in three pieces. */
const REJECTED = [HEAD, raw`5;a=b\r\nhello\r\n`, raw`3\r\nyouX\n0\r\n\r\n`];
const GET = raw`GET /tasks/1 HTTP/1.1\r\nHost: a\r\n\r\n`;
const LENGTHS = raw`Host: a\r\nContent-Length: 42\r\nTransfer-Encoding: chunked\r\n`;
/** A request with two lengths, and another one in its content. */
const DELETE = raw`DELETE /tasks/1 HTTP/1.1\r\nHost: a\r\n\r\n`;
const SMUGGLED = raw`POST /tasks HTTP/1.1\r\n${LENGTHS}\r\n0\r\n\r\n${DELETE}`;
/** A request whose wrong byte is far below the first row: a space before a colon. */
const BEFORE = raw`GET / HTTP/1.1\r\n${raw`A: b\r\n`.repeat(45)}B`;
const DEEP = raw`${BEFORE} : b\r\n\r\n`;

const path = findBrowser();

if (path !== undefined) {
  describe('The page of a trace, in a browser,', function () {
    this.slow(3000);
    const folder = mkdtempSync(join(tmpdir(), 'page-'));
    const file = join(folder, 'page.html');
    let browser: Browser;

    before(async () => {
      browser = await Browser.start(path);
    });
    beforeEach(() => browser.resize(1366, 768));
    after(async () => {
      await browser.close();
      rmSync(folder, { recursive: true });
    });
    /** Opens the page of some conversations. */
    async function open(...conversations: (readonly string[])[]): Promise<void> {
      browser.problems.length = 0;
      writeFileSync(file, tracePage(await converse(conversations)));
      await browser.open(file);
    }
    /** Shows some conversations as if their page were opened, which takes several times as
     * long. */
    async function show(...conversations: (readonly string[])[]): Promise<void> {
      await showData(dataOf(await converse(conversations)));
    }
    /** Shows data as if its page were opened.
     * @param toNewest whether it goes to the newest exchange */
    async function showData(data: string, toNewest = false): Promise<void> {
      const shown = `(() => {
        if (globalThis.page === undefined) return false;
        for (const button of document.querySelectorAll('[aria-pressed="true"]')) button.click();
        page.forget();
        page.show(${data}, ${toNewest});
        return true;
      })()`;
      if ((await browser.evaluate(shown)) === true) return;
      await openEmpty();
      await browser.evaluate(shown);
    }
    /** Opens a page that takes its data from the test. It does not tell its address: the
     * browser refuses that when it comes too often. */
    async function openEmpty(): Promise<void> {
      browser.problems.length = 0;
      const html = tracePage([])
        .replace(/<meta http-equiv[^>]*>/, '')
        .replace(
          'require("page/view/main");',
          `globalThis.page = new (require("page/view/app").Page)();
          globalThis.Conversation = require("page/model/conversation").Conversation;
          history.replaceState = () => {};`,
        );
      writeFileSync(file, html);
      await browser.open(file);
    }
    const dataOf = (events: readonly TraceEvent[], now?: number, leftOut = 0): string => {
      const first = JSON.stringify({ leftOut: { events: leftOut, bytes: 0 } });
      const lines = JSON.stringify([first, ...linesOf(events).slice(1)]);
      return `Conversation.of(${lines}).describe(${now})`;
    };
    const stepNow = (): Promise<string> => browser.text('#steplist [aria-selected="true"]');
    const cell = (offset: number, side = 'request'): string =>
      `[data-side="${side}"] [data-at="${offset}"]`;
    const label = (offset: number): Promise<unknown> =>
      browser.evaluate(`document.querySelector('${cell(offset)}').ariaLabel`);
    /** Whether such an element is in the window, and in the pane that scrolls around it. */
    const isInSight = (selector: string): Promise<unknown> =>
      browser.evaluate(isInSightOf(selector));
    const isInSightOf = (selector: string): string =>
      `(() => {
        const all = [...document.querySelectorAll('${selector}')];
        const pane = document.querySelector('#bytes').getBoundingClientRect();
        const sheet = document.querySelector('#explanation');
        const isSheet = getComputedStyle(sheet).position === 'sticky';
        const { top: over } = sheet.getBoundingClientRect();
        const end = isSheet ? over : Math.min(innerHeight, pane.bottom);
        return all.some((one) => {
          const { bottom, top } = one.getBoundingClientRect();
          return top >= Math.max(0, pane.top) && bottom <= end;
        });
      })()`;

    /** Chooses an exchange: in the lanes, others may lie over it. */
    const choose = (key: string): Promise<unknown> =>
      browser.evaluate(`(() => {
        const span = document.querySelector('[data-key="${key}"][role=option]');
        span.focus();
        span.click();
      })()`);

    it('opens at a rejection, at its byte', async () => {
      await open([GET], REJECTED);
      expect(await browser.text('.verdict')).to.match(/^\u2716 400 at byte 81/);
      expect(await label(81)).to.equal('byte 81, X, wrong');
      expect(await browser.evaluate(MARKED)).to.deep.equal(['81']);
      expect(await isInSight(cell(81))).to.equal(true);
      expect(await browser.text('.lane.wrong')).to.equal('wrong byte, no CRLF');
      expect(await stepNow()).to.match(/reject/);
      expect(browser.problems).to.deep.equal([]);
    });

    it('follows the address, and tells it where it is', async () => {
      const events = await converse([[GET], REJECTED]);
      const hash = (): Promise<unknown> => browser.evaluate('location.hash');
      await openEmpty();
      await browser.evaluate('delete history.replaceState');
      const idle = events.findIndex(({ type }) => type === 'wait');
      await showData(dataOf(events.slice(0, idle + 1), 1000));
      expect(await hash(), 'before the first request').to.match(/^#x=1\.1&/);
      await browser.evaluate("history.replaceState(null, '', location.search)");
      await showData(dataOf(events));
      expect(await hash()).to.match(/^#x=2\.1&step=\d+&byte=81$/);
      writeFileSync(file, tracePage(events));
      await browser.open(file, '#x=1.1&step=4&byte=5');
      expect(await stepNow()).to.match(/parse/);
      expect(await browser.text('.card.byte h2')).to.match(/Byte 5/);
      await browser.evaluate("location.hash = '#text=abc&x=2.1&step=1'");
      await browser.drawn();
      expect(await stepNow()).to.match(/open/);
      await browser.press('ArrowRight');
      expect(await hash()).to.equal('#text=abc&x=2.1&step=2&byte=81');
    });

    it('shows nothing but text where no script runs', async () => {
      const html = tracePage(await converse([[SMUGGLED]]));
      writeFileSync(file, html.replace(/<script>[^]*<\/script>/, ''));
      await browser.open(file);
      const shown =
        '[...document.body.children].filter((one) => one.checkVisibility()).length';
      expect(await browser.evaluate(shown)).to.equal(0); // this browser has no <noscript>
    });

    it('runs no script of anybody else, and makes no markup of text', async () => {
      const hostile = '</script><script>document.title="hacked"</script><img src=x>';
      await open(
        [raw`GET /${hostile} HTTP/1.1\r\nHost: a\r\n\r\n`],
        [raw`GET / HTTP/1.1\r\n${hostile}`],
      );
      expect(await browser.evaluate('document.title')).to.equal('HTTP, byte by byte');
      expect(await browser.evaluate('document.scripts.length')).to.equal(2);
      expect(await browser.evaluate('document.images.length')).to.equal(0);
      expect(browser.problems).to.deep.equal([]);
      const attack = "document.body.innerHTML = '<img src=x>'";
      const error = await browser.evaluate(`try { ${attack} } catch (e) { e.name }`);
      expect(error).to.equal('TypeError');
    });

    for (const [width, height] of [
      [1366, 768],
      [800, 800],
      [400, 800],
    ] as const) {
      it(`has the wrong byte in its first ${width} x ${height} pixels`, async () => {
        await browser.resize(width, height);
        for (const [request, wrong] of [
          [SMUGGLED, 70],
          [DEEP, bytes(BEFORE).length],
        ] as const) {
          await show([GET], [request]);
          expect(await isInSight(cell(wrong)), String(wrong)).to.equal(true);
          expect(await browser.text('.verdict')).to.contain(`at byte ${wrong}`);
        }
      });
    }

    it('shows the exchange that is chosen in the lanes, by a click or a key', async () => {
      await show([GET + GET], REJECTED);
      await choose('1.2');
      expect(await browser.text('#explanation')).to.not.contain('400');
      expect(await browser.text('[data-side="0"]')).to.contain('200');
      await browser.press('ArrowDown');
      expect(await browser.text('.verdict')).to.contain('400 at byte 81');
      await browser.evaluate(`document.querySelector('.arrow[data-key="1.1"].up').click()`);
      expect(await stepNow()).to.match(/write/);
      await browser.evaluate(
        `document.querySelector('.arrow[data-key="2.1"].down').click()`,
      );
      expect(await stepNow()).to.match(/read/);
      expect(await browser.text('#bytes')).to.contain('Transfer-Encoding');
    });

    it('lays two runs side by side, and goes to either', async () => {
      const recorders = await Promise.all(
        [
          [[SMUGGLED], [GET]],
          [[GET], [GET]],
        ].map(async (conversations) => {
          const recorder = new TraceRecorder();
          for (const event of await converse(conversations)) recorder.record(event);
          return recorder;
        }),
      );
      const [first = new TraceRecorder(), second = first] = recorders;
      const called = ['with <b>it</b>', 'without it'] as const;
      const other = { called, lines: [...second.linesAfter(0)], names: ['the attacker'] };
      writeFileSync(file, [...renderPage(first, other)].join(''));
      await browser.open(file);
      expect(browser.problems).to.deep.equal([]);
      expect(await browser.text('#comparison p')).to.equal(
        'The first difference: with <b>it</b>, the attacker received 400 Bad Request to ' +
          'POST /tasks; without it, the attacker received 200 OK to GET /tasks/1.',
      );
      expect(await browser.text('.verdict')).to.contain('400 at byte 70');
      const hash = (): Promise<unknown> => browser.evaluate('location.hash');
      await browser.click('#comparison [data-run="1"]');
      expect(await hash()).to.match(/^#x=1\.1&.*run=2/);
      expect(await browser.text('#bytes')).to.contain('"id":1');
      await browser.evaluate(`document.querySelector('#run-0 [data-key="2.1"]').focus()`);
      await browser.press('ArrowDown');
      expect(await hash()).to.match(/^#x=1\.1&(?!.*run)/);
      await browser.resize(400, 800);
      const heights = `[...document.querySelectorAll('.run')].map((one) => one.clientHeight > 90)`;
      expect(await browser.evaluate(heights)).to.deep.equal([true, true]);
    });

    it('leaves the lanes that a filter names, and keeps what is chosen', async () => {
      await show([GET], [SMUGGLED], [GET]);
      await browser.press('/');
      await browser.type('c3');
      expect(await browser.text('#run-0 .names')).to.equal('c3\nthe server');
      expect(await browser.text('#filtered')).to.equal('1 of 4');
      expect(await browser.text('.verdict')).to.contain('400');
      await browser.evaluate(`(() => {
        const filter = document.querySelector('#filter');
        filter.value = '';
        filter.dispatchEvent(new Event('input'));
        filter.blur();
      })()`);
      expect(await browser.text('#filtered')).to.equal('');
    });

    it('is one screen of 1366 x 633: eight steps are in sight, and nothing jumps', async () => {
      await browser.resize(1366, 633);
      await show([GET], [SMUGGLED], REJECTED);
      const places = `['lanes', 'bytes', 'steplist', 'explanation', 'now']
        .map((id) => document.getElementById(id).getBoundingClientRect())
        .map(({ height, top }) => [top, height]).join()`;
      const seen = `(() => {
        const pane = document.querySelector('#steplist').getBoundingClientRect();
        return [...document.querySelectorAll('#steplist li')].filter((one) => {
          const { bottom, top } = one.getBoundingClientRect();
          return top >= pane.top - 1 && bottom <= pane.bottom + 1;
        }).length;
      })()`;
      const before = await browser.evaluate(places);
      for (const key of ['2.1', '3.1']) {
        await choose(key);
        expect(await browser.evaluate(seen), key).to.be.at.least(8);
        for (let step = 1; step < 12; step += 1) {
          await browser.evaluate(
            `document.querySelectorAll('#steplist li')[${step}].click()`,
          );
          expect(await browser.evaluate(places), `${key} ${step}`).to.equal(before);
        }
      }
      const excess = '(({ clientHeight, scrollHeight }) => scrollHeight - clientHeight)';
      expect(await browser.evaluate(`${excess}(document.documentElement)`)).to.equal(0);
    });

    it('keeps what a step changes in sight, and says it once', async () => {
      const host = raw`Host: a\r\n`;
      const head = HEAD.replace(host, host + raw`A: b\r\n`.repeat(12));
      await browser.resize(1366, 400);
      await show([raw`${head}2\r\nhi\r\n0\r\n\r\n`]);
      await browser.click('#steplist li:first-child');
      // As the key does it, without the way from here to the page for each step.
      const steps = (await browser.evaluate(`(() => {
        const items = [...document.querySelectorAll('#steplist li')].slice(1);
        return items.map(() => {
          const key = { key: 'ArrowRight', bubbles: true };
          document.body.dispatchEvent(new KeyboardEvent('keydown', key));
          return {
            verb: document.querySelector('#steplist [aria-selected="true"] .verb').textContent,
            says: document.querySelector('#say').textContent,
            isInSight: document.querySelector('#bytes .new') === null ||
              ${isInSightOf('#bytes .new')},
          };
        });
      })()`)) as { verb: string; says: string; isInSight: boolean }[];
      const colours =
        (await browser.evaluate(`[...document.querySelectorAll('#steplist li')]
        .map((step) => getComputedStyle(step).color)`)) as string[];
      expect(new Set(colours), 'no step follows the last one').to.have.lengthOf(1);
      for (const [index, { isInSight, says, verb }] of steps.entries()) {
        expect(says).to.match(new RegExp(`^Step ${index + 2}, ${verb}: `));
        expect(isInSight, says).to.equal(true);
      }
      const verbs = steps.map(({ verb }) => verb);
      expect(verbs).to.include.members([
        'read',
        'parse',
        'frame',
        'queue',
        'turn',
        'write',
        'gone',
      ]);
      expect(
        await browser.evaluate(
          "document.querySelectorAll('[aria-live], [role=status]').length",
        ),
      ).to.equal(1);
    });

    it('never moves a byte: each is one cell, and labels lie below', async () => {
      await show([SMUGGLED]);
      const places = `JSON.stringify([...document.querySelectorAll('[data-side="request"] .b')]
        .map((one) => [one.offsetLeft, one.offsetTop]))`;
      const before = await browser.evaluate(places);
      for (const offset of [0, 5, 39, 47, 55, 70, 90]) {
        await browser.click(cell(offset));
        expect(await browser.evaluate(places), String(offset)).to.equal(before);
      }
      const widths = await browser.evaluate(
        `[...new Set([...document.querySelectorAll('#bytes .b')]
          .filter((one) => one.innerText.length === 1)
          .map((one) => one.getBoundingClientRect().width.toFixed(1)))]`,
      );
      expect(widths).to.have.length(1);
    });

    it('never lays a label over what the server waits for, in hexadecimal, too', async () => {
      const head = raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n`;
      await show([`${head}abc`]);
      await browser.click('#steplist .parse + .wait');
      const boxes = `[...document.querySelectorAll('[aria-label="content, from byte 48"] .lane')]
        .map((one) => [one.textContent, one.getBoundingClientRect()])
        .map(([text, { left, right }]) => [text, left, right])`;
      for (const hex of [false, true]) {
        if (hex) await browser.click('#hex');
        await browser.click(cell(42));
        const found = await browser.evaluate(boxes);
        const [length, wait] = found as [string, number, number][];
        expect([length?.[0], wait?.[0]]).to.deep.equal([
          '3 of 10 bytes',
          'waits for 7 more bytes of the content',
        ]);
        expect(wait?.[1]).to.be.above(length?.[2] ?? NaN);
      }
    });

    it('lets a search find a request line, and copies a row as its bytes', async () => {
      await show([SMUGGLED]);
      expect(await browser.evaluate("window.find('POST /tasks HTTP')")).to.equal(true);
      const copied = await browser.evaluate(`(() => {
        const row = document.querySelector('${cell(22)}').closest('.row');
        getSelection().selectAllChildren(row);
        const data = new DataTransfer();
        row.dispatchEvent(new ClipboardEvent('copy', { clipboardData: data, bubbles: true }));
        return data.getData('text/plain');
      })()`);
      expect(copied).to.equal('Host: a\r\n');
    });

    it('goes from byte to byte with the keyboard, and back to the lanes', async () => {
      await show([GET], [SMUGGLED]);
      await browser.click(cell(0));
      const presses = [
        ['End', raw`\n 21`],
        ['ArrowDown', raw`\n 30`],
        ['Home', 'H 22'],
        ['ArrowUp', 'P 0'],
        ['ArrowRight', 'O 1'],
        ['ArrowDown', 'o 23'],
        ['End', raw`\n 30`],
        ['ArrowRight', 'C 31'],
        ['ArrowUp', 'H 22'],
        [']', ': 26'],
        ['[', 'H 22'],
        ['w', 'c 70'],
        ['r', '4 47'],
        ['r', 'c 70'],
        ['Home', 'T 51'],
      ] as const;
      const keys = presses.map(([key]) => key);
      // Without the way from here to the page for each key.
      const headings = (await browser.evaluate(`${JSON.stringify(keys)}.map((key) => {
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        return document.querySelector('.card.byte h2').innerText;
      })`)) as string[];
      const went = headings.map((text) =>
        text.replace(/^(\S+?)\s*Byte (\d+).*$/s, '$1 $2'),
      );
      expect(went).to.deep.equal(presses.map(([, expected]) => expected));
      const step = await stepNow();
      await browser.press('Escape');
      expect(await browser.evaluate('document.activeElement.role')).to.equal('option');
      expect(await browser.evaluate(MARKED)).to.deep.equal([]);
      expect(await stepNow()).to.equal(step);
      await browser.press('ArrowRight');
      expect(await stepNow()).to.match(/risk/);
      await browser.press('ArrowUp');
      expect(await browser.text('#bytes')).to.contain('GET /tasks/1');
    });

    it('has one tab stop in the lanes, in the steps, and in each grid of bytes', async () => {
      await show([GET], REJECTED);
      await browser.click('#steplist .write');
      for (const [selector, count] of [
        ['#lanes [tabindex="0"]', 1],
        ['#steplist [tabindex="0"]', 1],
        ['[data-side="request"] .grid [tabindex="0"]', 1],
        ['[data-side="0"] .grid [tabindex="0"]', 1],
      ] as const) {
        const found = await browser.evaluate(
          `document.querySelectorAll('${selector}').length`,
        );
        expect(found, selector).to.equal(count);
      }
    });

    it('shows the other readings beside their rows, and tells them in words', async () => {
      await show([SMUGGLED]);
      expect(await browser.text('.rh:nth-child(2)')).to.match(
        /^Reader A\s+goes by Content-Length/,
      );
      const boxes = `[...document.querySelectorAll('.rd')].map((one) => [
        one.title, one.getBoundingClientRect().height, one.scrollHeight > one.clientHeight + 1,
      ])`;
      const places = (await browser.evaluate(boxes)) as [string, number, boolean][];
      expect(places.map(([says]) => says)).to.have.members([
        'request 1: POST /tasks',
        'request 1: POST /tasks',
        'its content: 0 bytes in chunks, up to the one of size 0',
        'request 2: DELETE /tasks/1',
        'its content: 42 bytes',
      ]);
      // Each as high as its rows, of 24 pixels, and nothing of it cut off.
      expect(places.map(([, height]) => Math.round(height / 24))).to.deep.equal([
        ...[5, 5, 5, 2, 3],
      ]);
      expect(places.filter(([, , isCut]) => isCut)).to.deep.equal([]);
      await browser.click('.rd.second');
      expect(await browser.text('.card.byte h2')).to.match(/Byte 86/);
      expect(await browser.text('.after')).to.match(
        /a proxy that .*reader A.* forwards .* A server that .*reader B.* handles DELETE/,
      );
      expect((await browser.accessibleNames()).join('\n')).to.match(
        /Reader A goes by Content-Length.*: bytes 0 to 80 are/,
      );
      expect(await label(86)).to.equal(
        'byte 86, D, never parsed, reader B begins request 2 here',
      );
      expect(await browser.text('.lane.begins')).to.equal('reader B begins request 2 here');
    });

    it('shows each byte in hexadecimal when asked', async () => {
      await show([raw`GET / HTTP/1.1\r\nHost: a\r\nX: \x80\x81\r\n\r\n`]);
      await browser.click('#hex');
      const cut = `[...document.querySelectorAll('#bytes .b')].filter((one) =>
        one.scrollWidth > one.clientWidth).length`;
      expect(await browser.evaluate(cut)).to.equal(0);
      const shown = "getComputedStyle(document.querySelector('.b'), '::after').content";
      expect(await browser.evaluate(shown)).to.equal('"47"');
      await browser.click('#hex');
      expect(await browser.evaluate(shown)).to.equal('none');
    });

    it('lets one predict first, and says whether that was right', async () => {
      await show([GET], [SMUGGLED]);
      await browser.click('#predict');
      const page = await browser.text('body');
      expect(page).to.not.match(/400 (?:at|Bad)|rejected/); // a time may have these digits
      expect(
        await browser.evaluate("document.querySelectorAll('#lanes .box').length"),
      ).to.equal(0);
      expect(await stepNow()).to.match(/read/);
      expect(await browser.text('.step h2')).to.equal('read step 3'); // not how many follow
      await browser.click('.ask button:nth-of-type(1)');
      expect(await browser.text('.said')).to.equal(
        '\u2260 You said: it handles it. It rejects it.',
      );
      expect(await browser.text('.verdict')).to.contain('400 at byte 70');
      expect(await browser.evaluate(NAME_OF_FIRST)).to.equal('c1, GET /tasks/1, ?');
    });

    it('takes its data again when it has grown, and keeps what is chosen', async () => {
      const events = await converse([REJECTED, [GET]]);
      const early = events.slice(0, events.findIndex(({ type }) => type === 'read') + 2);
      const since = events.find(({ type }) => type === 'open')?.at ?? 0;
      const give = (some: readonly TraceEvent[], now: number): Promise<unknown> =>
        browser.evaluate(`page.show(${dataOf(some, now)})`);
      const idle = events.findIndex(({ type }) => type === 'wait');
      await showData(dataOf(events.slice(0, idle + 1), since + 1000));
      expect(await browser.text('#now')).to.match(/left of 60 seconds, then close$/);
      await give(early, since + 1000);
      expect(await browser.evaluate(NAME_OF_FIRST)).to.contain('in progress');
      expect(await stepNow()).to.match(/read|parse/);
      const waiting = events.findIndex(
        ({ type }, index) => type === 'wait' && index > early.length,
      );
      await give(events.slice(0, waiting + 1), since + 20_000);
      expect(await stepNow(), 'it follows').to.match(/wait/);
      expect(await browser.text('#now')).to.match(
        /^Now c1:\s+the server waits for .*4\d\.\d s left of 60 seconds, then 408 and close$/s,
      );
      await browser.click('#steplist li:nth-child(3)');
      await browser.click(cell(5));
      const chosen = await stepNow();
      await give(events, since + 30_000);
      expect(await stepNow(), 'it stays').to.equal(chosen);
      expect(await browser.text('.card.byte h2')).to.match(/Byte 5/);
      expect(await browser.evaluate(NAME_OF_FIRST)).to.contain('400 at byte 81');
      await give(events.slice(0, waiting + 1), since + 20_000);
      await browser.click('#steplist li:last-child');
      await give(events, since + 30_000);
      expect(await stepNow(), 'it follows').to.match(/reject/);
    });

    it('keeps the focus, and what is selected, when something else happens', async () => {
      const events = await converse([[GET], [SMUGGLED]]);
      const second = events.findIndex(({ connection }) => connection === 2);
      const lines = linesOf(events);
      const [before, after] = [lines.slice(0, second + 1), lines.slice(second + 1)];
      await showData(dataOf([]));
      const kept = await browser.evaluate(`(() => {
        const told = Conversation.of(${JSON.stringify(before)});
        page.show(told.describe(1));
        const byte = document.querySelector('${cell(5)}');
        byte.focus();
        getSelection().selectAllChildren(byte.parentElement);
        for (const line of ${JSON.stringify(after)}) told.add(line);
        page.show(told.describe(2));
        const about = document.querySelector('#about').textContent;
        return [document.activeElement === byte, getSelection().containsNode(byte, true), about];
      })()`);
      expect(kept).to.deep.equal([true, true, 'live: 1 request handled, 1 rejected']);
    });

    it('has names and roles for a screen reader', async () => {
      await show(REJECTED);
      await browser.click('#steplist .write');
      const names = await browser.accessibleNames();
      expect(names).to.include.members([
        'heading HTTP, byte by byte',
        'listbox Exchanges',
        'listbox Steps',
        'main Bytes',
        'region Explanation',
        'button Previous step',
        'button Next step',
        'grid Bytes of the request',
        'grid Bytes of the response',
        'row header fields, from byte 22',
        'gridcell byte 81, X, wrong',
        'gridcell byte 61, 5, chunk-size',
      ]);
      expect(names.join('\n')).to.match(
        /^option c1, POST \/tasks, \u2716\u00a0400 at byte 81, after [\d.]+ ms$/m,
      );
    });

    it('fits its window, and can be read in light and dark', async () => {
      await show([GET], [SMUGGLED]);
      for (const [width, ...schemes] of [
        [400, 'light', 'dark'],
        [800, 'light'],
        [1366, 'light', 'dark'],
        [1600, 'dark'],
      ] as const) {
        for (const scheme of schemes) {
          await browser.resize(width, 900, scheme);
          const where = `${width} ${scheme}`;
          expect(
            await browser.evaluate('document.documentElement.scrollWidth'),
            where,
          ).to.equal(width);
          const panes = "['#bytes', '#explanation', '#steplist', '#foot']";
          const excess = '(({ clientWidth, scrollWidth }) => scrollWidth - clientWidth)';
          expect(
            await browser.evaluate(
              `${panes}.map((id) => ${excess}(document.querySelector(id)))`,
            ),
            where,
          ).to.deep.equal([0, 0, 0, 0]);
          const contrast = Number(await browser.evaluate(LEAST_CONTRAST));
          expect(contrast, where).to.be.at.least(4.5);
        }
      }
    });

    it('prints the bytes, the steps and the verdict, without what only a screen has', async () => {
      await show(REJECTED);
      await browser.print(true);
      const isShown = (id: string): Promise<unknown> =>
        browser.evaluate(`document.querySelector('${id}').checkVisibility()`);
      expect(await isShown('#bytes .b')).to.equal(true);
      expect(await isShown('#steplist li')).to.equal(true);
      expect(await isShown('.verdict')).to.equal(true);
      expect(await isShown('#next')).to.equal(false);
      // Where a browser prints no backgrounds, bars and hatch say nothing.
      const adjust = "getComputedStyle(document.querySelector('.box')).printColorAdjust";
      expect(await browser.evaluate(adjust)).to.equal('exact');
      await browser.print(false);
    });

    it('opens 10,000 events, and draws of them what is near', async () => {
      const requests = GET.repeat(1100);
      const content = raw`x\r\n`.repeat(200) + 'y'.repeat(9400);
      const post = raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n`;
      const some = Array.from({ length: 60 }, () => [GET]);
      const events = await converse([[requests], ...some, [post + content]]);
      await showData(dataOf(spread(events), undefined, 5));
      expect(await browser.text('#left-out')).to.match(/^Left out: the first 5 events/);
      // How many requests were handled is not known where events are left out.
      expect(await browser.text('#about')).to.match(/^recorded: [\d,]+ exchanges$/);
      const drawn = "document.querySelectorAll('#lanes .canvas > *').length";
      expect(await browser.evaluate(drawn)).to.be.within(10, 1500);
      const last = '[data-key="62.1"][role=option]';
      expect(await browser.evaluate(`document.querySelector('${last}')`)).to.equal(null);
      await browser.evaluate(`location.hash = '#x=62.1'`);
      await browser.until(`document.querySelector('${last}') !== null`);
      const rows = "document.querySelectorAll('[data-side=request] .row').length";
      expect(await browser.evaluate(rows)).to.be.within(100, 200);
      await browser.click('.more:last-child button');
      expect(await browser.text('[data-side="request"] .row .off')).to.not.equal('0');
      const took = (await browser.evaluate(`(() => {
        const times = [...document.querySelectorAll('#lanes [role=option]')].map((one) => {
          const begun = performance.now();
          one.click();
          return performance.now() - begun;
        });
        return Math.min(...times);
      })()`)) as number;
      expect(took, 'the milliseconds of a click').to.be.below(100);
      expect(browser.problems).to.deep.equal([]);
    });
  });
}

const spread = (events: readonly TraceEvent[]): TraceEvent[] =>
  events.map((event, index) => ({ ...event, at: index / 10 }));
const NAME_OF_FIRST = `document.querySelector('#lanes [role=option]').ariaLabel`;
const MARKED = `[...document.querySelectorAll('#bytes .here')].map((one) => one.dataset.at)`;

/** The least contrast of a text with the page or the card that it stands on (WCAG 2.2
 * §1.4.3). */
const LEAST_CONTRAST = `(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const known = new Map();
  const luminance = (colours) => {
    const key = colours.join();
    if (!known.has(key)) known.set(key, measure(colours));
    return known.get(key);
  };
  const measure = (colours) => {
    for (const colour of colours) {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    }
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const TEXTS = '.tag, .off, .b, .lane, .rh *, .says, small, dt, dd, p, a, b, li *, button,' +
    '#lanes *, #foot *';
  const ratios = [];
  for (const element of document.querySelectorAll(TEXTS)) {
    if (!element.checkVisibility()) continue;
    if (!element.textContent.trim() || element.matches('.future')) continue;
    const behind = [];
    for (let at = element; at; at = at.parentElement) {
      behind.unshift(getComputedStyle(at).backgroundColor);
    }
    const back = luminance(behind);
    const front = luminance([...behind, getComputedStyle(element).color]);
    ratios.push((Math.max(back, front) + 0.05) / (Math.min(back, front) + 0.05));
  }
  return Math.min(...ratios);
})()`;
