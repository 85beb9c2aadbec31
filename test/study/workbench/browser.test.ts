/** The workbench as a reader has it: in a browser without a window, where one is
 * installed. */
import { expect } from 'chai';
import { toCommand } from '../../../src/study/shell';
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
    /** Whether the page is to be loaded: at first, and after a test that failed. */
    let isWorn = true;
    beforeEach(async () => {
      browser.problems.length = 0;
      await browser.resize(1366, 768);
      if (isWorn) await load();
      else await beginAnew();
    });
    afterEach(function () {
      if (this.currentTest?.state === 'failed') isWorn = true;
      expect(browser.problems).to.deep.equal([]);
    });

    /** Loads the page, from a workbench that has forgotten what happened. (A workbench of
     * its own would be another origin, for which a browser starts a process.) */
    async function load(): Promise<void> {
      await bench.forget();
      await browser.navigate(bench.workbench.address);
      await saysOf('One request is complete');
      await says('#about', 'live'); // it has been told of the server
      isWorn = false;
    }
    /** Makes the page as it was when it was loaded, by its own means: that takes a fraction
     * of the time of a load. */
    async function beginAnew(): Promise<void> {
      await browser.evaluate(`(() => {
        for (const button of document.querySelectorAll('[aria-pressed="true"]')) button.click();
        document.activeElement.blur();
        document.querySelector('#text').value = '';
      })()`);
      await pick('#menu', 'example/0');
      await browser.until(`document.querySelector('#text').value !== '' && ${isReady} &&
        document.querySelector('#server').value === 'tasks'`);
      await browser.evaluate(`(() => {
        document.querySelector('#menu').value = '';
        document.querySelector('#sent').textContent = 'not cleared yet';
        document.querySelector('#clear').click();
      })()`);
      await browser.until(`document.querySelector('#sent').textContent === ''`);
      await browser.until(`document.querySelectorAll('#clients input').length === 1 &&
        document.querySelector('#lanes [aria-label^="c"]') === null`);
      await saysOf('One request is complete');
    }
    /** Waits until an element says something. */
    const says = (selector: string, text: string): Promise<void> =>
      browser.until(
        `document.querySelector('${selector}')?.textContent.includes(${JSON.stringify(text)})`,
      );
    /** Waits until the name of an exchange says something. */
    const sees = (text: string, which = ''): Promise<void> =>
      browser.until(`[...document.querySelectorAll('#lanes [role=option]${which}')]
        .some(({ ariaLabel }) => ariaLabel.includes(${JSON.stringify(text)}))`);
    /** Chooses an exchange, by its number: others may lie over it. */
    const openExchange = (number: number): Promise<unknown> =>
      browser.evaluate(`(() => {
        const span = document.querySelectorAll('#lanes [role=option]')[${number - 1}];
        span.dispatchEvent(new Event('pointerdown', { bubbles: true }));
        span.click();
        span.dispatchEvent(new Event('pointerup', { bubbles: true }));
      })()`);
    const saysOf = (text: string): Promise<void> => says('#judged', text);
    /** The names of the rows, with the connections of the test counted from c1. */
    async function rows(): Promise<string[]> {
      const labels = await browser.evaluate(
        `[...document.querySelectorAll('#lanes [role=option]')]
          .map((one) => one.ariaLabel.replace(/, after [^,]*$/, ''))`,
      );
      const known: string[] = [];
      return (labels as string[]).map((label) =>
        label.replace(/^c\d+/, (name) => {
          if (!known.includes(name)) known.push(name);
          return `c${known.indexOf(name) + 1}`;
        }),
      );
    }
    /** Goes to an element with the Tab key. */
    async function tabTo(selector: string): Promise<void> {
      for (let keys = 0; keys < 60; keys += 1) {
        if (await browser.evaluate(`document.activeElement.matches('${selector}')`)) return;
        await browser.strike('Tab');
      }
      throw new Error(`the Tab key does not lead to ${selector}`);
    }
    /** Types a text in place of what is there. */
    async function write(text: string): Promise<void> {
      await browser.evaluate(`document.querySelector('#text').focus()`);
      await browser.strike('a', true);
      await browser.type(text);
    }
    const isReady = `document.querySelector('#send:enabled') !== null`;
    /** Chooses an option of a menu. */
    const pick = (menu: string, value: string): Promise<unknown> =>
      browser.evaluate(`(() => {
        const menu = document.querySelector('${menu}');
        menu.value = '${value}';
        menu.dispatchEvent(new Event('change'));
      })()`);

    /** Chooses an experiment: its server without the defence, and its first request. (Of the
     * first one alone: the server of each takes a second of the processor.) */
    async function choose(number = 1): Promise<void> {
      await pick('#menu', `lab/${number}`);
      await browser.until(
        `document.querySelector('#server').value === '${number} ${number}'`,
      );
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
      await browser.strike('a', true);
      await browser.type(`${HEAD}he`);
      await saysOf('waits for 3 more bytes of the content');
      await browser.strike('Enter', true);
      await says('#now', 'waits for 3 more bytes of the content');
      expect(await browser.text('#now')).to.match(
        /^Now c\d+:\s+the server waits for 3 more .*\s+[\d.]+ s left of 60 seconds, then 408/,
      );
      const meter = await browser.evaluate(`document.querySelector('#now meter').value`);
      expect(meter).to.be.within(1, 60);
      await browser.until(`document.querySelector('#clients :checked').value === '1'`);
      await says('#sent', 'Now type what comes next.'); // it takes room from the list, too
      await browser.drawn();
      await browser.drawn();
      expect(await browser.evaluate(isStepInSight), 'the step').to.equal(true);
      await saysOf(
        '0 bytes. It would follow the 54 bytes sent before. The server waits for 3',
      );
      await browser.type('l\u2016lo');
      await saysOf('It would follow the 54 bytes sent before. One request');
      await browser.strike('Enter', true);
      await sees('200 OK');
      await says('.msg', ', in 3 pieces');
      await says('#bytes .lane.cut', 'for 3 more bytes of the content'); // it stays in sight
      expect(await browser.text('#bytes')).to.match(/waited [\d.]+ ms for 3 more bytes/);
    });

    it('judges what is typed: what it would wait for, and which byte is wrong', async () => {
      await write('GET /tas');
      await saysOf('8 bytes. The server waits for the end of the request line');
      await write('GET / HTTP/1.1\nHost : a\n\n');
      await saysOf('The server rejects it with 400: White space');
      await browser.until(`document.querySelector('#looks .wrong')?.textContent === ' '`);
      expect(await browser.text('#looks .k-method')).to.equal('GET');
      const before = `document.querySelector('#looks .wrong').previousSibling.textContent`;
      expect(await browser.evaluate(before)).to.equal('Host');
    });

    it('gives looks to the lines in sight, and draws again only what changes', async () => {
      const get = 'GET /tasks/1 HTTP/1.1\nHost: a\n\n';
      await browser.evaluate(`(() => {
        const ask = fetch;
        window.asked = 0;
        window.fetch = (path, options) => {
          if (path.startsWith('/judge')) window.asked += 1;
          return ask(path, options);
        };
      })()`);
      await write(get.repeat(16)); // a key for each line: most need no judgement of their own
      await saysOf('16 requests are complete');
      expect(await browser.evaluate('window.asked')).to.be.within(1, 16);
      const looked = `document.querySelectorAll('#looks .k-method').length`;
      expect(await browser.evaluate(looked)).to.be.within(3, 15);
      const lines = `document.querySelector('#looks').innerText.split('\\n').length`;
      expect(await browser.evaluate(lines)).to.equal(49);
      await browser.evaluate(`document.querySelector('#editor').scrollTop = 0`);
      await browser.until(`document.querySelector('#looks div .k-method') !== null`);
      await browser.evaluate(`(() => {
        window.drawn = 0;
        new MutationObserver((all) => {
          for (const { addedNodes } of all) window.drawn += addedNodes.length;
        }).observe(document.querySelector('#looks'), { childList: true });
        document.querySelector('#text').setSelectionRange(5, 5);
      })()`);
      await browser.type('x');
      await says('#judged', `${get.length * 16 + 16 * 3 + 1} bytes`);
      expect(await browser.evaluate('window.drawn')).to.equal(1);
      await browser.evaluate(`document.querySelector('#editor').scrollTop = 1e9`);
      await browser.until(`document.querySelector('#looks div:last-child .k-method')`);
    });

    it('chooses a new connection where the server has closed one at once', async () => {
      await write('GET / HTTP/1.1\nHost: a\nConnection: close\n\n');
      await browser.click('#send');
      await sees('200 OK');
      await browser.until(`document.querySelector('#clients :checked').value === 'new'`);
    });

    it('chooses a connection with the arrow keys', async () => {
      const chosen = `String([document.querySelector('#clients :checked').value,
        document.querySelector('#through').disabled])`;
      await write(GET);
      await browser.click('#send');
      await browser.until(`${chosen} === '1,true'`);
      await browser.evaluate(`document.querySelector('#clients :checked').focus()`);
      await browser.strike('ArrowDown');
      expect(await browser.evaluate(chosen)).to.equal('new,false');
      await browser.strike('ArrowDown');
      expect(await browser.evaluate(chosen)).to.equal('1,true');
    });

    it('judges again, and stays at what is chosen by a click, if another page sends', async () => {
      await write(`${GET}GET /t`);
      await saysOf('waits for the end of the request line');
      await browser.click('#send');
      await saysOf('0 bytes. It would follow the 6 bytes sent before.');
      await sees('200 OK');
      await openExchange(1);
      const before = await rows();
      await browser.evaluate(`(() => {
        const { token } = JSON.parse(document.querySelector('#bench').textContent);
        const headers = { 'Workbench-Token': token };
        fetch('/send?client=1&through=server', { method: 'POST', headers, body: 'a' });
      })()`);
      await saysOf('0 bytes. It would follow the 7 bytes sent before.');
      expect(await rows()).to.deep.equal(before.map((row) => row.replace('/t,', '/ta,')));
      const chosen = `document.querySelector('#lanes [aria-selected=true]').ariaLabel`;
      expect(await browser.evaluate(chosen)).to.match(/200 OK, after /);
    });

    it('says which way a connection goes, and what its proxy has sent by itself', async () => {
      await pick('#through', 'proxy');
      await saysOf('If this is forwarded, the server responds');
      await browser.click('#send');
      await browser.until(`document.querySelector('#clients :checked').value === '1'`);
      await pick('#menu', 'example/1');
      await says('#through-says', 'to the server');
      await saysOf('One request is complete. The server responds');
      await browser.click('#clients [value="1"]');
      await says('#through-says', 'through a proxy without a mistake');
      await write('DELETE /tasks/1 HTTP/1.1\nHost: a\n\n');
      await browser.click('#send');
      await says('#newest', 'p1 sent DELETE /tasks/1 and received:');
      await says('#newest', 'The server did not send this: the proxy did.');
    });

    it('knows what was sent through the proxy: in parts, or not all of it yet', async () => {
      await pick('#through', 'proxy');
      await write('GET /tas');
      await saysOf('waits for the end of the request line');
      await browser.click('#send');
      await says('#newest', 'p1 sent GET /tas and has received nothing yet.');
      await says(
        '#newest',
        'The proxy has not forwarded it: it waits for the rest of the request.',
      );
      await saysOf('It would follow the 8 bytes');
      await browser.type('ks/1 HTTP/1.1\nHost: a\n\n');
      await browser.click('#send');
      await says('#newest', 'p1 sent GET /tasks/1 and received:');
      await says('#newest', 'This is the response to what it sent: GET /tasks/1.');
      await write('GET /tas');
      await browser.click('#send');
      await says('#newest', 'p1 sent GET /tas and has received nothing yet.');
      await browser.evaluate(`document.querySelector('#clients [value=new]').click()`);
      await write('GET /\u20165000\u2016tasks');
      await saysOf('10 bytes. If this is forwarded, the server waits');
      await browser.click('#send');
      await says(
        '#newest',
        'p2 has not sent all of GET /tasks and has received nothing yet.',
      );
      await saysOf('It would follow 10 bytes, of which 5 are still to be sent.');
      expect(await browser.text('#sent')).to.equal('Now type what comes next.');
    });

    it('shows a rejection with both readings, and what the victim gets', async () => {
      await pick('#menu', 'example/3');
      await saysOf('Transfer-Encoding together with Content-Length');
      await pick('#through', 'content-length');
      await browser.click('#send');
      await sees('\u2716');
      await browser.until(`document.querySelectorAll('.rd.second').length > 0`);
      expect(await browser.text('.after')).to.contain('DELETE /tasks/1');
      // The other readers stand beside the bytes, also where a scrollbar takes 15 pixels.
      const bytes = `document.querySelector('#bytes')`;
      await browser.evaluate(`${bytes}.style.marginRight = '15px'`);
      const text = `document.querySelector('.rd .says').checkVisibility()`;
      expect(await browser.evaluate(text)).to.equal(true);
      await browser.evaluate(`${bytes}.style.marginRight = ''`);
      await says('#received', 'HTTP/1.1 400 Bad Request');
      await write(GET);
      await browser.evaluate(`document.querySelector('#clients [value=new]').click()`);
      await browser.click('#send');
      await says('#received', 'HTTP/1.1 200 OK');
      await says('#proxy-says', 'it goes by Content-Length');
    });

    /** Sends what the experiment has typed, and waits until its client has a response. */
    async function sendAs(client: string): Promise<void> {
      await browser.until(isReady);
      await browser.evaluate(`document.querySelector('#send').click()`);
      await says('#newest h2', `The ${client}`);
      await says('#newest h2', 'and received:');
    }
    const victimSends = `document.querySelector('#text').value.startsWith('GET /tasks/2')`;

    it('lets two clients of an experiment meet: one of them has to wait', async () => {
      await choose(13);
      await says('#story', 'all four arrive at once');
      expect(await browser.text('#story')).not.to.contain('terminal');
      expect(await browser.text('#through-says')).to.equal('to the server');
      await saysOf('3 requests are complete');
      await browser.until(isReady);
      await browser.click('#send');
      await says(
        '#sent',
        'Held: it begins with the next send. The editor now has what client 2 of Lab 13 sends',
      );
      await browser.click('#send');
      // Of lanes that are wider than the window, only what is in sight is drawn.
      await browser.resize(6000, 768);
      const done = `document.querySelectorAll('#lanes [aria-label*="200 OK"]')`;
      await browser.until(`${done}.length === 4`);
      const clients = (await rows()).map((label) => label.slice(0, 2));
      // Not with the mouse: what happens next moves the rows, and chooses another one.
      const turns = (await browser.evaluate(`[...${done}].map((row) => {
        row.click();
        const { innerText } = document.querySelector('#bytes .bar');
        return Number(/request (\\d+) of the server$/.exec(innerText)[1]);
      })`)) as number[];
      const first = Math.min(...turns);
      const handled = turns.map((_, turn) => clients[turns.indexOf(first + turn)]);
      expect(handled).to.deep.equal(['c1', 'c1', 'c1', 'c2']); // without the defence
    });

    it('plays an experiment: without its defence, and then with it', async () => {
      await choose();
      await saysOf('2 requests are complete');
      await says('#story[open] p', 'The proxy lets no DELETE through.');
      expect(await browser.evaluate(`document.querySelector('#through').value`)).to.equal(
        'content-length',
      );
      await sendAs('attacker (p1) sent POST /tasks');
      await sees('DELETE /tasks/1');
      await sees('POST /tasks', '[aria-selected=true]'); // the one that is read differently
      await browser.until(`!document.querySelector('#story').open`);
      expect(await browser.text('#newest p')).to.equal(
        'This is the response to what it sent: POST /tasks.',
      );
      await browser.until(victimSends);
      await sendAs('victim (p2) asked for GET /tasks/2');
      await says('#sent', 'without its defence. Now choose "Lab 1: defended".');
      expect(await browser.text('#newest')).to.match(
        /^HTTP\/1\.1 200 OK$[^]*^\{"deleted":true\}$/m,
      );
      expect(await browser.text('#newest .bad')).to.equal(
        'This is not the response to what it sent, but to another request: DELETE /tasks/1, ' +
          "which was in the 50 bytes that the proxy took for the attacker's content.",
      );
      await openExchange(1); // the POST
      await says('#bytes', 'its content: 50 bytes, 45 of them after this request');
      await browser.click('[data-at="55"]'); // its Content-Length
      await says('.related', 'says 50 bytes, ignored');
      await says('.card.byte dl', 'The proxygoes by Content-Length');
      await browser.click('[data-at="89"]'); // the size of the last chunk
      await says('.card.byte', 'its content: 50 bytes');
      await openExchange(2); // the DELETE, of which the proxy knows nothing
      await says('#bytes', 'DELETE');
      await browser.click('[data-at="0"]');
      expect(await browser.text('.card.byte dl')).to.match(
        /^The proxy\s+content of POST \/tasks: 50 bytes$/,
      );
      await openExchange(3); // the GET of the victim
      await says('#bytes', 'User-Agent');
      await browser.click('[data-at="0"]');
      expect(await browser.text('.card.byte')).not.to.contain('The proxy');
      await pick('#server', 'tasks 1');
      await saysOf('the server rejects it with 400: Transfer-Encoding together');
      expect(await browser.text('#sent')).to.equal(''); // it has been done
      await browser.until(`document.querySelector('#lanes [aria-label*="POST"]') === null`);
      await sendAs('attacker (p1)');
      await sees('\u2716');
      expect(await browser.text('.heads')).to.match(
        /^The server[^]*The proxy[^]*Another reader/,
      );
      expect(await browser.text('.after')).to.match(
        /^If this were accepted: the proxy forwards one request[^]*Another reader goes by/,
      );
      expect(await browser.text('.after')).not.to.contain('Lab 1'); // that is here
      await browser.until(victimSends);
      await sendAs('victim (p2)');
      await says('#sent', 'That was Lab 1, with its defence.');
      expect(await browser.text('#newest > pre:last-of-type')).to.contain('"id":2');
      expect(await browser.text('#newest p:not(.bad)')).to.equal(
        'This is the response to what it sent: GET /tasks/2.',
      );
      await browser.click('#clear');
      await saysOf('the server rejects it with 400'); // it begins anew
      await browser.until(`document.querySelector('#result').hidden`);
      expect(await browser.text('#sent')).to.equal('');
    });

    it('says which request is typed, tells its story, and goes back to this server', async () => {
      const typed = `document.querySelector('#menu').selectedOptions[0].text`;
      const unfocus = `document.querySelector('#menu').value = ''`;
      await browser.evaluate(unfocus);
      expect(await browser.evaluate(typed)).to.equal('GET /tasks');
      await choose();
      await browser.evaluate(unfocus);
      await browser.until(`${typed} === 'Lab 1. A length and chunks (CL.TE): attacker'`);
      await pick('#menu', 'STEPS.md/0');
      const story = '#story:not([hidden])';
      await says(`${story}[open] > summary`, 'Program 1: the bytes on the left break it');
      await says(`${story} p`, 'The program takes each piece that arrives as a request');
      const outcome = '#outcome:not([hidden]):not([open])';
      await says(`${outcome} > summary`, 'What happened to program 1');
      await says(`${outcome} pre`, '"path":"/ta"');
      await browser.until(`document.querySelector('#text').value.startsWith('GET /ta')`);
      await browser.evaluate(unfocus);
      expect(await browser.evaluate(typed)).to.equal(
        '1. Respond to anything: GET /tasks/1',
      );
      await browser.evaluate(`document.querySelector('#text').focus()`);
      await browser.type('x');
      await browser.until(`${typed} === '1. Respond to anything: GET /tasks/1, changed'`);
      const way = `String([...document.querySelectorAll('#server, #through')]
        .map((one) => one.value))`;
      await browser.until(`${way} === 'tasks,server'`);
      await browser.until(isReady);
      await browser.click('#send');
      await says(`${story}:not([open]) > summary`, 'Program 1');
      await browser.click('#outcome summary'); // it is in sight
      await browser.until(`document.querySelector('#outcome').open`);
      await pick('#through', 'proxy');
      await pick('#menu', 'example/1');
      await browser.until(`${way} === 'tasks,server'`);
      await browser.until(`document.querySelector('#story').hidden`);
    });

    it('goes back to this server after a reload, too', async () => {
      await choose();
      await browser.navigate(bench.workbench.address);
      await browser.until(`document.querySelector('#server').value === '1 1'`);
      await pick('#menu', 'example/1');
      await browser.until(`document.querySelector('#server').value === 'tasks'`);
    });

    it('knows own bytes: no response like theirs, and nothing of an experiment', async () => {
      await choose();
      await saysOf('2 requests are complete');
      const smuggled = 'GET /tasks/2 HTTP/1.1\nHost: b\nConnection: close\n\n';
      await write(
        'POST /tasks HTTP/1.1\nHost: a\nContent-Length: 58\n' +
          `Transfer-Encoding: chunked\n\n0\n\n${smuggled}`,
      );
      await sendAs('attacker (p1)');
      await browser.until(victimSends);
      await sendAs('victim (p2) asked for GET /tasks/2');
      expect(await browser.text('#newest .bad')).to.contain(
        "GET /tasks/2, which was in the 58 bytes that the proxy took for the attacker's content.",
      );
      await write(GET);
      await browser.evaluate(`document.querySelector('#clients [value=new]').click()`);
      await browser.click('#send');
      await says('#newest h2', 'p3 sent GET /tasks/1');
      expect(await browser.text('#sent')).to.equal('');
      await pick('#server', 'tasks 1'); // what its clients send is still to be sent
      await browser.until(`document.querySelector('#text').value.startsWith('POST')`);
      await pick('#server', 'tasks');
      await browser.until(isReady);
      await write(GET);
      await browser.click('#send');
      await browser.until(`/^c\\d/.test(document.querySelector('#clients').textContent)`);
      expect(await browser.text('#sent')).to.equal('');
      expect(await browser.evaluate(`document.querySelector('#text').value`)).to.equal(GET);
    });

    it('tells its choices in their order, also where a request takes long', async () => {
      await choose();
      await browser.until(isReady);
      // The first of two choices is still on its way when the second one is made.
      await browser.evaluate(`(() => {
        const ask = window.ask = fetch;
        window.fetch = async (path, options) => {
          const isFirst = path === '/server?name=tasks';
          if (isFirst) await new Promise((resolve) => setTimeout(resolve, 100));
          const response = await ask(path, options);
          if (path.startsWith('/server')) document.body.dataset.told += path.slice(-1);
          if (path.startsWith('/events')) document.body.dataset.told += '.';
          return response;
        };
      })()`);
      await pick('#server', 'tasks 1');
      await pick('#server', '1 1');
      // The page has asked what has happened, after both were told.
      await browser.until(`/[1s].*[1s].*\\.\\./.test(document.body.dataset.told)`);
      await browser.drawn();
      const chosen = await browser.evaluate(`document.querySelector('#server').value`);
      expect(chosen).to.equal('1 1');
      await browser.evaluate(`window.fetch = window.ask`);
    });

    it('holds a send, so that two connections meet in the queue', async () => {
      await write(GET);
      await browser.click('#hold');
      await browser.click('#send');
      await says('#sent', 'Held');
      await browser.click('#send');
      await says('#steplist', 'place 2, behind c');
      const done = `document.querySelectorAll('#lanes [aria-label*="200 OK"]').length`;
      await browser.until(`${done} === 2`);
      expect(await rows()).to.include.ordered.members([
        'c1, GET /tasks/1, 200 OK',
        'c2, GET /tasks/1, 200 OK',
      ]);
    });

    it('copies what is typed as a command for the server that is chosen', async () => {
      await browser.evaluate(`navigator.clipboard.writeText = (text) => {
        window.copied = text;
        return Promise.resolve();
      }`);
      await write('GET /‖300‖tasks/1 HTTP/1.1\n\n');
      await browser.click('#copy');
      await says('#sent', 'Copied.');
      const pieces = ['GET /', 300, 'tasks/1 HTTP/1.1\r\n\r\n'];
      expect(await browser.evaluate('window.copied')).to.equal(
        toCommand(pieces, bench.workbench.port),
      );
      await pick('#through', 'proxy');
      await browser.click('#copy');
      await says('#sent', 'Copied. It sends to the server, not through the proxy.');
    });

    it('predict first: says nothing of what is typed, or of what happened', async () => {
      await browser.click('#predict');
      await write('G(T / HTTP/1.1\n');
      await saysOf('What will the server make of this?');
      expect(await browser.evaluate(`document.querySelector('#looks .wrong')`)).to.equal(
        null,
      );
      await browser.click('#send');
      await says('#bytes', 'What does the server do?');
      expect(await rows()).to.include('c1, G(T /, ?');
      // Not with the mouse: the page may move the button before it is pressed.
      await browser.evaluate(
        `document.querySelector('.ask button:nth-of-type(2)').click()`,
      );
      await says('#explanation', 'You said: it rejects it. It rejects it.');
    });

    it('predict first: follows what arrives, and shows nothing that comes of it', async () => {
      await browser.click('#predict');
      await write('GET /tasks/1 HT');
      await browser.click('#send');
      await says('#bytes', 'What does the server do?');
      await write('TP/1.1\nHost: a\n\n');
      await browser.click('#send');
      await says('#bytes', 'Host: a');
      expect(await browser.text('#bytes')).to.match(
        /What does the server do\?[^]*Just show it$/,
      );
    });

    it('predict first: what a client of the proxy received is told when one asks', async () => {
      const isTold = `!document.querySelector('#proxy').hidden`;
      await browser.click('#predict');
      await pick('#through', 'proxy');
      await write(GET);
      await browser.click('#send');
      await says('#newest', 'p1 sent GET /tasks/1. What does it receive?');
      await browser.until(
        `document.querySelector('#proxy-says').textContent.includes('200')`,
      );
      expect(await browser.text('#newest')).to.not.match(/200|title|response/);
      expect(await browser.evaluate(isTold)).to.equal(false);
      await browser.evaluate(`document.querySelector('#newest button').click()`);
      await says('#newest', 'HTTP/1.1 200 OK'); // the proxy had it before its client
      expect(await browser.evaluate(isTold)).to.equal(true);
      await browser.click('#send');
      await says('#newest', 'What does it receive?');
      await browser.click('#predict');
      await says('#newest', 'This is the response to what it sent');
    });

    it('resets a connection, and forgets what happened', async () => {
      await says('#bytes', 'Choose a request on the left');
      await write('GET / HT');
      await browser.click('#send');
      await says('#clients :has(:checked)', 'c');
      await sees('GET / HT');
      await browser.click('#reset');
      await says('#steplist', 'the client reset the connection');
      await browser.click('#clear');
      await browser.until(`document.querySelectorAll('#lanes [role=option]').length === 0`);
      for (const pane of ['#steplist', '#explanation', '#step-number'])
        expect(await browser.text(pane), pane).to.equal('');
      expect(await browser.text('#bytes')).to.equal(
        'Choose a request on the left, and press Send. What arrives at the server is shown ' +
          'here, byte by byte, and what the server makes of it.',
      );
    });

    it('has hostile bytes as text only', async () => {
      await write('GET /<img/src=x/onerror=alert(1)> HTTP/1.1\nHost: <b>\n\n');
      await browser.click('#send');
      await sees('<img/src=x');
      expect(await browser.evaluate(`document.querySelectorAll('img').length`)).to.equal(0);
    });

    const WIDTHS = [
      [1366, 768],
      [400, 900],
    ] as const;

    it('fits in 1366 and in 400 pixels: its buttons, the ways to a server, its help', async () => {
      for (const [width, height] of WIDTHS) {
        await browser.resize(width, height);
        await browser.drawn();
        const overflow = 'document.documentElement.scrollWidth - innerWidth';
        expect(await browser.evaluate(overflow), `${width}`).to.be.at.most(0);
        const hidden =
          await browser.evaluate(`['text', 'send', 'send-close', 'reset', 'copy']
          .filter((id) => {
            const { bottom, right, top } = document.getElementById(id).getBoundingClientRect();
            return top < 0 || bottom > innerHeight || right > innerWidth;
          })`);
        expect(hidden, `${width}`).to.deep.equal([]);
        const ways = await browser.evaluate(`[...document.querySelector('#through').options]
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
        const help = await browser.evaluate(`(() => {
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

    it('shows what the victim got, and moves no button, whatever happens', async () => {
      /** Where buttons are, in each width. */
      const places = async (): Promise<unknown[]> => {
        const all: unknown[] = [];
        for (const [width, height] of WIDTHS) {
          await browser.resize(width, height);
          await browser.drawn();
          const here =
            await browser.evaluate(`['menu', 'cut', 'send', 'hold', 'clear'].map((id) => {
            const { left, top } = document.getElementById(id).getBoundingClientRect();
            return [id, left + scrollX, top + scrollY];
          })`);
          all.push(here);
        }
        return all;
      };
      const before = await places();
      await write('GET / HT');
      await browser.evaluate(`(() => {
        for (let client = 1; client <= 12; client += 1) {
          document.querySelector('#clients [value=new]').click();
          document.querySelector('#send').click();
        }
      })()`);
      await browser.until(
        `/c\\d\\d.*c\\d\\d/.test(document.querySelector('#clients').textContent)`,
      );
      expect(await places()).to.deep.equal(before);
      await choose();
      await pick('#server', 'tasks 1');
      await saysOf('the server rejects it');
      const [, [width, height]] = WIDTHS;
      await browser.resize(width, height);
      await browser.drawn(); // or a click may go to where nothing is any more
      await sendAs('attacker');
      await browser.until(victimSends);
      await sendAs('victim');
      for (const size of [...WIDTHS].reverse()) {
        await browser.resize(size[0], size[1]);
        await browser.drawn();
        await browser.drawn();
        const isInSight = `(() => {
          const { top, bottom } = document.getElementById('newest').getBoundingClientRect();
          const { clientHeight, scrollHeight } = document.getElementById('result');
          return top >= 0 && bottom <= innerHeight && scrollHeight <= clientHeight;
        })()`;
        expect(await browser.evaluate(isInSight), String(size)).to.equal(true);
      }
      expect(await places()).to.deep.equal(before);
    });
  });
}
