/// <reference lib="dom" />
/** The live page: what somebody does and what the workbench tells change one state, and the
 * page shows it. */
import { Conversation } from '../../../page/model/conversation';
import type { ExchangeData, PageData } from '../../../page/model/page-data';
import { Page } from '../../../page/view/app';
import { byId } from '../../../page/view/dom';
import type { Mistake } from '../../../naive/naive-request';
import { piecesOf, writeScript } from '../../bytes';
import { toCommand } from '../../shell';
import type { ProxyLine } from '../../../trace/proxy-events';
import type { EventsData } from '../bench';
import type { BenchData } from '../page';
import { keptOf, readAddress, writeAddress, type Kept } from './address';
import { Composer, onClick } from './composer';
import { Gallery } from './gallery';
import { Workbench } from './link';
import { Result } from './result';
import {
  beginWith,
  DIRECT,
  judgedKey,
  needsJudging,
  obstacle,
  requestOf,
  TASKS,
  update,
  type Action,
  type Play,
} from './state';
import { foldStory, showStory } from './story';

/** How long the page waits before it asks again, in milliseconds: at first, where nothing
 * happens, and where nobody responds. */
const SOON = 60;
const LATER = 500;
const RETRY = 1000;
/** How long a press may hold back what is shown, in milliseconds. */
const PRESS = 1000;
/** How long after a change it is kept, in milliseconds. */
const KEEP = 200;
/** Where the tab keeps what is typed, and which lock says that it was the first. */
const KEPT = 'kept';
const LOCK = 'workbench';
/** How much of what the proxy told is kept. */
const PROXY_LINES_KEPT = 1000;
const FIRST_REQUEST = 'example/0';

class Live {
  private readonly data: BenchData = JSON.parse(byId('bench').textContent ?? '');
  private readonly workbench = new Workbench(this.data.token, (link) => {
    if (link !== this.state.link) this.act({ type: 'link', link });
  });
  private readonly page = new Page();
  private readonly result = new Result();
  private state = beginWith();
  private readonly composer = new Composer(this.data, {
    act: (action) => this.act(action),
    send: () => void this.attempt(() => this.send()),
    choose: (server) => void this.attempt(() => this.choose(server)),
  });
  private readonly gallery = new Gallery(
    this.data.menu,
    (name, title) => void this.attempt(() => this.open(name, title)),
  );
  private revision = -1;
  private readonly conversation = new Conversation();
  private trace: PageData | undefined;
  private proxy: readonly ProxyLine[] = [];
  private proxied = 0;
  private readonly named = new WeakMap<ExchangeData, ExchangeData>();
  /** The server that is shown. */
  private shown = '';
  /** The request of the gallery that is typed: an earlier one may arrive later. */
  private typed = '';
  /** How many choices of a server have begun or ended: what was asked before may be told
   * after them. */
  private choices = 0;
  private isJudging = false;
  /** Whether the page goes to what happens: until something else is chosen. */
  private isFollowing = true;
  private delay = SOON;
  private wake = (): void => {};
  /** The time of the server, less that of the page. */
  private offset = 0;
  /** A button that is drawn again while it is pressed would lose its click. */
  private released = Promise.resolve();
  private keeping = 0;

  constructor() {
    this.listen();
    void this.attempt(() => this.restore());
    void this.poll();
    void navigator.locks.request(LOCK, { ifAvailable: true }, (lock) => this.hold(lock));
    setInterval(() => {
      const isLive = this.state.link === 'live';
      if (isLive) this.page.tick(performance.now() + this.offset);
    }, LATER);
  }

  private listen(): void {
    onClick('clear', () => void this.attempt(() => this.clear()));
    onClick('copy', () => void this.copy());
    onClick('save', () => void this.attempt(() => this.save()));
    onClick('predict', () => {
      const isPredicting = byId('predict').ariaPressed === 'true';
      this.act({ type: 'predict', isPredicting });
      this.showResult();
    });
    // A screen reader only clicks. A click with a pointer comes later than the press.
    for (const id of ['lanes', 'steplist', 'bytes', 'explanation', 'previous', 'next'])
      for (const type of ['pointerdown', 'keydown', 'click'])
        byId(id).addEventListener(type, () => (this.isFollowing = false));
    addEventListener('pagehide', () => this.keepNow());
    addEventListener('pointerdown', () => {
      this.released = new Promise((resolve) => {
        setTimeout(resolve, PRESS);
        // The click comes after this event.
        addEventListener('pointerup', () => setTimeout(resolve), { once: true });
      });
    });
  }

