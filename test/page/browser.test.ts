/** The page as a reader has it: in a browser without a window, where one is installed. Words
 * need no browser: shown.test.ts has them. */
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
import { GET, HEAD, linesOf, REJECTED, SMUGGLED } from '../support/page-data';

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
    afterEach(() => expect(browser.problems.splice(0)).to.deep.equal([]));
    after(async () => {
      await browser.close();
      rmSync(folder, { recursive: true });
    });

    async function open(html: string, hash = ''): Promise<void> {
      writeFileSync(file, html);
      await browser.open(file, hash);
    }
    /** Opens the page of some conversations. */
    async function show(...conversations: (readonly string[])[]): Promise<void> {
      await open(tracePage(await converse(conversations)));
    }
    /** Opens the page of two runs. */
    async function showRuns(first: string[][], second: string[][]): Promise<void> {
      const recorder = new TraceRecorder();
      for (const event of await converse(first)) recorder.record(event);
      const called = ['with <b>it</b>', 'without it'] as const;
      const data = linesOf(await converse(second));
      const other = { called, data, names: ['the attacker'] };
      await open([...renderPage(recorder, other)].join(''));
    }
    /** Opens a page that takes its data from the test, as a live one does. */
    async function openLive(hash = ''): Promise<void> {
      const main = 'require("page/view/main");';
      const live = `globalThis.page = new (require("page/view/app").Page)();
        globalThis.Conversation = require("page/model/conversation").Conversation;`;
      const html = tracePage([]).replace(/<meta http-equiv[^>]*>/, '');
      await open(html.replace(main, live), hash);
    }
    const give = (events: readonly TraceEvent[], now: number): Promise<unknown> =>
      run(
        `page.show(Conversation.of(${JSON.stringify(linesOf(events))}).describe(${now}))`,
      );
    const run = (expression: string): Promise<unknown> => browser.evaluate(expression);
    const text = (selector: string): Promise<string> => browser.text(selector);
    const hash = (): Promise<unknown> => run('location.hash');
    const stepNow = (): Promise<string> => text('#steplist [aria-selected="true"]');
    const cell = (offset: number, side = 'request'): string =>
      `[data-side="${side}"] [data-at="${offset}"]`;
    const click = (selector: string): Promise<unknown> => run(`$('${selector}').click()`);
    /** Whether such an element is in the window, and in the pane that scrolls around it. */
    const isInSight = (selector: string): string => `(() => {
      const pane = $('#bytes').getBoundingClientRect();
      const why = $('#why').getBoundingClientRect();
      const end = why.left > 0 ? pane.bottom : Math.min(why.top, pane.bottom);
      return $$('${selector}').some((one) => {
        const { bottom, top } = one.getBoundingClientRect();
        return top >= Math.max(0, pane.top) && bottom <= end;
      });
    })()`;

    it('opens at a rejection, at its byte, with names and roles for a screen reader', async () => {
      await show([GET], REJECTED);
      expect(await text('.verdict')).to.match(/^\u2716 400 at byte 81/);
      const here = `$$('#bytes .here').map((one) => one.dataset.at)`;
      expect(await run(here)).to.deep.equal(['81']);
      expect(await run(isInSight(cell(81)))).to.equal(true);
      expect(await text('.lane.wrong')).to.match(/^ ?wrong byte, no CRLF$/);
      expect(await stepNow()).to.match(/reject/);
      await browser.click('#steplist .write');
      const names = await browser.accessibleNames();
      expect(names).to.include.members([
        ...['heading HTTP, byte by byte', 'main Bytes', 'region Explanation'],
        ...['listbox Exchanges', 'listbox Steps', 'button Previous step'],
        ...['grid Bytes of the request', 'grid Bytes of the response'],
        ...['row header fields, from byte 22', 'gridcell byte 81, X, wrong byte, no CRLF'],
        'gridcell byte 20, \\r, CR, CRLF (line end)',
      ]);
      expect(names.join('\n')).to.match(
        /^option c2, POST \/tasks, \u2716\u00a0400 at byte 81, after [\d.]+ ms$/m,
      );
      for (const group of ['#lanes', '#steplist', '[data-side=request]', '[data-side="0"]'])
        expect(await run(`$$('${group} [tabindex="0"][role]').length`), group).to.equal(1);
    });

    it('follows the address, and tells it where it is', async () => {
      const events = await converse([[GET], REJECTED]);
      await open(tracePage(events), '#x=1.1&step=4&byte=5');
      expect(await stepNow()).to.match(/parse/);
      expect(await text('.card.byte h2')).to.match(/Byte 5/);
      await run("location.hash = '#text=abc&x=2.1&step=1'");
      await browser.drawn();
      expect(await stepNow()).to.match(/open/);
      await browser.press('ArrowRight');
      expect(await hash()).to.equal('#text=abc&x=2.1&step=2&byte=81');
    });

    it('shows nothing but text where no script runs', async () => {
      const html = tracePage(await converse([[SMUGGLED]]));
      await open(html.replace(/<script>[^]*<\/script>/, ''));
      // This browser has no <noscript>.
      const shown = '[...document.body.children].filter((one) => one.checkVisibility())';
      expect(await run(`${shown}.length`)).to.equal(0);
    });

    it('runs no script of anybody else, and makes no markup of text', async () => {
      const hostile = '</script><script>document.title="hacked"</script><img src=x>';
      await show(
        [raw`GET /${hostile} HTTP/1.1\r\nHost: a\r\n\r\n`],
        [raw`GET / HTTP/1.1\r\n${hostile}`],
      );
      const found = '[document.title, document.scripts.length, document.images.length]';
      expect(await run(found)).to.deep.equal(['HTTP, byte by byte', 2, 0]);
      expect(browser.problems).to.deep.equal([]);
      const attack = "document.body.innerHTML = '<img src=x>'";
      expect(await run(`try { ${attack} } catch (e) { e.name }`)).to.equal('TypeError');
      browser.problems.length = 0;
    });

    it('has the wrong byte in its first screen, however small', async () => {
      for (const width of [1366, 800, 400]) {
        await browser.resize(width, 768);
        await show([GET], [DEEP]);
        const offset = bytes(BEFORE).length;
        expect(await run(isInSight(cell(offset))), `${width}`).to.equal(true);
      }
    });

    it('shows the exchange that is chosen in the lanes, by a click or a key', async () => {
      await show([GET + GET], REJECTED);
      await run(`$('[data-key="1.2"][role=option]').focus()`);
      await click('[data-key="1.2"][role=option]');
      expect(await text('#explanation')).to.not.contain('400');
      expect(await text('[data-side="0"]')).to.contain('200');
      await browser.press('ArrowDown');
      expect(await text('.verdict')).to.contain('400 at byte 81');
      await click('.arrow[data-key="1.1"].up');
      expect(await stepNow()).to.match(/write/);
      await click('.arrow[data-key="2.1"].down');
      expect(await stepNow()).to.match(/read/);
      expect(await text('#bytes')).to.contain('Transfer-Encoding');
    });

    it('leaves the lanes that a filter names, and keeps what is chosen', async () => {
      await show([GET], [SMUGGLED], [GET]);
      await browser.press('/');
      await browser.type('c3');
      expect(await text('#run-0 .names')).to.equal('c3\nthe server');
      expect(await text('#filtered')).to.equal('1 of 3');
      expect(await text('.verdict')).to.contain('400');
    });

    it('lays two runs side by side, and goes to either', async () => {
      await showRuns([[SMUGGLED], [GET]], [[GET], [GET]]);
      await browser.print(true);
      const boxes = `$$('.run').map((one) => one.getBoundingClientRect())`;
      const isBelow = `(([first, second]) => second.top >= first.bottom)(${boxes})`;
      expect(await run(isBelow), 'on paper').to.equal(true);
      await browser.print(false);
      await browser.resize(1366, 768);
      expect(await text('#comparison p')).to.equal(
        'The first difference: with <b>it</b>, the attacker received 400 Bad Request in ' +
          'response to POST /tasks; without it, the attacker received 200 OK in response to ' +
          'GET /tasks/1.',
      );
      expect(await text('.verdict')).to.contain('400 at byte 70');
      await browser.click('#comparison [data-run="1"]');
      expect(await hash()).to.match(/^#x=1\.1&.*run=2/);
      expect(await text('#bytes')).to.contain('"id":1');
      await run(`$('#run-0 [data-key="2.1"]').focus()`);
      await browser.press('ArrowDown');
      expect(await hash()).to.match(/^#x=1\.1&(?!.*run)/);
      await browser.resize(400, 800);
      const heights = `$$('.run').map((one) => one.clientHeight > 90)`;
      expect(await run(heights)).to.deep.equal([true, true]);
    });

    it('shows at first what each client received, however deep two runs differ', async () => {
      await browser.resize(1366, 633);
      await showRuns([[DEEP]], [[GET]]);
      expect(await run(isInSight('#comparison table'))).to.equal(true);
      await browser.open(file, '#x=1.1&byte=200');
      expect(await run(isInSight(cell(200))), 'where a link leads').to.equal(true);
      await browser.resize(400, 633);
      const height = "$('#comparison th').getBoundingClientRect().height";
      expect(await run(height), 'the height of one line').to.be.below(30);
    });

    it('keeps the lane that is chosen above that of the server, also at first', async () => {
      await browser.resize(1366, 633);
      const lanes = `(() => {
        const chosen = $('#lanes [aria-selected="true"]').getBoundingClientRect();
        const names = $$('#run-0 .names > *');
        const server = names.at(-1).getBoundingClientRect();
        const top = $('#run-0 .pane').getBoundingClientRect().top;
        return [chosen.top >= top, chosen.bottom <= server.top];
      })()`;
      for (const before of [2, 4]) {
        await show(...Array.from(Array(7), (_, at) => (at === before ? REJECTED : [GET])));
        expect(await run(lanes), `${before}`).to.deep.equal([true, true]);
      }
    });

    it('draws the lanes of four clients in a small window, above a scroll bar, too', async () => {
      await browser.resize(1366, 633);
      const long = GET.replace('/1', `/1?${'W'.repeat(80)}`);
      const four = [[long], [long], [long]];
      /** How many names there are, of each run, once the scroll bars have taken room. */
      const names = async (): Promise<unknown> => {
        await run(`$$('.pane').forEach(({ style }) => (style.marginBottom = '15px'))`);
        await browser.drawn();
        return run(`$$('.run:not([hidden]) .names').map((one) => one.children.length)`);
      };
      await show(...four, [long]);
      expect(await names()).to.deep.equal([5]);
      await showRuns(four, four);
      expect(await names()).to.deep.equal([4, 4]);
      const isCut = `$$('.canvas').some((one) => one.scrollWidth > one.parentElement.scrollWidth)`;
      expect(await run(isCut), 'a label').to.equal(false);
    });

    it('is one screen of 1366 x 633: eight steps are in sight, and nothing jumps', async () => {
      await browser.resize(1366, 633);
      await show([GET], [SMUGGLED], REJECTED);
      const places = `['lanes', 'bytes', 'steplist', 'explanation', 'now']
        .map((id) => document.getElementById(id).getBoundingClientRect())
        .map(({ height, top }) => [top, height]).join()`;
      const seen = `(() => {
        const pane = $('#steplist').getBoundingClientRect();
        return $$('#steplist li').filter((one) => {
          const { bottom, top } = one.getBoundingClientRect();
          return top >= pane.top - 1 && bottom <= pane.bottom + 1;
        }).length;
      })()`;
      const before = await run(places);
      for (const key of ['2.1', '3.1']) {
        await click(`[data-key="${key}"][role=option]`);
        expect(await run(seen), key).to.be.at.least(8);
        const all = `$$('#steplist li').map((one) => { one.click(); return ${places}; })`;
        expect(new Set((await run(all)) as string[]), key).to.deep.equal(new Set([before]));
      }
      const excess = "$('html').scrollHeight - $('html').clientHeight";
      expect(await run(excess)).to.equal(0);
    });

    it('keeps what a step changes in sight, and says it once', async () => {
      const host = raw`Host: a\r\n`;
      const head = HEAD.replace(host, host + raw`A: b\r\n`.repeat(12));
      await browser.resize(1366, 400);
      await show([raw`${head}2\r\nhi\r\n0\r\n\r\n`]);
      await browser.click('#steplist li:first-child');
      const steps = (await run(`$$('#steplist li').slice(1).map(() => {
        const key = { key: 'ArrowRight', bubbles: true };
        document.body.dispatchEvent(new KeyboardEvent('keydown', key));
        return {
          verb: $('#steplist [aria-selected="true"] .verb').textContent,
          says: $('#say').textContent,
          isInSight: $('#bytes .new') === null || ${isInSight('#bytes .new')},
        };
      })`)) as { verb: string; says: string; isInSight: boolean }[];
      for (const [index, { isInSight, says, verb }] of steps.entries()) {
        expect(says).to.match(new RegExp(`^Step ${index + 2}, ${verb}: `));
        expect(isInSight, says).to.equal(true);
      }
      expect(steps).to.have.lengthOf.above(10);
      expect(await run(`$$('[aria-live], [role=status]').length`)).to.equal(1);
    });

    it('never moves a byte when one is chosen, whose labels lie below', async () => {
      await show([SMUGGLED]);
      const places = `JSON.stringify($$('[data-side="request"] .b')
        .map((one) => [one.offsetLeft, one.offsetTop]))`;
      const before = await run(places);
      for (const offset of [0, 5, 39, 47, 55, 70, 90]) {
        await browser.click(cell(offset));
        expect(await run(places), String(offset)).to.equal(before);
      }
    });

    it('never lays a label over what the server waits for, in hexadecimal, too', async () => {
      const head = raw`POST / HTTP/1.1\r\nHost: a\r\nX: \x80\r\nContent-Length: 10\r\n\r\n`;
      await show([`${head}abc`]);
      await browser.click('#steplist .parse + .wait');
      const value = "getComputedStyle($('.b'), '::after').content";
      const boxes = `$$('[aria-label="content, from byte 54"] .lane').map((one) =>
        [one.innerText, one.getBoundingClientRect().left, one.getBoundingClientRect().right])`;
      for (const shown of ['none', '"50"']) {
        expect(await run(value)).to.equal(shown);
        await browser.click(cell(48));
        const [length, wait] = (await run(boxes)) as [string, number, number][];
        expect(length?.[0]).to.equal('3 of 10 bytes');
        expect(wait?.[0]).to.equal('waits for 7 more bytes of the content');
        expect(wait?.[1]).to.be.above(length?.[2] ?? NaN);
        await browser.click('#hex');
      }
    });

    it('lets a search find a request line, and copies a row as its bytes', async () => {
      await show([SMUGGLED]);
      expect(await run("window.find('POST /tasks HTTP')")).to.equal(true);
      const copy = (row: string): Promise<unknown> =>
        run(`(() => {
        const row = $('.grid .row[aria-label$=" ${row}"]');
        getSelection().selectAllChildren(row);
        const data = new DataTransfer();
        row.dispatchEvent(new ClipboardEvent('copy', { clipboardData: data, bubbles: true }));
        return data.getData('text/plain');
      })()`);
      expect(await copy('22')).to.equal('Host: a\r\n');
      const others = `(() => {
        getSelection().selectAllChildren($('#explanation'));
        const event = new ClipboardEvent('copy', { bubbles: true, cancelable: true });
        return $('#explanation').dispatchEvent(event);
      })()`;
      expect(await run(others), 'what is no byte is copied unchanged').to.equal(true);
      await show(['GET /']);
      const sign = 'without the sign of the byte that is missing';
      expect(await copy('0'), sign).to.equal('GET /');
    });

    it('goes from byte to byte with the keyboard, and back to the lanes', async () => {
      await show([GET], [SMUGGLED]);
      await browser.click(cell(0));
      // prettier-ignore
      const presses = [
        ['End', raw`\n 21`], ['ArrowDown', raw`\n 30`], ['Home', 'H 22'], ['ArrowUp', 'P 0'],
        ['ArrowRight', 'O 1'], ['ArrowDown', 'o 23'], ['End', raw`\n 30`], ['ArrowRight', 'C 31'],
        ['ArrowUp', 'H 22'], [']', ': 26'], ['[', 'H 22'], ['w', 'c 70'], ['r', '4 47'],
        ['r', 'c 70'], ['Home', 'T 51'],
      ] as const;
      // Without the way from here to the page for each key.
      const headings = await run(`${JSON.stringify(presses)}.map(([key]) => {
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        return $('.card.byte h2').innerText.replace(/^(\\S+?)\\s*Byte (\\d+)[^]*$/, '$1 $2');
      })`);
      expect(headings).to.deep.equal(presses.map(([, expected]) => expected));
      const step = await stepNow();
      await run(`$('#help').focus()`);
      await browser.press('Enter');
      await browser.until(`document.querySelector('#keys:popover-open') !== null`);
      await browser.press('Escape');
      await browser.until(`document.querySelector('#keys:popover-open') === null`);
      expect(await run('document.activeElement.id'), 'it closes the help').to.equal('help');
      expect(await run(`$$('#bytes .here').length`)).to.equal(1);
      await browser.press('Escape');
      expect(await run('document.activeElement.role')).to.equal('option');
      expect(await run(`$$('#bytes .here').length`)).to.equal(0);
      expect(await stepNow()).to.equal(step);
      await browser.press('ArrowRight');
      expect(await stepNow()).to.match(/risk/);
      await browser.press('ArrowUp');
      expect(await text('#bytes')).to.contain('GET /tasks/1');
      await browser.press('End');
      expect(await text('#bytes')).to.contain('about the server itself');
      await browser.press('ArrowUp');
      await run(`$('#steplist [tabindex="0"]').focus()`);
      const numbers: string[] = [];
      for (const key of ['Home', 'PageDown', 'PageUp', 'End']) {
        await browser.press(key);
        numbers.push((await text('#step-number')).replace(/ of .*/, ''));
      }
      const [, last = ''] = (await text('#step-number')).split(' of ');
      expect(numbers).to.deep.equal(['1', '9', '1', last]);
    });

    it('shows the other readings beside their rows, and tells them in words', async () => {
      await show([SMUGGLED]);
      expect(await text('.rh:nth-child(2)')).to.match(/^Reader A\s+goes by Content-Length/);
      // Each as high as its rows, of 24 pixels, and nothing of it cut off.
      const boxes = `$$('.rd').map((one) => [one.title,
        Math.round(one.getBoundingClientRect().height / 24),
        one.scrollHeight > one.clientHeight + 1])`;
      expect(await run(boxes)).to.deep.equal([
        ['request 1: POST /tasks', 5, false],
        ['its content: 42 bytes', 5, false],
        ['request 1: POST /tasks', 5, false],
        ['its content: 0 bytes in chunks, up to the one of size 0', 2, false],
        ['request 2: DELETE /tasks/1', 3, false],
      ]);
      await browser.click('.rd.second');
      expect(await text('.card.byte h2')).to.match(/Byte 86/);
      expect((await browser.accessibleNames()).join('\n')).to.match(
        /Reader A goes by Content-Length.*: bytes 0 to 80 are/,
      );
      expect(await run(`$('${cell(86)}').ariaLabel`)).to.equal(
        'byte 86, D, reader B begins request 2 here, never parsed',
      );
    });

    it('lets one predict first, and says whether that was right', async () => {
      await show([GET], [SMUGGLED]);
      await browser.click('#predict');
      expect(await text('body')).to.not.match(/400 (?:at|Bad)|rejected/);
      expect(await run(`$$('#lanes .box').length`)).to.equal(0);
      expect(await text('.step h2')).to.equal('read step 3'); // not how many follow
      await browser.click('.ask button:nth-of-type(1)');
      const said = '\u2260 You said: it handles it. It rejects it.';
      expect(await text('.said')).to.equal(said);
      expect(await run('document.activeElement.id')).to.equal('explanation');
      expect(await text('.verdict')).to.contain('400 at byte 70');
      const name = await run(`$('#lanes [role=option]').ariaLabel`);
      expect(name).to.equal('c1, GET /tasks/1, ?');
    });

    it('takes its data again when it has grown, and keeps what is chosen', async () => {
      const events = await converse([REJECTED, [GET]]);
      const since = events.find(({ type }) => type === 'open')?.at ?? 0;
      const waits = events.flatMap(({ type }, at) => (type === 'wait' ? [at + 1] : []));
      const [idle, waiting] = [waits[0], waits.find((index) => index > 10)];
      await openLive();
      await give(events.slice(0, idle), since + 1000);
      expect(await text('#now')).to.match(/left of 60 seconds, then close$/);
      await give(events.slice(0, waiting), since + 20_000);
      expect(await stepNow(), 'it follows').to.match(/wait/);
      expect(await text('#now')).to.match(
        /^Now c1:\s+the server waits for .*4\d\.\d s left/s,
      );
      await browser.resize(400, 900);
      const cut = `$$('#now > *').filter((one) => one.scrollWidth > one.clientWidth).length`;
      expect(await run(cut)).to.equal(0);
      await browser.resize(1366, 768);
      await browser.click('#steplist li:nth-child(3)');
      await browser.click(cell(5));
      const chosen = await stepNow();
      await give(events, since + 30_000);
      expect(await stepNow(), 'it stays').to.equal(chosen);
      expect(await text('.card.byte h2')).to.match(/Byte 5/);
      await give(events.slice(0, waiting), since + 20_000);
      await browser.click('#steplist li:last-child');
      await give(events, since + 30_000);
      expect(await stepNow(), 'it follows').to.match(/reject/);
    });

    it('opens a live page at its top, where one types, at a zoom of 200 %, too', async () => {
      await browser.resize(683, 316);
      await openLive('#x=1.1&step=4&byte=20');
      await give(await converse([[GET]]), 2);
      expect(await text('.card.byte h2')).to.match(/Byte 20/);
      expect(await run('scrollY')).to.equal(0);
    });

    it('keeps the focus, and what is selected, when something else happens', async () => {
      const events = await converse([[GET], [SMUGGLED]]);
      const second = events.findIndex(({ connection }) => connection === 2);
      await openLive();
      await give(events.slice(0, second), 1);
      await run(`globalThis.byte = $('${cell(5)}');
        byte.focus();
        getSelection().selectAllChildren(byte.parentElement)`);
      await give(events, 2);
      const kept =
        '[document.activeElement === byte, getSelection().containsNode(byte, true)]';
      expect(await run(kept)).to.deep.equal([true, true]);
      expect(await text('#about')).to.equal('live: 1 request handled, 1 rejected');
    });

    it('fits its window, and can be read in light, dark and forced colours', async () => {
      await show([GET], [SMUGGLED]);
      for (const width of [400, 800, 1366])
        for (const scheme of ['light', 'dark', 'forced'] as const) {
          await browser.resize(width, 900, scheme);
          const panes = `$$('html, #bytes, #explanation, #steplist, #foot')
            .map(({ clientWidth, scrollWidth }) => scrollWidth - clientWidth)`;
          expect(await run(panes), `${width}`).to.deep.equal([0, 0, 0, 0, 0]);
          expect(await run(LEAST_CONTRAST), `${width} ${scheme}`).to.be.at.least(4.5);
        }
      await browser.resize(340, 900);
      await click('#hex');
      const width = 'document.documentElement.scrollWidth';
      expect(await run(width), 'long labels').to.equal(340);
    });

    it('prints the bytes, the steps and the verdict, without what only a screen has', async () => {
      await browser.resize(794, 1123); // A4
      await show(REJECTED);
      await browser.print(true);
      const isCovered = `$('#bytes').getBoundingClientRect().bottom >
        $('#why').getBoundingClientRect().top`;
      expect(await run(isCovered)).to.equal(false);
      const parts = ['#bytes .b', '#steplist li', '.verdict', '#next'];
      const shown = `${JSON.stringify(parts)}.map((one) => $(one).checkVisibility())`;
      expect(await run(shown)).to.deep.equal([true, true, true, false]);
      // Where a browser prints no backgrounds, bars and hatch say nothing.
      expect(await run("getComputedStyle($('.box')).printColorAdjust")).to.equal('exact');
      await browser.print(false);
    });

    it('opens 10,000 events, and draws of them what is near', async () => {
      const content = raw`x\r\n`.repeat(200) + 'y'.repeat(9400);
      const post = raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n`;
      const some = Array.from({ length: 60 }, () => [GET]);
      const events = await converse([[GET.repeat(1100)], ...some, [post + content]]);
      await open(tracePage(events.map((event, index) => ({ ...event, at: index / 10 }))));
      expect(await text('#left-out')).to.match(/^Left out: the first \d+ events/);
      const cut = `$$('#about, #left-out').map((one) => one.scrollWidth - one.clientWidth)`;
      expect(await run(cut)).to.deep.equal([0, 0]);
      expect(await run(`$$('#lanes .canvas > *').length`)).to.be.within(10, 1500);
      const last = `document.querySelector('[data-key="62.1"][role=option]')`;
      expect(await run(last)).to.equal(null);
      await run(`location.hash = '#x=62.1'`);
      await browser.until(`${last} !== null && $('.pane').scrollLeft > 0`);
      await run(`$('.pane').scrollTo(0, 0)`);
      await browser.drawn();
      expect(await run(`$$('#lanes [tabindex="0"]').length`), 'out of sight').to.equal(1);
      expect(await run(`$$('[data-side=request] .row').length`)).to.be.within(100, 200);
      await browser.click('.more:last-child button');
      expect(await text('[data-side="request"] .row .off')).to.not.equal('0');
      // Only the page's own clock shows this. It is the least of five, as others may be busy.
      const took =
        await run(`Math.min(...$$('#lanes [role=option]').slice(0, 5).map((one) => {
        const begun = performance.now();
        one.click();
        return performance.now() - begun;
      }))`);
      expect(took, 'the milliseconds of a click').to.be.below(100);
    });
  });
}

/** The least contrast of a text with what it stands on (WCAG 2.2 §1.4.3). */
const LEAST_CONTRAST = `(() => {
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (one) => {
    const { backgroundColor } = getComputedStyle(one);
    return /^rgba.* 0\\)$/.test(backgroundColor) ? groundOf(one.parentElement) : backgroundColor;
  };
  const texts = $$('.tag, .off, .b, .lane, .rh *, .says, small, dt, dd, p, a, b, li *, button,' +
    '#lanes *, #foot *');
  const shown = texts.filter((one) =>
    one.checkVisibility() && one.textContent.trim() !== '' && !one.matches('.future'));
  return Math.min(...shown.map((one) => {
    const [dark, light] = [getComputedStyle(one).color, groundOf(one)].map(luminance)
      .sort((one, other) => one - other);
    return (light + 0.05) / (dark + 0.05);
  }));
})()`;
