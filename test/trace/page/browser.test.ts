/** The page as a reader has it: in a browser without a window, where one is installed. */
import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tracePage } from '../../../src/index';
import { Browser, findBrowser } from '../../support/browser';
import { raw } from '../../support/bytes';
import { converse } from '../../support/conversation';

const HEAD = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
/** A request that is rejected in its second chunk, and arrives in three pieces. */
const REJECTED = [HEAD, raw`5;a=b\r\nhello\r\n`, raw`3\r\nyouX\n0\r\n\r\n`];
const GET = raw`GET /tasks/1 HTTP/1.1\r\nHost: a\r\n\r\n`;

const path = findBrowser();

if (path === undefined) {
  const sentence = 'No browser was found (chromium, google-chrome, or the variable CHROME)';
  console.log(`${sentence}: the page of a trace is tested as text only.`);
  describe(`The page of a trace, as text, because no browser was found`, () => {
    it('says why a request was rejected, and what the server waited for before', async () => {
      const text = tracePage(await converse([REJECTED]));
      expect(text).to.contain(
        'reject</b> <span>400 The data of a chunk is not followed by CRLF',
      );
      expect(text).to.contain('wait</b> <span>for the end of the chunk line');
    });
  });
} else {
  describe('The page of a trace, in a browser,', function () {
    this.slow(3000);
    const folder = mkdtempSync(join(tmpdir(), 'page-'));
    const file = join(folder, 'page.html');
    let browser: Browser;

    before(async () => {
      browser = await Browser.start(path);
      await browser.resize(1200, 900);
    });
    after(async () => {
      await browser.close();
      rmSync(folder, { recursive: true });
    });
    /** Opens the page of some conversations. */
    async function show(...conversations: (readonly string[])[]): Promise<void> {
      browser.problems.length = 0;
      writeFileSync(file, tracePage(await converse(conversations)));
      await browser.open(file);
    }

    it('opens at a rejection: why, on whose authority, at which byte', async () => {
      await show([GET], REJECTED);
      const text = (await browser.text('.verdict')).replace(/\n+/g, '\n');
      expect(text).to.match(
        /^c2 request 1: .*\n\u2716 Rejected with 400 \(Bad Request: a mistake of the client\)\n/,
      );
      expect(text).to.match(
        /Expected\na line end \(\\r\\n\) after the 3 bytes of data that byte 75: 3 announces\n/,
      );
      expect(text).to.contain('Found\nbyte 81: "X", hexadecimal 58, decimal 88\n');
      expect(text).to.contain('What was being read\nThe end of the chunk. ');
      expect(text).to.contain(
        'Rejecting this is allowed by RFC 9112 section 7.1. It tells clients',
      );
      expect(text).to.contain('RFCs are the public documents that define HTTP.');
      expect(text).to.match(
        /A moment earlier\nThe server waited from [\d.]+ s to [\d.]+ s, for the end of the chunk/,
      );
      expect(text).to.match(/; nothing from byte 75 on had arrived\. go to step \d+$/);
      expect(await browser.text('.part.k-wrong')).to.match(/^X\s*\u2716 wrong byte$/);
      expect(await browser.text('#byte')).to.match(/^X\s+Byte 81: wrong byte\n/);
      expect(browser.problems).to.deep.equal([]);
    });

    it('leads to the size that announced the data, and to the wait before', async () => {
      await show(REJECTED);
      expect(await browser.text('.part.is-announced')).to.match(
        /^3\s*chunk-size: announces 3 bytes$/,
      );
      await browser.click('.verdict dd button');
      expect(await browser.text('#byte')).to.match(/^3\s+Byte 75: chunk-size/);
      expect(await browser.evaluate('document.activeElement.dataset.at')).to.equal('75');
      await browser.click('.verdict dd:last-of-type button');
      expect(await browser.text('#what')).to.match(/^wait\s*for the end of the chunk line/);
      expect(await browser.text('#byte')).to.match(/Byte 75: not here yet/);
      expect(await browser.text('#gloss')).to.match(
        /The limit of 60 s that began at step \d+ goes on/,
      );
    });

    it('guesses what to send instead, and calls it a guess', async () => {
      await show([HEAD + raw`3\r\nyou!\r\n0\r\n\r\n`]);
      expect(await browser.text('.verdict')).to.match(
        /\nA guess, .* the next line end is at byte 68: if .* it has 4 bytes, and its size is 4/,
      );
    });

    it('says of each byte what was true at the step, and nothing of later', async () => {
      await show(REJECTED);
      const at = (offset: number): Promise<void> => browser.click(`[data-at="${offset}"]`);
      await at(75);
      expect(await browser.text('#byte')).to.match(/arrived at [\d.]+ s/);
      for (const _ of 'xxx') await browser.click('#previous'); // parse, read, wait
      expect(await browser.text('#what')).to.match(/^wait/);
      expect(await browser.text('#byte')).to.match(/Byte 75: not here yet/);
      await at(76);
      expect(await browser.text('#byte')).to.match(/it had not arrived yet/);
      expect(await browser.text('#byte')).to.match(/arrives at [\d.]+ s, at step \d+/);
      expect(await browser.text('#byte')).to.not.match(/It has arrived|arrived at/);
      await browser.evaluate("location.hash = '#step=2'");
      await browser.drawn();
      expect(await browser.text('#facts')).to.match(
        /Arrived\s*0 bytes of this request;.*\s*Waiting\s*for its first byte/,
      );
      await browser.evaluate("location.hash = '#step=1'");
      await browser.drawn();
      expect(await browser.text('#what')).to.match(/^listen/);
      expect(await browser.text('#byte')).to.match(/not here yet/);
      expect(await browser.text('#byte')).to.not.match(/It has arrived|arrived at/);
    });

    it('shows the bytes that are dropped, and why it was rejected to the end', async () => {
      await show(REJECTED);
      const step = async (verb: string): Promise<void> => {
        const lines = "[...document.querySelectorAll('#all b')]";
        const isLine = `({ innerText }) => innerText.endsWith('${verb}')`;
        await browser.evaluate(`${lines}.find(${isLine}).click()`);
        expect(await browser.text('#what')).to.match(new RegExp(`^${verb}`));
        expect(await browser.text('.verdict')).to.contain('Rejected with 400');
        expect(await browser.text('#facts-of')).to.contain('c1 request 1');
      };
      await step('drop');
      expect(await browser.text('#bytes')).to.contain('never judged');
      await step('stop');
    });

    it('keeps the step when another message that is here is chosen', async () => {
      await show(REJECTED);
      await browser.press('ArrowRight'); // write
      const what = await browser.text('#when');
      const choose = (message: number): Promise<unknown> =>
        browser.evaluate(`{
          const picker = document.querySelector('#message');
          picker.value = '${message}';
          picker.dispatchEvent(new Event('change'));
        }`);
      await choose(0);
      expect(await browser.text('#bytes')).to.contain('Transfer-Encoding');
      expect(await browser.text('#when')).to.equal(what);
      await choose(1);
      expect(await browser.text('#bytes')).to.contain('status-code');
      expect(await browser.text('#when')).to.equal(what);
      await browser.press('ArrowLeft'); // reject
      await choose(1);
      expect(await browser.text('#what'), 'where it was sent').to.match(/^write/);
    });

    it('goes from step to step from the box too, and after Escape in the bytes', async () => {
      await show(REJECTED);
      await browser.click('#only');
      await browser.press('ArrowRight');
      expect(await browser.text('#what')).to.match(/^write/);
      await browser.click('#bytes [data-at]');
      await browser.press('ArrowLeft');
      expect(await browser.text('#what'), 'from byte to byte').to.match(/^write/);
      await browser.press('Escape');
      await browser.press('ArrowLeft');
      expect(await browser.text('#what')).to.match(/^reject/);
    });

    it('shows bytes as wide as they are, whatever their label is', async () => {
      await show(REJECTED);
      const widths = await browser.evaluate(
        `[...document.querySelectorAll('.part .bytes')].filter((e) => e.innerText.length === 1)
          .map((e) => e.getBoundingClientRect().width)`,
      );
      expect(Math.max(...(widths as number[]))).to.be.below(16);
    });

    it('fits the steps into a window that changes its width', async () => {
      await show(REJECTED);
      const excess = '(({ clientWidth, scrollWidth }) => scrollWidth - clientWidth)';
      for (const width of [1000, 1400]) {
        await browser.resize(width, 900);
        await browser.drawn();
        const lanes = "document.querySelector('#lanes')";
        expect(await browser.evaluate(`${excess}(${lanes})`)).to.equal(0);
      }
      await browser.resize(1200, 900);
    });

    it('puts a time over the first step that has it, and explains what occurs', async () => {
      await show(REJECTED);
      const legend = await browser.text('#legend');
      expect(legend).to.contain('reject').and.contain('the server waits');
      expect(legend, 'nothing was queued').to.not.match(/queue|turn/);
      expect(await browser.evaluate("document.querySelector('.lane.queue')")).to.equal(
        null,
      );
      const latest = "[...document.querySelectorAll('.time')].at(-1)";
      const text = await browser.evaluate(`${latest}.innerText`);
      const lines = "[...document.querySelectorAll('#all p')]";
      const isLine = `({ innerText }) => innerText.startsWith('${String(text)}')`;
      const step = await browser.evaluate(`${lines}.find(${isLine}).dataset.step`);
      const mark = `document.querySelector('.mark[data-step="${String(step)}"]')`;
      expect(await browser.evaluate(`${latest}.style.left`)).to.equal(
        await browser.evaluate(`${mark}.style.left`),
      );
    });

    it('covers no byte that the keyboard goes to in a narrow window', async () => {
      await browser.resize(400, 700);
      await show(REJECTED);
      const overlap = `(() => {
        const box = document.querySelector('#byte').getBoundingClientRect();
        const byte = document.activeElement.getBoundingClientRect();
        return [Math.round(box.height), Math.max(0, byte.bottom - box.top)];
      })()`;
      await browser.click('[data-at="0"]');
      for (const _ of Array(12)) {
        await browser.press('ArrowDown');
        const [height, covered] = (await browser.evaluate(overlap)) as [number, number];
        expect(height).to.be.below(60);
        expect(covered).to.equal(0);
      }
      await browser.click('#toggle');
      expect(
        await browser.evaluate("document.querySelector('#toggle').ariaExpanded"),
      ).to.equal('true');
      expect(await browser.text('#byte')).to.contain('Meaning');
      const order = `[...document.querySelectorAll('.verdict button, [data-at], #toggle')]
        .map((e) => e.closest('.verdict') ? 'v' : e.id ? 't' : 'b')
        .join('').replace(/(.)\\1+/g, '$1')`;
      expect(await browser.evaluate(order)).to.equal('vbt');
      await browser.resize(1200, 900);
    });

    it('goes from decision to decision with the arrow keys, and says where it is', async () => {
      await show(REJECTED);
      expect(await browser.text('#what')).to.match(/^reject/);
      await browser.press('ArrowRight');
      expect(await browser.text('#what')).to.match(/^write/);
      expect(await browser.text('#bytes')).to.contain('status-code');
      for (const _ of 'xxx') await browser.press('ArrowLeft');
      expect(await browser.text('#what')).to.match(/^read/);
      expect(await browser.text('#live')).to.match(/^c1: read 13 bytes/);
      expect(
        await browser.evaluate("document.querySelector('#step').ariaValueText"),
      ).to.match(/^step \d+, c1: read 13 bytes/);
      expect(await browser.text('#facts')).to.match(
        /Before\s+the server waited for the end of the ch/,
      );
      await browser.press('ArrowLeft');
      expect(await browser.text('#what')).to.match(/^wait\s*for the end of the chunk line/);
      expect(await browser.text('#arrived')).to.equal('75 bytes arrived by now, 13 later.');
      expect(await browser.text('#bytes')).to.contain('not here yet');
    });

    it('explains each byte that is chosen with the mouse or the keyboard', async () => {
      await show(REJECTED);
      const heading = async (): Promise<string> => {
        const [first = '', second = ''] = (await browser.text('#byte')).split('\n');
        return `${first} ${second}`.trim();
      };
      await browser.click('[data-at="0"]');
      expect(await heading()).to.equal('P Byte 0: method');
      expect(await browser.text('#byte')).to.not.contain('method = token');
      await browser.click('#byte summary');
      expect(await browser.text('#byte')).to.contain('method = token');
      expect(await browser.text('#byte')).to.contain('letters, digits, and some signs');
      await browser.click('[data-at="0"]');
      expect(await browser.text('#byte a')).to.equal('RFC 9112 section 3.1');
      for (const [key, expected] of [
        ['ArrowRight', 'O Byte 1: method'],
        ['ArrowDown', 'o Byte 23: field-name'],
        ['End', '\\n Byte 30: CRLF (line end)'],
        ['ArrowRight', 'T Byte 31: field-name'],
        ['ArrowUp', 'H Byte 22: field-name'],
        ['ArrowLeft', '\\n Byte 21: CRLF (line end)'],
        ['Home', 'P Byte 0: method'],
      ] as const) {
        await browser.press(key);
        expect(await heading(), key).to.equal(expected);
      }
      expect(await browser.text('#what'), 'the step stays').to.match(/^reject/);
      for (const [offset, name] of [
        [61, 'chunk-size'],
        [62, 'chunk-ext'],
        [68, 'chunk-data'],
        [82, 'never judged'],
      ] as const) {
        await browser.click(`[data-at="${offset}"]`);
        expect(await heading()).to.contain(`Byte ${offset}: ${name}`);
      }
    });

    it('gives a message, a mark, or a line of the text when they are chosen', async () => {
      await show([GET], [GET]);
      const choose = "(e) => { e.value = '2'; e.dispatchEvent(new Event('change')) }";
      await browser.evaluate(`(${choose})(document.querySelector('#message'))`);
      expect(await browser.text('#facts-of')).to.contain('c2 request 1: GET /tasks/1');
      await browser.click('.mark.turn');
      expect(await browser.text('#what')).to.match(/^turn/);
      await browser.click('#all [data-step="1"] b');
      expect(await browser.text('#what')).to.match(/^open/);
    });

    it('has names and roles for a screen reader', async () => {
      await show(REJECTED);
      const names = await browser.accessibleNames();
      expect(names).to.include.members([
        'heading A conversation over HTTP, byte by byte',
        'region What happened, over time',
        'slider Step',
        'button Previous step',
        'button Next step',
        'grid The bytes of the message, line by line',
        'complementary The chosen byte',
        'group Why it was rejected',
      ]);
      expect(names).to.include(
        'gridcell byte 81: "X", hexadecimal 58, decimal 88, \u2716 wrong byte',
      );
      expect(names).to.include(
        'gridcell byte 61: "5", hexadecimal 35, decimal 53, chunk-size',
      );
    });

    for (const width of [400, 1000, 1600]) {
      for (const scheme of ['light', 'dark'] as const) {
        it(`fits ${width} pixels, and can be read in ${scheme}`, async () => {
          await browser.resize(width, 900, scheme);
          await show(REJECTED);
          expect(await browser.evaluate('document.documentElement.scrollWidth')).to.equal(
            width,
          );
          const contrast = Number(await browser.evaluate(LEAST_CONTRAST));
          expect(contrast).to.be.at.least(4.5);
          await browser.resize(1200, 900);
        });
      }
    }

    it('prints the bytes and the text, without what only a screen has', async () => {
      await show(REJECTED);
      await browser.print(true);
      const isShown = (id: string): Promise<unknown> =>
        browser.evaluate(`document.querySelector('${id}').checkVisibility()`);
      expect(await isShown('#bytes')).to.equal(true);
      expect(await isShown('#all p')).to.equal(true);
      expect(await isShown('.controls')).to.equal(false);
      await browser.print(false);
    });

    it('runs no script of anybody else, and makes no markup of text', async () => {
      const hostile = '</script><script>document.title="hacked"</script><img src=x>';
      await show(
        [raw`GET /${hostile} HTTP/1.1\r\nHost: a\r\n\r\n`],
        [raw`GET / HTTP/1.1\r\n${hostile}`],
      );
      expect(await browser.evaluate('document.title')).to.equal(
        'A conversation over HTTP, byte by byte',
      );
      expect(await browser.evaluate('document.scripts.length')).to.equal(2);
      expect(await browser.evaluate('document.images.length')).to.equal(0);
      expect(browser.problems).to.deep.equal([]);
      const attack = "document.body.innerHTML = '<img src=x>'";
      const error = await browser.evaluate(`try { ${attack} } catch (e) { e.name }`);
      expect(error).to.equal('TypeError');
    });

    it('opens a page with 10,000 events within a second', async () => {
      const requests = Array.from({ length: 1200 }, () => GET).join('');
      const events = await converse([[requests]]);
      expect(events.length).to.be.above(10_000);
      writeFileSync(file, tracePage(events));
      // The best of some, because other programs run as well.
      let best = Infinity;
      for (let count = 0; count < 10 && best >= 1000; count += 1) {
        best = Math.min(best, await browser.open(file));
      }
      expect(best).to.be.below(1000);
    });
  });
}

/** The least contrast of a text with the page or the card that it stands on (WCAG 2.2 §1.4.3). */
const LEAST_CONTRAST = `(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const luminance = (colours) => {
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
  const ratios = [];
  for (const element of document.querySelectorAll('.tag, .byte, .label, dt, dd, p, a, b, .verb')) {
    if (!element.checkVisibility()) continue;
    if (element.getAttribute('aria-selected') === 'true' || !element.textContent) continue;
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
