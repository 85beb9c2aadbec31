/// <reference lib="dom" />
/** The live page: what somebody does and what the workbench tells change one state, and the
 * page shows it. */
import { Conversation } from '../../../page/model/conversation';
import type { PageData } from '../../../page/model/page-data';
import { Page } from '../../../page/view/app';
import { byId } from '../../../page/view/dom';
import { unrepeated } from '../../bytes';
import { toCommand } from '../../shell';
import type { EventsData } from '../bench';
import type { Judgement } from '../judge';
import { CALLED, namesIn, REPLIES, SERVERS } from '../scenes';
import { keptOf, readAddress, recall, writeAddress, type Kept } from './address';
import { Composer, onClick } from './composer';
import { Gallery } from './gallery';
import { Workbench } from './link';
import * as menu from './menu';
import * as states from './state';
import type { Judged, State } from './state';
import { foldStory, showStory } from './story';

/** How long the page waits before it asks again, in milliseconds: at first, where nothing
 * happens, where nobody responds, and until runs are over. */
const SOON = 60;
const LATER = 500;
const RETRY = 1000;
const PLAYING = 100;
/** How long a press may hold back what is shown, in milliseconds. */
const PRESS = 1000;
/** How long after a change it is kept, in milliseconds. */
const KEEP = 200;
/** Where the tab keeps what is typed, and the lock that all tabs ask for. */
const KEPT = 'kept';
const LOCK = 'workbench';
/** What is typed at first, as the client and as the server. */
const FIRST_REQUEST = 'example/0';
const FIRST_REPLY = 'plain';