  private act(action: Action): void {
    this.state = update(this.state, action);
    this.composer.show(this.state);
    void this.judge();
    this.keep();
  }

  /** Says why something could not be done. */
  private async attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.act({ type: 'say', says: error instanceof Error ? error.message : `${error}` });
    }
  }

  /** Asks one thing after the other. What was typed in the meantime is asked at once. */
  private async judge(): Promise<void> {
    if (this.isJudging) return;
    this.isJudging = true;
    while (needsJudging(this.state)) {
      const { state } = this;
      try {
        const judgement = await this.workbench.judge(state);
        const judged = { key: judgedKey(state), bytes: state.script.bytes, judgement };
        this.act({ type: 'judged', judged });
      } catch {
        break; // the link says why
      }
    }
    this.isJudging = false;
  }

  // What is sent.

  private async send(): Promise<void> {
    const { state } = this;
    const problem = obstacle(state);
    if (problem !== '') return this.act({ type: 'say', says: problem });
    const next = state.play && { ...state.play, index: state.play.index + 1 };
    const load = await this.fetch(next); // by then: it is typed when this is sent
    const { at, client } = await this.workbench.send(state);
    this.act({ type: 'sent', client, at });
    if (load !== undefined) this.act(load);
    this.gallery.note(this.typed);
    foldStory();
    this.follow();
  }

  /** Goes to what happens next, and asks for it at once. */
  private follow(): void {
    this.isFollowing = true;
    this.delay = SOON;
    this.wake();
  }

  private async clear(): Promise<void> {
    await this.workbench.clear();
    this.act({ type: 'cleared' });
    await this.begin();
    this.follow();
  }

  private async save(): Promise<void> {
    const href = URL.createObjectURL(await this.workbench.save());
    Object.assign(document.createElement('a'), { href, download: 'trace.html' }).click();
    this.act({ type: 'say', says: 'Saved as trace.html: it shows all of this by itself.' });
  }

  private async copy(): Promise<void> {
    const { script, target, through } = this.state;
    const command = toCommand(writeScript(piecesOf(script)), target?.port ?? 0);
    const isProxied = through !== DIRECT;
    const more = isProxied ? ' It sends to the server, not through the proxy.' : '';
    const says = await navigator.clipboard.writeText(command).then(
      () => `Copied.${more}`,
      () => `The browser does not let this page copy. Here it is: ${command}`,
    );
    this.act({ type: 'say', says });
  }

  // What is chosen.

  /** Types what the gallery has, and goes where it is to be sent. */
  private async open(name: string, title: string): Promise<void> {
    this.typed = name;
    showStory(this.data.stories[name]);
    const scene = this.data.experiments.find(({ number }) => name === `lab/${number}`);
    this.act({ type: 'scene', scene });
    if (scene !== undefined) return this.choose(String(scene.number));
    if (this.state.server !== TASKS) await this.choose(TASKS);
    const text = await this.workbench.request(name);
    if (this.typed !== name) return;
    this.act({ type: 'through', through: DIRECT });
    this.act({ type: 'load', text, title });
  }

  /** Chooses a server, and begins its experiment. */
  private async choose(name: string): Promise<void> {
    const choice = (this.choices += 1);
    this.act({ type: 'server', name });
    await this.workbench.choose(name).finally(() => (this.choices += 1));
    if (this.choices === choice + 1) await this.begin(); // or another one was chosen
    this.follow();
  }

  /** Types the first request of the experiment, if there is one. */
  private async begin(): Promise<void> {
    const { scene } = this.state;
    if (scene === undefined) return;
    this.act({ type: 'through', through: scene.mistake ?? DIRECT });
    const typed = (this.typed = `lab/${scene.number}`);
    const load = await this.fetch({ experiment: scene, index: 0 });
    if (load !== undefined && this.typed === typed) this.act(load);
  }

  /** @returns what types the request of an experiment, if there is one */
  private async fetch(play: Play | undefined): Promise<Action | undefined> {
    const request = requestOf(play);
    if (play === undefined || request === undefined) return undefined;
    const text = await this.workbench.request(request.name);
    const title = `Lab ${play.experiment.title}: ${request.who}`;
    return { type: 'load', text, title, play };
  }

  // What is kept.

  /** Keeps what is typed and chosen: not at each key, because a browser counts changes of
   * the address. */
  private keep(): void {
    clearTimeout(this.keeping);
    this.keeping = window.setTimeout(() => this.keepNow(), KEEP);
  }

  private keepNow(): void {
    const kept = keptOf(this.state);
    const address = writeAddress(location.hash, kept);
    try {
      sessionStorage.setItem(KEPT, JSON.stringify(kept));
    } catch {
      // There is no room for it.
    }
    if (address !== location.hash) history.replaceState(null, '', address);
  }

  /** Goes to what the address says, or to what the tab had before a reload. */
  private async restore(): Promise<void> {
    const stored: Kept | null = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null');
    const kept = readAddress(location.hash) ?? stored;
    if (kept === null) return this.open(FIRST_REQUEST, this.titleOf(FIRST_REQUEST));
    const { lab, server, text, through, title, turn } = kept;
    const scene = this.data.experiments.find(({ number }) => String(number) === lab);
    this.act({ type: 'scene', scene });
    if (scene !== undefined) {
      this.choices += 1;
      this.act({ type: 'server', name: server });
      await this.workbench.choose(server).finally(() => (this.choices += 1));
    }
    if (through !== '') this.act({ type: 'through', through });
    const play =
      scene && turn !== '' ? { experiment: scene, index: Number(turn) } : undefined;
    this.act({ type: 'load', text, title, play });
  }

  private titleOf(name: string): string {
    const all = this.data.menu.flatMap(({ requests }) => requests);
    return all.find(([one]) => one === name)?.[1] ?? '';
  }

  /** The first tab has the lock for as long as it is there. */
  private async hold(lock: Lock | null): Promise<void> {
    if (lock !== null) return new Promise(() => {});
    this.act({ type: 'second', isSecond: true });
    void navigator.locks.request(LOCK, () => {
      this.act({ type: 'second', isSecond: false });
      return new Promise(() => {});
    });
  }

  // What happens.

  /** Asks again and again: one request at a time, over one connection. */
  private async poll(): Promise<void> {
    while (this.state.link !== 'replaced') {
      try {
        const { choices } = this;
        const { conversation, proxied, revision } = this;
        const { known } = conversation;
        const events = await this.workbench.events(revision, known, proxied);
        this.delay = events === undefined ? Math.min(LATER, 1.3 * this.delay) : SOON;
        await this.released;
        // What was told before a server was chosen would undo the choice. It is told again.
        if (events !== undefined && choices === this.choices) this.show(events);
      } catch {
        this.delay = RETRY; // the link says why
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.delay);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  private show(events: EventsData): void {
    const { lines, now, proxy, revision, server } = events;
    const { conversation } = this;
    this.revision = revision;
    this.offset = now - performance.now();
    for (const line of lines) conversation.add(line);
    const before = proxy.isAnew ? [] : this.proxy;
    this.proxy = [...before, ...proxy.lines].slice(-PROXY_LINES_KEPT);
    this.proxied = proxy.known;
    this.act({ type: 'told', events });
    const isNews = lines.length > 0 || this.trace === undefined;
    if (isNews) this.trace = this.nameProxy(conversation.describe(now), proxy.mistake);
    this.showResult(); // first, because it takes room from the bytes
    if (!isNews || this.trace === undefined) return;
    if (server.isReady && server.name !== this.shown) {
      this.page.forget();
      this.shown = server.name;
    }
    this.page.show(this.trace, this.isFollowing);
  }

  /** Says of the requests that came through the proxy which reader that is. */
  private nameProxy(data: PageData, proxy: Mistake | undefined): PageData {
    if (proxy === undefined) return data;
    const links = this.proxy.map((line) => (line.type === 'connect' ? line.address : ''));
    const exchanges = data.exchanges.map((one) => {
      if (!links.includes(one.remote ?? '-')) return one;
      const known = this.named.get(one) ?? {
        ...one,
        other: one.other && { ...one.other, proxy },
      };
      this.named.set(one, known);
      return known;
    });
    return { ...data, exchanges };
  }

  /** What the last send brought, if it went through the proxy. */
  private showResult(): void {
    this.result.show(this.state, this.proxy, this.trace);
  }
}

new Live();
