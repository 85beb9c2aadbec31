/** The workbench as a reader has it: in a browser without a window, where one is
 * installed. */
import { expect } from 'chai';
import { connect } from 'node:net';
import { Browser, findBrowser } from '../../support/browser';
import { TestBench } from '../../support/workbench';

const GET = 'GET /tasks/1 HTTP/1.1\nHost: a\n\n';
const HEAD = 'POST /tasks HTTP/1.1\nHost: a\nContent-Length: 5\n\n';

const path = findBrowser();

if (path !== undefined) {
  describe('The workbench, in a browser,', function () {
    this.slow(3000);
    let browser: Browser;
    let bench: TestBench;

    before(async () => {
      browser = await Browser.start(path);
      bench = await TestBench.start();
    });
    after(async () => {
      await browser.close();
      await bench.stop();
    });
    /** Loads the page, from a workbench that has forgotten what happened. (A workbench of
     * its own would be another origin, for which a browser starts a process.) */
    beforeEach(async () => {
      browser.problems.length = 0;
      await browser.resize(1366, 768);
      await bench.forget();
      await browser.navigate(`${bench.workbench.origin}/`);
      await browser.until(isReady);
      await open('example/0');
      await saysOf('One request is complete');
      await says('#about', 'live'); // it has been told of the server
    });
    afterEach(() => {
      expect(browser.problems).to.deep.equal([]);
    });

    /** Waits until an element says something. */
    const says = (selector: string, text: string): Promise<void> =>
      browser.until(
        `document.querySelector('${selector}')?.textContent.includes(${JSON.stringify(text)})`,
      );
    /** Waits until the name of an exchange says something. */
    const sees = (text: string): Promise<void> =>
      browser.until(`[...document.querySelectorAll('#lanes [role=option]')]
        .some(({ ariaLabel }) => ariaLabel.includes(${JSON.stringify(text)}))`);
    const saysOf = (text: string): Promise<void> => says('#judged', text);
    /** Goes to an element with the Tab key. */
    async function tabTo(selector: string): Promise<void> {
      for (let keys = 0; keys < 60; keys += 1) {
        if (await run(`document.activeElement.matches('${selector}')`)) return;
        await browser.press('Tab');
      }
      throw new Error(`the Tab key does not lead to ${selector}`);
    }
    /** Types a text in place of what is there. */
    async function write(text: string): Promise<void> {
      await run(`$('#text').focus()`);
      await browser.press('a', true);
      await browser.type(text);
    }
    const run = (expression: string): Promise<unknown> => browser.evaluate(expression);
    const isReady = `document.querySelector('#send:enabled') !== null`;
    /** Chooses a request of the gallery. */
    const open = (name: string): Promise<unknown> =>
      run(`(() => {
        document.querySelector('#choose').click();
        document.querySelector('#search').value = '';
        document.querySelector('#search').dispatchEvent(new Event('input'));
        document.querySelector('[data-name="${name}"]').click();
      })()`);
    /** Chooses the server of an experiment. */
    const goTo = (server: string): Promise<unknown> =>
      run(`$('#servers [value="${server}"]').click()`);
    /** Chooses an option of a menu. */
    const pick = (menu: string, value: string): Promise<unknown> =>
      run(`(() => {
        const menu = document.querySelector('${menu}');
        menu.value = '${value}';
        menu.dispatchEvent(new Event('change'));
      })()`);

    /** Chooses an experiment: its server without the defence, and its first request. (Of the
     * first one alone: the server of each takes a second of the processor.) */
    async function choose(number = 1): Promise<void> {
      await open(`lab/${number}`);
      await says('#title', `Lab ${number}.`);
    }
    /** Whether the chosen step is in sight. */
    const isStepInSight = `(() => {
      const list = document.querySelector('#steplist').getBoundingClientRect();
      const { bottom, top } = document.querySelector('#steplist [aria-selected=true]')
        .getBoundingClientRect();
      return top >= list.top && bottom <= list.bottom + 1 && bottom <= innerHeight + 1;
    })()`;

    // The first one: nothing has had the focus.
    it('by keyboard alone: types, cuts, sends, sees the wait, then the response', async () => {
      await tabTo('#text');
      await browser.press('a', true);
      await browser.type(`${HEAD}he`);
      await saysOf('waits for 3 more bytes of the content');
      await browser.press('Enter', true);
      await says('#now', 'waits for 3 more bytes of the content');
      expect(await browser.text('#now')).to.match(
        /^Now c\d+:\s+the server waits for 3 more .*\s+[\d.]+ s left of 60 seconds, then 408/,
      );
      const meter = await run(`$('#now meter').value`);
      expect(meter).to.be.within(1, 60);
      await browser.until(`document.querySelector('#clients :checked').value === '1'`);
      await says('#sent', 'Now type what comes next.'); // it takes room from the list, too
      await browser.drawn();
      await browser.drawn();
      expect(await run(isStepInSight), 'the step').to.equal(true);
      await saysOf('0 bytes. It would follow the 54 bytes before it. The server waits');
      await browser.type('l\u2016lo');
      await saysOf('It would follow the 54 bytes before it. One request');
      await browser.press('Enter', true);
      await sees('200 OK');
      await says('#result', ' received 200 OK in response to POST /tasks.');
      await says('.msg', ', in 3 pieces');
      await says('#bytes .lane.cut', 'for 3 more bytes of the content'); // it stays in sight
      expect(await browser.text('#bytes')).to.match(/waited [\d.]+ ms for 3 more bytes/);
      await open('challenge/host-line');
      await run(`$('#bytes [data-at="0"]').click()`);
      await says('#challenge', 'Choose it. Byte 0 is not the one.');
    });

    it('gives looks to the bytes, and draws again only what changes', async () => {
      const get = 'GET /tasks/1 HTTP/1.1\nHost: a\n\n';
      await run(`(() => {
        const ask = fetch;
        window.asked = 0;
        window.fetch = (path, options) => {
          if (path.startsWith('/judge')) window.asked += 1;
          return ask(path, options);
        };
      })()`);
      await write(get.repeat(16)); // a key for each line: most need no judgement of their own
      await saysOf('16 requests are complete');
      expect(await run('window.asked')).to.be.within(1, 16);
      const looked = `document.querySelectorAll('#looks .k-method').length`;
      expect(await run(looked)).to.equal(16);
      const lines = `document.querySelector('#looks').innerText.split('\\n').length`;
      expect(await run(lines)).to.equal(49);
      await run(`(() => {
        window.drawn = new Set(); // blocks
        const blocks = [...document.querySelectorAll('#looks > div')];
        const all = { characterData: true, childList: true, subtree: true };
        new MutationObserver((changes) => {
          for (const { target } of changes)
            drawn.add(blocks.find((one) => one.contains(target)));
        }).observe(document.querySelector('#looks'), all);
        document.querySelector('#text').setSelectionRange(5, 5);
      })()`);
      await browser.type('x');
      await says('#judged', `${get.length * 16 + 16 * 3 + 1} bytes`);
      expect(await run('drawn.size')).to.equal(1);
    });

    it('is the server: judges a response, serves it, and shows who asked for it', async () => {
      await run(`$('#servers [value=replies]').click()`);
      await says('#title', 'plain: A length, and as much content');
      await saysOf('43 bytes. A client takes 200 OK with 5 bytes of content.');
      await open('content-short');
      await browser.until(isReady);
      await write('HTTP/1.1 200 OK\nContent-Length: 8\n\nhello');
      await saysOf('A client takes 5 bytes of content, and waits for 3 more bytes');
      expect(await browser.text('#looks .k-content')).to.equal('hello');
      await run(`$('#then [value=close]').click()`);
      await saysOf('A client gives up: The connection ended mid-response');
      const text = `document.querySelector('#text').value`;
      expect(await run(text)).to.match(/hello\u2016close\u2016$/);
      await run(`$('#send').click()`);
      await says('#sent', 'From now on, each client gets these bytes.');
      const [, port] =
        /curl -i http:\/\/127\.0\.0\.1:(\d+)\/ or/.exec(await browser.text('#address')) ??
        [];
      for (const path of ['/you', '/again']) {
        const client = connect(Number(port), '127.0.0.1');
        client.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
        await sees(`GET ${path}, 200 OK`);
        client.destroy();
      }
      await says('#bytes', 'Content-Length: 8');
      await says('#bytes', 'request 2 since the server started');
      await says('#steplist', 'the reply ends with the connection');
      await browser.click('#undo');
      await saysOf('waits for 3 more bytes');
      await run(`$('#text').dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Z', ctrlKey: true, shiftKey: true }))`);
      await browser.until(`document.querySelector('#redo').disabled`);
    });

    /** Sends what the experiment has typed, as one of its clients. */
    async function sendAs(client: string, response: string): Promise<void> {
      await browser.until(isReady);
      await run(`$('#send').click()`);
      await says('#result', `The ${client}`);
      await run(`$('#send').dispatchEvent(new MouseEvent('click', { detail: 2 }))`); // a slow one
      await says('#result', `received ${response}`);
    }

    it('plays an experiment by hand: without its defence, and then with it', async () => {
      await choose();
      await saysOf('2 requests are complete');
      await says('#story[open] p', 'The proxy lets no DELETE through.');
      await says('#through-says', 'through a proxy that goes by Content-Length');
      await run(`Object.assign($('#editor'), { scrollTop: 40 }).style.height = '60px'`);
      await sendAs('attacker (p1)', '200 OK in response to POST /tasks.');
      await sees('DELETE /tasks/1');
      await browser.until(`!document.querySelector('#story').open`);
      const victim = `document.querySelector('#text').value.startsWith('GET /tasks/2')`;
      await browser.until(victim);
      expect(await run(`$('#editor').scrollTop`)).to.equal(0);
      await sendAs(
        'victim (p2)',
        '200 OK in response to DELETE /tasks/1, for which it had not asked.',
      );
      await browser.until(`document.querySelector('#lanes [aria-selected="true"]')
        .ariaLabel.includes('DELETE /tasks/1')`);
      await says('#sent', 'without its defence. Now choose the server with it.');
      await goTo('tasks');
      await saysOf('the server rejects it with 400: Transfer-Encoding together');
      expect(await browser.text('#sent')).to.match(/ is forgotten\.$/); // it has been done
      await browser.until(`document.querySelector('#lanes [aria-label*="POST"]') === null`);
      await sendAs('attacker (p1)', '400 Bad Request');
      await browser.until(victim);
      await sendAs('victim (p2)', '200 OK in response to GET /tasks/2.');
      await says('#sent', 'That was Lab 1, with its defence.');
      await browser.click('#clear');
      await saysOf('the server rejects it with 400'); // a new one begins
      await says('#bytes', 'What arrives at the server is shown here');
      expect(await browser.text('#result')).to.equal('');
      await pick('#through', 'proxy');
      await write('DELETE /tasks/1 HTTP/1.1\nHost: a\n\n');
      await saysOf('If this is forwarded, the server responds');
      await browser.click('#send');
      await says('#result', 'received 403 Forbidden from the proxy.');
    });

    it('plays both runs of an experiment, which can be linked, and meets a challenge', async () => {
      await open('challenge/two-clients');
      await says('#challenge', 'Challenge: Let a request wait while');
      await choose(13);
      await says('#story[open] p', 'all four arrive at once');
      await browser.click('#play');
      await says('#about', 'two runs');
      await says('#comparison', 'Client 2');
      await says('#run-1 .called', 'with it: ');
      await says('#challenge', '\u2713 Done: Let a request wait');
      await run(`$('#comparison [data-run="1"]').click()`);
      let link = '';
      while (!link.includes('runs=both')) link = String(await run('location.href'));
      const parts = new URL(link).hash.split('&');
      expect(parts).to.contain('run=2');
      await open('example/0');
      await says('#about', 'live');
      await browser.click('#choose');
      await says('[data-name="challenge/two-clients"]', '\u2713');
      await run(`location.href = ${JSON.stringify(link)}`); // in the same tab
      await says('#about', 'two runs');
      await says('#title', 'Lab 13.');
      await browser.until(`document.querySelector('#servers :checked').value === '13'`);
      await browser.navigate(link.replace('#', '?both#'));
      await says('#about', 'two runs');
      expect(await run(`location.hash.split('&')`)).to.have.members(parts);
    });

    it('finds in the gallery, says what is typed, and goes back to this server', async () => {
      await choose();
      await says('#title', 'Lab 1. A length and chunks (CL.TE): attacker');
      await pick('#through', 'proxy');
      await run(`$('#choose').focus()`);
      await browser.press('Enter');
      await browser.until(`document.activeElement.id === 'search'`);
      await browser.type('second PIECES');
      await browser.until(`document.querySelectorAll('#found button').length === 1`);
      await browser.press('Enter');
      await browser.until(`document.querySelector('#text').value.startsWith('GET /ta')`);
      await says('#title', 'GET /tasks/1 in two pieces, a second apart');
      await says('#through-says', 'to the server');
      const server = `document.querySelector('#servers :checked').value`;
      await browser.until(`${server} === 'tasks' && ${isReady}`);
      await run(`$('#text').focus()`);
      await browser.type('x');
      await says('#title', 'apart, changed');
      for (let times = 0; times < 2; times += 1) await browser.press('z', true);
      const text = `document.querySelector('#text').value`;
      expect(await run(text)).to.match(/^POST \/tasks/);
      await browser.click('#send');
      await sees('POST /tasks');
      await browser.click('#choose');
      await says('[data-name="example/2"]', '\u2713');
      const search = `document.querySelector('#search').value`;
      expect(await run(search), 'of before').to.equal('');
      await run(`$('#gallery').hidePopover()`);
    });

    it('predicts first: says nothing of what is typed, of what happened, or received', async () => {
      await browser.click('#predict');
      await write('G(T /<img/src=x/onerror=alert(1)> HTTP/1.1\n');
      await saysOf('What will the server make of this?');
      expect(await run(`$('#looks .wrong')`)).to.equal(null);
      await browser.click('#send');
      await says('#bytes', 'What does the server do?');
      await sees('G(T /<img/src=x/onerror=alert(1)>, ?');
      expect(await run(`$('#through').disabled`), 'as if it stayed open').to.equal(true);
      expect(await browser.text('#now')).to.match(/:\s+\?$/);
      // Not with the mouse: the page may move the button before it is pressed.
      await run(`document.querySelector('.ask button:nth-of-type(2)').click()`);
      await says('#explanation', 'You said: it rejects it. It rejects it.');
      expect(await run(`document.querySelectorAll('img').length`)).to.equal(0);
      await run(`$('#clients [value=new]').click()`);
      await write('GET /t');
      await browser.click('#send');
      await says('.ask', 'What does the server do?');
      await run(`document.querySelector('.ask button:nth-of-type(3)').click()`);
      await says('#sent', 'Now type what comes next.');
      await run(`$('#clients [value=new]').click()`);
      await pick('#through', 'proxy');
      await write(GET);
      await browser.click('#send');
      await sees('GET /tasks/1');
      expect(await browser.text('#result')).to.equal('');
    });

    it('survives a reload, a second tab, and the end of its workbench', async () => {
      await pick('#through', 'proxy');
      await write(GET);
      await browser.click('#send');
      await says('#result', 'p1 received 200 OK');
      await browser.click('#send');
      await sees(', request 2');
      await run(`$('#lanes [role=option]').click()`); // the first one, which others may cover
      await write('GET /mine');
      const typed = `document.querySelector('#text')?.value === 'GET /mine'`;
      await browser.until(`/x=\\d+\\.1&.*mine/.test(location.hash)`);
      const link = await run('location.href');
      await browser.navigate(`${bench.workbench.origin}/?again`);
      await browser.until(typed);
      await says('#through-says', 'through a proxy without a mistake');
      const isWarned = says('#gone', 'Another tab shows this workbench'); // this one, too
      await browser.inAnotherTab(String(link), async () => {
        await browser.until(typed);
        await says('#gone', 'Another tab shows this workbench');
        await sees(', request 2');
        await browser.until(
          `document.querySelector('#lanes [role=option]').ariaSelected === 'true'`,
        );
        await isWarned;
      });
      await browser.until(`document.querySelector('#gone').textContent === ''`);
      const { pagePort, port } = bench.workbench;
      await run(`$('#send').focus()`);
      await bench.stop();
      await says('#gone', 'The workbench does not respond');
      expect(await run('document.activeElement.id')).to.equal('text');
      expect(await run(`$('#save').disabled && $('#clear').disabled`)).to.equal(true);
      expect(await browser.text('#clients')).to.equal('new');
      await says('#gone', '--page-port');
      expect(await browser.text('#about')).to.match(/^lost: /);
      expect(await browser.text('#now')).not.to.include('Now');
      expect(await run(isReady)).to.equal(false);
      bench = await TestBench.start(port, pagePort);
      await says('#gone', 'The workbench was started again');
      await browser.navigate(`${bench.workbench.origin}/`); // which is what its button does
      await browser.until(`${isReady} && ${typed}`);
      browser.problems.length = 0; // the connection that was refused
    });

    const WIDTHS = [
      [1366, 768],
      [1366, 633],
      [400, 900],
    ] as const;

    it('fits in 1366 and in 400 pixels: its buttons, the ways to a server, its help', async () => {
      for (const [width, height] of WIDTHS) {
        await browser.resize(width, height);
        await browser.drawn();
        const overflow = 'document.documentElement.scrollWidth - innerWidth';
        expect(await run(overflow), `${width}`).to.be.at.most(0);
        const hidden = await run(`(() => {
          const place = (id) => document.getElementById(id).getBoundingClientRect();
          for (const [id, times] of [['gone', 5], ['result', 4], ['sent', 5], ['judged', 8]])
            document.getElementById(id).textContent = 'There are two tabs. '.repeat(times);
          const end = innerWidth > 720 ? place('foot').top : innerHeight;
          const out = ['text', 'send', 'then', 'copy', 'sent'].filter((id) => {
            const { bottom, right, top } = place(id);
            return top < 0 || bottom > end || right > innerWidth;
          });
          const { clientHeight, scrollHeight } = document.getElementById('judged');
          return scrollHeight > clientHeight ? [...out, 'judged'] : out;
        })()`);
        expect(hidden, `${width}`).to.deep.equal([]);
        const ways = await run(`[...document.querySelector('#through').options]
          .map((option) => {
            option.selected = true;
            option.parentElement.dispatchEvent(new Event('change'));
            const says = document.querySelector('#through-says');
            const { height } = says.getBoundingClientRect();
            const isWhole = height <= says.parentElement.clientHeight &&
              says.scrollWidth <= says.clientWidth;
            return says.textContent === option.text && isWhole ? 'whole' : option.text;
          })`);
        expect(new Set(ways as string[]), `${width}`).to.deep.equal(new Set(['whole']));
        const help = await run(`(() => {
          document.querySelector('#help').click();
          const help = document.querySelector('#keys');
          const { bottom, top } = help.getBoundingClientRect();
          const { overflowY } = getComputedStyle(help);
          help.hidePopover();
          return [top >= 0, bottom <= innerHeight, overflowY];
        })()`);
        expect(help, `${width}`).to.deep.equal([true, true, 'auto']);
      }
    });

    it('moves no button, however many connections there are', async () => {
      /** Where buttons are, in each width. */
      const places = async (): Promise<unknown[]> => {
        const all: unknown[] = [];
        for (const [width, height] of WIDTHS) {
          await browser.resize(width, height);
          await browser.drawn();
          const ids = `['choose', 'cut', 'send', 'clear']`;
          const places = await run(`${ids}.map((id) => {
            const { left, top } = document.getElementById(id).getBoundingClientRect();
            return [id, left + scrollX, top + scrollY];
          })`);
          all.push(places);
        }
        return all;
      };
      const before = await places();
      await write('GET / HT');
      for (let client = 1; client <= 12; client += 1) {
        await run(`$('#clients [value=new]').click()`);
        await run(`(() => {
          for (let click = 0; click < 2; click += 1) document.querySelector('#send').click();
        })()`); // a double click opens one
        await browser.until(`document.querySelector('#clients :checked').value !== 'new'`);
        await write('GET / HT');
      }
      await says('#clients', 'c12');
      expect(await places()).to.deep.equal(before);
    });
  });
}