class Live {
  private readonly workbench = new Workbench(
    byId('token').getAttribute('value') ?? '',
    (link) => {
      if (link === this.state.link) return;
      this.set({ link });
      this.showTrace();
    },
  );
  private readonly page = new Page(({ connection }) =>
    this.change(states.revealed(this.state, connection)),
  );
  private state: State = states.BEGINNING;
  private readonly composer = new Composer({
    change: (next) => this.change(next),
    send: () => this.attempt(() => this.send()),
    choose: (server) => this.attempt(() => this.choose(server)),
  });
  private readonly gallery = new Gallery((choice) => this.attempt(() => this.open(choice)));
  private revision = -1;
  private readonly conversation = new Conversation();
  /** Both runs of the experiment, while they are shown. */
  private runs: readonly PageData[] = [];
  /** The server that is shown. */
  private shown = '';
  /** How many choices of a server have begun: what was asked before one may be told after
   * it. */
  private choices = 0;
  private isJudging = false;
  private isSending = false;
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
    this.attempt(() => this.restore());
    void this.poll();
    void navigator.locks.request(LOCK, () => new Promise(() => {}));
    setInterval(() => {
      void this.countTabs();
      const isLive = this.state.link === 'live';
      if (isLive) this.page.tick(this.now);
      this.checkChallenge();
    }, LATER);
  }

  private listen(): void {
    for (const id of ['clear', 'copy', 'play', 'save'] as const)
      onClick(id, () => this.attempt(() => this[id]()));
    onClick('predict', () =>
      this.change(states.predicted(this.state, byId('predict').ariaPressed === 'true')),
    );
    // A screen reader only clicks. A click with a pointer comes later than the press.
    for (const id of ['lanes', 'steplist', 'bytes', 'explanation', 'previous', 'next'])
      for (const type of ['pointerdown', 'keydown', 'click'])
        byId(id).addEventListener(type, () => (this.isFollowing = false));
    addEventListener('pagehide', () => this.keep());
    // By then, what is kept may have changed the address.
    addEventListener('hashchange', ({ newURL }) => {
      const { hash } = new URL(newURL);
      const kept = readAddress(hash) && recall(hash, keptOf(this.state));
      if (kept) this.attempt(() => this.goTo(kept, hash));
    });
    addEventListener('pointerdown', () => {
      this.released = new Promise((resolve) => {
        setTimeout(resolve, PRESS);
        // The click comes after this event.
        addEventListener('pointerup', () => setTimeout(resolve), { once: true });
      });
    });
  }

  private change(next: State): void {
    const { state: before } = this;
    this.state = next;
    const { choice, isComparing } = next;
    if (before.isComparing && !isComparing) this.endRuns();
    this.composer.show(next);
    if (choice !== before.choice) showStory(choice?.scene);
    void this.judge();
    clearTimeout(this.keeping);
    // Not at each key, because a browser counts changes of the address.
    this.keeping = window.setTimeout(() => this.keep(), KEEP);
  }

  private set(to: Partial<Omit<State, 'editor' | 'script'>>): void {
    this.change({ ...this.state, ...to });
  }

  /** Says why something could not be done. */
  private attempt(act: () => Promise<void>): void {
    act().catch((error: unknown) =>
      this.set({ says: error instanceof Error ? error.message : String(error) }),
    );
  }

  /** Asks one thing after the other. What was typed in the meantime is asked at once. */
  private async judge(): Promise<void> {
    if (this.isJudging) return;
    this.isJudging = true;
    while (states.needsJudging(this.state)) {
      const { state } = this;
      try {
        this.set({ judged: await this.askJudged(state) });
      } catch {
        // The link says why.
        if (states.judgedKey(state) === states.judgedKey(this.state)) break;
      }
    }
    this.isJudging = false;
  }

  private async askJudged(state: State): Promise<Judged> {
    const judgement = await this.ask<Judgement>('judge', state);
    return { key: states.judgedKey(state), bytes: state.script.bytes, judgement };
  }

  /** Asks something about what is typed. */
  private async ask<T>(what: 'judge' | 'send', state: State): Promise<T> {
    const address = `client=${states.nextClient(state)}&through=${state.through}`;
    const response = await this.workbench.post(`/${what}?${address}`, state.editor.text);
    return response.json();
  }

  /** The time of the server. */
  private get now(): number {
    return performance.now() + this.offset;
  }

  // What somebody wants.

  /** The experiment that is chosen, if one is. */
  private get scene() {
    return this.state.choice?.scene;
  }

  private async send(): Promise<void> {
    const { now, state } = this;
    const problem = states.obstacle(state);
    if (problem !== '') return this.set({ says: problem });
    if (this.isSending) return; // a second one would open a connection of its own
    this.isSending = true;
    await this.post(state, now).finally(() => (this.isSending = false));
    if (state.choice !== undefined) this.gallery.note(state.choice.name);
    foldStory();
    this.follow();
  }

  private async post(state: State, now: number): Promise<void> {
    // Judged before it is sent, or nobody could say whether more of the request must follow.
    const isKnown = !states.needsJudging(state);
    const judged = isKnown ? state.judged : await this.askJudged(state);
    const client = await this.ask<number>('send', state);
    this.change(states.sent(this.state, client, now, { ...state, judged }));
  }

  /** Goes to what happens next, and asks for it at once. */
  private follow(): void {
    this.isFollowing = true;
    this.delay = SOON;
    this.wake();
  }

  private async clear(): Promise<void> {
    await this.workbench.post('/clear');
    this.change(states.cleared(this.state));
    this.follow();
  }

  private async save(): Promise<void> {
    const runs = this.state.isComparing ? `?lab=${this.scene?.number}` : '';
    const page = await this.workbench.get(`/page${runs}`);
    const href = URL.createObjectURL(await page.blob());
    Object.assign(document.createElement('a'), { href, download: 'trace.html' }).click();
    this.set({ says: 'Saved as trace.html: it shows all of this by itself.' });
  }

  private async copy(): Promise<void> {
    const { editor, target } = this.state;
    const command = toCommand(unrepeated(editor.text), target?.port ?? 0);
    const says = await navigator.clipboard.writeText(command).then(
      () => `Copied.${states.otherwiseOf(this.state)}`,
      () => `The browser does not let this page copy. Here it is: ${command}`,
    );
    this.set({ says });
  }

  /** Types what the gallery has, and goes where it is to be sent. */
  private async open(choice: menu.Choice | undefined): Promise<void> {
    if (choice === undefined) return;
    const { challenge, server } = choice;
    if (challenge !== undefined)
      return this.change(states.challenged(this.state, challenge));
    this.change(states.opened(this.state, choice));
    if (states.serverOf(this.state) !== server) await this.turnTo(server);
  }

  /** Chooses a server: one of the experiment, or who somebody is. */
  private async choose(name: string): Promise<void> {
    if (name === REPLIES) return this.open(menu.choose(FIRST_REPLY));
    if (this.scene === undefined) return this.open(menu.choose(FIRST_REQUEST));
    this.change(states.begun(this.state));
    await this.turnTo(name);
  }

  private async turnTo(name: string): Promise<void> {
    this.choices += 1;
    this.change(states.choseServer(this.state, name));
    await this.workbench.post(`/server?name=${name}`);
    this.follow();
  }

  /** Shows both runs of the experiment, until something else is done.
   * @param address where the page goes: without one, to where they differ first */
  private async play(address = ''): Promise<void> {
    const { scene } = this;
    if (scene === undefined) return;
    this.set({ says: 'Both runs are being played \u2026' });
    const ask = () => this.workbench.get(`/runs?lab=${scene.number}`);
    let response = await ask();
    while (response.status === 204) {
      await new Promise((resolve) => setTimeout(resolve, PLAYING));
      response = await ask();
    }
    const lines: readonly string[][] = await response.json();
    const [first, other] = lines.map((one) => Conversation.of(one).describe());
    if (first === undefined || other === undefined || scene !== this.scene) return;
    this.set({ isComparing: true, says: '' });
    this.runs = [first, other];
    foldStory();
    this.page.forget();
    this.page.show(first);
    const beside = { data: other, called: CALLED, names: namesIn(scene) };
    this.page.compare(beside, address);
  }

  private endRuns(): void {
    this.runs = [];
    this.page.compare(undefined);
    this.page.forget();
    this.isFollowing = true;
    this.showTrace();
  }

  /** Asks what is shown whether the challenge is met. */
  private checkChallenge(): void {
    const { challenge, isSolved, trace } = this.state;
    if (challenge === undefined || isSolved) return;
    const { chosen } = this.page;
    const all = trace === undefined ? this.runs : [trace, ...this.runs];
    if (!all.some((data) => challenge.isSolved({ data, chosen }))) {
      const wrongByte = challenge.isOfByte ? chosen?.offset : undefined;
      if (wrongByte !== this.state.wrongByte) this.set({ wrongByte });
      return;
    }
    this.set({ isSolved: true });
    this.gallery.note(`challenge/${challenge.name}`);
  }

  // What is kept.

  private keep(): void {
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
    const { hash } = location;
    const kept = recall(hash, stored);
    await (kept === null ? this.open(menu.choose(FIRST_REQUEST)) : this.goTo(kept, hash));
    this.isFollowing = kept === null || stored !== null; // a link may lead to what is older
  }

  /** @param address what it says of an exchange is of both runs, if they are shown */
  private async goTo(kept: Kept, address: string): Promise<void> {
    const { choice, runs, server } = kept;
    this.change(states.restored(this.state, kept, menu.choose(choice)));
    const isOther = server !== this.state.target?.name;
    if (isOther && SERVERS.includes(server)) await this.turnTo(server);
    const says = states.unknownIn(kept);
    if (says !== '') this.set({ says });
    if (runs !== '') await this.play(address);
  }

  /** The first tab holds the lock until it is closed. All others wait for it. */
  private async countTabs(): Promise<void> {
    const { held = [], pending = [] } = await navigator.locks.query();
    const tabs = [...held, ...pending].filter(({ name }) => name === LOCK);
    const isShared = tabs.length > 1;
    if (isShared !== this.state.isShared) this.set({ isShared });
  }

  // What happens.

  /** Asks again and again: one request at a time, over one connection. */
  private async poll(): Promise<void> {
    while (this.state.link !== 'replaced') {
      try {
        const { choices, conversation, revision } = this;
        const asked = `/events?after=${revision}&known=${conversation.known}`;
        const response = await this.workbench.get(asked);
        const isNews = response.status !== 204;
        const events = isNews ? ((await response.json()) as EventsData) : undefined;
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
    const { lines, now, revision, server } = events;
    const { conversation } = this;
    this.revision = revision;
    this.offset = now - performance.now();
    for (const line of lines) conversation.add(line);
    const { trace: before } = this.state;
    const isSame = lines.length === 0 && before !== undefined;
    const trace = isSame ? before : conversation.describe(now);
    // First, because it takes room from the bytes.
    this.change(states.told(this.state, events, trace));
    if (isSame || this.state.isComparing) return;
    if (server.isReady && server.name !== this.shown) {
      this.page.forget();
      this.shown = server.name;
    }
    this.showTrace();
  }

  /** Nobody can tell what happens now while there is no workbench. */
  private showTrace(): void {
    const { isComparing, link, trace } = this.state;
    if (trace === undefined || isComparing) return;
    const isLost = link !== 'live';
    const shown = isLost ? { ...trace, now: undefined, isLost } : trace;
    this.page.show(shown, this.isFollowing ? states.newestOf(this.state) : undefined);
  }
}

new Live();
