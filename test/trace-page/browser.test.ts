/** The page as a reader has it: in a browser without a window, where one is installed. */
import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tracePage } from '../../src/index';
import { Browser, findBrowser } from '../support/browser';
import { raw } from '../support/bytes';
import { converse } from '../support/conversation';

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
      expect(text).to.contain('reject</b> <span>400 The data of a chunk is not followed by CRLF');
      expect(text).to.contain('wait</b> <span>for the end of the chunk line');
    });
  });
} else {
  describe('The page of a trace, in a browser,', function () {
    this.slow(3000);
    this.timeout(60_000);
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
      const [reason, ...lines] = (await browser.text('.verdict')).split('\n');
      expect(reason).to.equal(
        '\u2716 Rejected with 400: The data of a chunk is not followed by CRLF',
      );
      const text = lines.filter((line) => line !== '').join('\n');
      expect(text).to.match(/^At\nbyte 81: "X", hexadecimal 58, decimal 88\n/);
      expect(text).to.contain('It was read as\nend of the chunk. ');
      expect(text).to.contain('Grammar\nchunk = chunk-size [ chunk-ext ] CRLF chunk-data CRLF');
      expect(text).to.contain('On whose authority\nallowed by RFC 9112 section 7.1. The RFC lets');
      expect(text).to.match(/A moment earlier\nthe server waited for the end of the chunk line/);
      expect(await browser.text('.part.k-wrong')).to.match(/^X\s*\u2716 wrong byte 81$/);
      expect(await browser.text('#byte')).to.match(/^X\s+Byte 81: wrong byte\n/);
      expect(browser.problems).to.deep.equal([]);
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
      expect(await browser.evaluate("document.querySelector('#step').ariaValueText")).to.match(
        /^step \d+, c1: read 13 bytes/,
      );
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
      expect(await browser.text('#byte')).to.contain('method = token');
      expect(await browser.text('#byte a')).to.equal('RFC 9112 section 3.1');
      for (const [key, expected] of [
        ['ArrowRight', 'O Byte 1: method'],
        ['ArrowDown', 'o Byte 23: field-name'],
        ['End', '\\n Byte 30: CRLF'],
        ['ArrowRight', 'T Byte 31: field-name'],
        ['ArrowUp', 'H Byte 22: field-name'],
        ['ArrowLeft', '\\n Byte 21: CRLF'],
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
      expect(names).to.include('gridcell byte 61: "5", hexadecimal 35, decimal 53, chunk-size');
    });

    for (const width of [400, 1000, 1600]) {
      for (const scheme of ['light', 'dark'] as const) {
        it(`fits ${width} pixels, and can be read in ${scheme}`, async () => {
          await browser.resize(width, 900, scheme);
          await show(REJECTED);
          expect(await browser.evaluate('document.documentElement.scrollWidth')).to.equal(width);
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
      const times = [await browser.open(file), await browser.open(file), await browser.open(file)];
      expect(Math.min(...times)).to.be.below(1000);
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
    if (!element.checkVisibility() || element.closest('.is-future')) continue;
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
