/** A browser without a window, driven over the DevTools protocol: what a page shows, what
 * its keys do, and how it looks. It is found on this machine, or named by the variable
 * CHROME. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** How large a page is drawn, beside its own size: its layout stays the same, and nobody
 * looks at the pixels. */
const SCALE = 0.1;
/** What is not true by then never is, even on a busy machine. */
const PATIENCE_MS = 60_000;

/** First those that can have no window: they need two thirds of the processor time, or
 * less. */
const NAMES = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];

/** @returns the path of a browser, or undefined where there is none */
export function findBrowser(): string | undefined {
  const { CHROME, PATH = '' } = process.env;
  if (CHROME) return CHROME;
  const folders = PATH.split(delimiter);
  const paths = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => existsSync(path));
}

/** Of the keys that do something by themselves. */
const CODES: Record<string, number> = {
  Tab: 9,
  Enter: 13,
  Escape: 27,
  ArrowDown: 40,
  a: 65,
  z: 90,
};

type Parameters = { readonly [name: string]: unknown };
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Parameters;
  readonly result?: Parameters;
  readonly error?: { readonly message: string };
}

export class Browser {
  /** What went wrong on the page: errors, and what its policy forbade. */
  readonly problems: string[] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), 'browser-'));
  private readonly process: ChildProcess;
  private readonly input: Writable;
  private readonly waiting = new Map<number, (message: Message) => void>();
  private readonly listeners = new Map<string, (params: Parameters) => void>();
  private received = '';
  private sent = 0;
  private opened = 0;
  private looks = '';
  private session: unknown;

  private constructor(path: string) {
    const args = [
      '--headless',
      '--no-sandbox', // it shows our own files only, and root has no sandbox
      '--disable-gpu',
      // Two processes less: each takes its time to start, and for each message.
      '--in-process-gpu',
      '--enable-features=NetworkServiceInProcess2',
      '--hide-scrollbars',
      '--no-first-run',
      '--allow-pre-commit-input', // or a click is lost that comes before the first picture
      '--remote-debugging-pipe',
      `--user-data-dir=${this.folder}`,
      'about:blank',
    ];
    const stdio = ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] as const;
    this.process = spawn(path, args, { stdio: [...stdio] });
    const [, , , input, output] = this.process.stdio;
    this.input = input as Writable;
    (output as Readable).on('data', (data: Buffer) => this.receive(data.toString('utf8')));
    this.process.on('error', (error) => this.fail(`${path}: ${error.message}`));
    this.process.on('exit', () => this.fail('the browser ended'));
  }

  static async start(path: string): Promise<Browser> {
    const browser = new Browser(path);
    browser.session = await browser.attachToFirst();
    for (const domain of ['Inspector', 'Page', 'Runtime', 'Log'])
      await browser.call(`${domain}.enable`);
    return browser;
  }

  /** Opens a page. */
  async open(file: string, hash = ''): Promise<void> {
    this.opened += 1; // the same address with another hash would not load
    await this.navigate(`file://${file}?${this.opened}${hash}`);
    await this.drawn();
  }

  /** Waits until an expression is true on the page, however often that changes. */
  async until(expression: string): Promise<void> {
    const shown = await this.evaluate(`new Promise((resolve) => {
      const look = () => {
        if (!(${expression})) return;
        observer.disconnect();
        removeEventListener('focusin', look);
        clearTimeout(timer);
        resolve('');
      };
      const observer = new MutationObserver(look);
      const timer = setTimeout(
        () => resolve(location.href + ' ' + document.body.innerText),
        ${PATIENCE_MS},
      );
      const all = { attributes: true, characterData: true, childList: true, subtree: true };
      observer.observe(document.documentElement, all);
      addEventListener('focusin', look); // which changes no element
      look();
    })`);
    if (shown !== '') throw new Error(`not true: ${expression}, at ${String(shown)}`);
  }

  /** Types a text where the focus is. */
  async type(text: string): Promise<void> {
    await this.call('Input.insertText', { text });
  }

  /** Presses a key. @param isControl with the Control key */
  async press(key: string, isControl = false): Promise<void> {
    const own = {
      key,
      code: /^\w$/.test(key) ? `Key${key.toUpperCase()}` : key,
      windowsVirtualKeyCode: CODES[key] ?? 0,
      modifiers: isControl ? 2 : 0,
    };
    const text = key === 'Enter' && !isControl ? { text: '\r' } : {};
    const commands = key === 'a' && isControl ? ['selectAll'] : [];
    const down = { type: 'keyDown', ...own, ...text, commands };
    await this.call('Input.dispatchKeyEvent', down);
    await this.call('Input.dispatchKeyEvent', { type: 'keyUp', ...own });
  }

  /** Goes to another address, and waits until the page there is loaded. */
  async navigate(url: string): Promise<void> {
    const loaded = this.next('Page.loadEventFired');
    await this.call('Page.navigate', { url });
    await loaded;
  }

  /** Waits until what has happened on the page is drawn. */
  async drawn(): Promise<void> {
    const drawn = 'new Promise((done) => requestAnimationFrame(() => setTimeout(done)))';
    await this.evaluate(drawn);
  }

  /** @param scheme the colours that the reader prefers, or those of the system alone */
  async resize(
    width: number,
    height: number,
    scheme: 'light' | 'dark' | 'forced' = 'light',
  ): Promise<void> {
    const looks = JSON.stringify([width, height, scheme]);
    if (looks === this.looks) return; // else all of the page is laid out again
    this.looks = looks;
    const size = { width, height, deviceScaleFactor: 1, mobile: false, scale: SCALE };
    await this.call('Emulation.setDeviceMetricsOverride', size);
    const features = [
      { name: 'prefers-color-scheme', value: scheme === 'dark' ? scheme : 'light' },
      { name: 'forced-colors', value: scheme === 'forced' ? 'active' : 'none' },
    ];
    await this.call('Emulation.setEmulatedMedia', { features });
  }

  /** Shows the page as paper has it, or as a screen has it. */
  async print(isPrinted: boolean): Promise<void> {
    await this.call('Emulation.setEmulatedMedia', { media: isPrinted ? 'print' : '' });
    this.looks = ''; // the colours are as they were at first
  }

  /** @returns the value of an expression on the page, or what it promises */
  async evaluate(expression: string): Promise<unknown> {
    const { exceptionDetails: failure, result } = await this.call('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true, // else a page may not copy
      includeCommandLineAPI: true, // $ and $$
    });
    if (failure !== undefined) throw new Error(`${expression}: ${JSON.stringify(failure)}`);
    return (result as Parameters)['value'];
  }

  /** @returns the visible text of the first element that a selector matches */
  async text(selector: string): Promise<string> {
    const query = `document.querySelector(${JSON.stringify(selector)})`;
    return String(await this.evaluate(`${query}?.innerText ?? 'no ${selector}'`));
  }

  /** Clicks on an element whose middle nothing covers. (Not with the mouse: the browser
   * loses a click now and then when the page draws at the same moment.) */
  async click(selector: string): Promise<void> {
    const isClicked = await this.evaluate(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      element.scrollIntoView({ block: 'center' });
      const { x, y, width, height } = element.getBoundingClientRect();
      if (!element.contains(document.elementFromPoint(x + width / 2, y + height / 2))) return false;
      element.focus();
      element.click();
      return true;
    })()`);
    if (isClicked !== true) throw new Error(`something covers ${selector}`);
  }

  /** Does something in another tab, which is closed then. */
  async inAnotherTab(url: string, act: () => Promise<void>): Promise<void> {
    const { session } = this;
    const attached = this.next('Target.attachedToTarget');
    const { targetId } = await this.call('Target.createTarget', { url: 'about:blank' });
    this.session = (await attached)['sessionId'];
    try {
      await this.call('Page.enable');
      await this.navigate(url);
      await act();
    } finally {
      this.session = session;
      await this.call('Target.closeTarget', { targetId });
    }
  }

  /** @returns the roles and names of the accessibility tree, one to a line */
  async accessibleNames(): Promise<string[]> {
    const { nodes } = await this.call('Accessibility.getFullAXTree');
    type Node = { role?: { value: string }; name?: { value: string }; ignored: boolean };
    return (nodes as Node[])
      .filter(({ ignored }) => !ignored)
      .map(({ role, name }) => `${role?.value} ${name?.value ?? ''}`);
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.process.on('exit', resolve));
    await this.call('Browser.close').catch(() => {}); // it may end before it replies
    await ended;
    // Its helper processes may end a little later.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20 });
  }

  /** The browser has a page when it starts; another one would be one more process. */
  private async attachToFirst(): Promise<unknown> {
    const attached = this.next('Target.attachedToTarget');
    await this.call('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: false,
      flatten: true,
      filter: [{ type: 'page' }],
    });
    return (await attached)['sessionId'];
  }

  /** Waits for the next event of a kind. */
  private next(method: string): Promise<Parameters> {
    return new Promise((resolve) => this.listeners.set(method, resolve));
  }

  private call(method: string, params: Parameters = {}): Promise<Parameters> {
    const id = (this.sent += 1);
    const session = this.session === undefined ? {} : { sessionId: this.session };
    this.input.write(`${JSON.stringify({ id, method, params, ...session })}\0`);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, ({ error, result = {} }) => {
        if (error === undefined) resolve(result);
        else reject(new Error(`${method}: ${error.message}`));
      });
    });
  }

  private receive(text: string): void {
    const messages = (this.received + text).split('\0');
    this.received = messages.pop() ?? '';
    for (const message of messages) this.handle(JSON.parse(message));
  }

  private handle(message: Message): void {
    const { id, method = '', params = {} } = message;
    if (id !== undefined) {
      this.waiting.get(id)?.(message);
      this.waiting.delete(id);
    }
    if (method === 'Runtime.exceptionThrown' || method === 'Log.entryAdded') {
      this.problems.push(JSON.stringify(params));
    }
    // Or what waits for the page would wait in vain.
    if (method === 'Runtime.exceptionThrown' || method === 'Inspector.targetCrashed')
      this.fail(`${method} ${JSON.stringify(params)}`);
    this.listeners.get(method)?.(params);
    this.listeners.delete(method);
  }

  private fail(message: string): void {
    for (const [, settle] of this.waiting) settle({ error: { message } });
    this.waiting.clear();
  }
}
