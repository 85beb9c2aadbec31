/// <reference lib="dom" />
/** The live page: what somebody does and what the workbench tells change one state, and the
 * page shows it. */
import { Conversation } from '../../../page/model/conversation';
import type { PageData } from '../../../page/model/page-data';
import { Page } from '../../../page/view/app';
import { byId, draw } from '../../../page/view/dom';
import { toCommand } from '../../shell';
import type { EventsData } from '../bench';
import { CALLED, namesIn, REPLIES, SCENES } from '../scenes';
import { keptOf, readAddress, writeAddress, type Kept } from './address';
import { Composer, onClick } from './composer';
import { Gallery } from './gallery';
import { Workbench } from './link';
import * as menu from './menu';
import { resultOf } from './result';
import {
  BEGINNING,
  DIRECT,
  judgedKey,
  needsJudging,
  obstacle,
  update,
  type Action,
  type State,
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
/** What is typed at first, as the client and as the server. */
const FIRST_REQUEST = 'example/0';
const FIRST_REPLY = 'plain';

class Live {
  private readonly workbench = new Workbench(
    byId('token').getAttribute('value') ?? '',
    (link) => {
      if (link === this.state.link) return;
      this.act({ type: 'set', to: { link } });
      this.showTrace();
    },
  );
  private readonly page = new Page();
  private state: State = BEGINNING;
  private readonly composer = new Composer({
    act: (action) => this.act(action),
    send: () => void this.attempt(() => this.send()),
    choose: (server) => void this.attempt(() => this.choose(server)),
  });
  private readonly gallery = new Gallery(
    (choice) => void this.attempt(() => this.open(choice)),
  );
  private revision = -1;
  private readonly conversation = new Conversation();
  private trace: PageData | undefined;
  /** Both runs of the experiment, while they are shown. */
  private runs: readonly PageData[] = [];
  /** The server that is shown. */
  private shown = '';
  /** How many choices of a server have begun or ended: what was asked before may be told
   * after them. */
  private choices = 0;
  /** What was known when it was asked last whether the challenge is met. */
  private asked: readonly unknown[] = [];
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
      this.check();
    }, LATER);
  }

  private listen(): void {
    for (const id of ['clear', 'copy', 'play', 'save'] as const)
      onClick(id, () => void this.attempt(() => this[id]()));
    onClick('predict', () => {
      const isPredicting = byId('predict').ariaPressed === 'true';
      this.act({ type: 'set', to: { isPredicting } });
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
    const { isComparing, scene } = this.state;
    this.state = update(this.state, action);
    if (isComparing && !this.state.isComparing) this.endRuns();
    this.composer.show(this.state);
    draw(byId('result'), [resultOf(this.state, this.trace)]);
    if (this.state.scene !== scene) showStory(this.state.scene);
    void this.judge();
    clearTimeout(this.keeping);
    // Not at each key, because a browser counts changes of the address.
    this.keeping = window.setTimeout(() => this.keepNow(), KEEP);
  }

  private say(says: string): void {
    this.act({ type: 'set', to: { says } });
  }

  /** Says why something could not be done. */
  private async attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error));
    }
  }

  /** Asks one thing after the other. What was typed in the meantime is asked at once. */
  private async judge(): Promise<void> {
    if (this.isJudging) return;
    this.isJudging = true;
    while (needsJudging(this.state)) {
      const { state } = this;
      const key = judgedKey(state);
      try {
        const judgement = await this.workbench.judge(state);
        const judged = { key, bytes: state.script.bytes, judgement };
        this.act({ type: 'set', to: { judged } });
      } catch {
        if (key === judgedKey(this.state)) break; // the link says why
      }
    }
    this.isJudging = false;
  }

  // What somebody wants.

  private async send(): Promise<void> {
    const { state } = this;
    const problem = obstacle(state);
    if (problem !== '') return this.say(problem);
    this.act({ type: 'sent', client: await this.workbench.send(state) });
    this.gallery.note(state.choice);
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
    this.follow();
  }

  private async save(): Promise<void> {
    const href = URL.createObjectURL(await this.workbench.save(this.state));
    Object.assign(document.createElement('a'), { href, download: 'trace.html' }).click();
    this.say('Saved as trace.html: it shows all of this by itself.');
  }

  private async copy(): Promise<void> {
    const { editor, target, through } = this.state;
    const command = toCommand(editor.text, target?.port ?? 0);
    const isProxied = through !== DIRECT;
    const more = isProxied ? ' It sends to the server, not through the proxy.' : '';
    const says = await navigator.clipboard.writeText(command).then(
      () => `Copied.${more}`,
      () => `The browser does not let this page copy. Here it is: ${command}`,
    );
    this.say(says);
  }

  /** Types what the gallery has, and goes where it is to be sent. */
  private async open(choice: menu.Choice | undefined): Promise<void> {
    if (choice === undefined) return;
    const { challenge } = choice;
    if (challenge !== undefined)
      return this.act({ type: 'set', to: { challenge, isSolved: false } });
    this.act({ type: 'open', choice });
    if (this.state.server !== choice.server) await this.turnTo(choice.server);
  }

  /** Chooses a server: one of the experiment, or who somebody is. */
  private async choose(name: string): Promise<void> {
    const { scene } = this.state;
    if (name === REPLIES) return this.open(menu.choose(FIRST_REPLY));
    if (scene === undefined) return this.open(menu.choose(FIRST_REQUEST));
    this.act({ type: 'begin' });
    await this.turnTo(name);
  }

  private async turnTo(name: string): Promise<void> {
    this.choices += 1;
    this.act({ type: 'server', name });
    await this.workbench.choose(name).finally(() => (this.choices += 1));
    this.follow();
  }

  /** Shows both runs of the experiment, until something else is done. */
  private async play(): Promise<void> {
    const { scene } = this.state;
    if (scene === undefined) return;
    this.say('Both runs are being played \u2026');
    const lines = await this.workbench.play(scene.number);
    const [first, other] = lines.map((one) => Conversation.of(one).describe());
    if (first === undefined || other === undefined || scene !== this.state.scene) return;
    this.act({ type: 'set', to: { isComparing: true, says: '' } });
    this.runs = [first, other];
    foldStory();
    this.page.forget();
    this.page.show(first);
    this.page.compare({ data: other, called: CALLED, names: namesIn(scene) });
  }

  private endRuns(): void {
    this.runs = [];
    this.page.compare(undefined);
    this.page.forget();
    this.isFollowing = true;
    this.showTrace();
  }

  /** Asks the trace whether the challenge is met, once there is news. */
  private check(): void {
    const { challenge, isSolved } = this.state;
    if (challenge === undefined || isSolved) return;
    const { page, runs, trace } = this;
    const { chosen } = page;
    const asked = [challenge, trace, runs, chosen?.exchange, chosen?.offset];
    if (asked.every((one, index) => one === this.asked[index])) return;
    this.asked = asked;
    const all = trace === undefined ? runs : [trace, ...runs];
    if (!all.some((data) => challenge.isSolved({ data, chosen }))) return;
    this.act({ type: 'set', to: { isSolved: true } });
    this.gallery.note(`challenge/${challenge.name}`);
  }

  // What is kept.

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
    if (kept === null) return this.open(menu.choose(FIRST_REQUEST));
    const { lab, server } = kept;
    const scene = SCENES.find(({ number }) => String(number) === lab);
    this.act({ type: 'restore', kept, scene });
    if (server !== BEGINNING.server) await this.turnTo(server);
    if (kept.runs !== '') await this.play();
  }

  /** The first tab holds the lock until it is closed. */
  private async hold(lock: Lock | null): Promise<void> {
    if (lock !== null) return new Promise(() => {});
    this.act({ type: 'set', to: { isSecond: true } });
    void navigator.locks.request(LOCK, () => {
      this.act({ type: 'set', to: { isSecond: false } });
      return new Promise(() => {});
    });
  }

  // What happens.

  /** Asks again and again: one request at a time, over one connection. */
  private async poll(): Promise<void> {
    while (this.state.link !== 'replaced') {
      try {
        const { choices, conversation, revision } = this;
        const events = await this.workbench.events(revision, conversation.known);
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
    const isNews = lines.length > 0 || this.trace === undefined;
    if (isNews) this.trace = conversation.describe(now);
    this.act({ type: 'told', events }); // first, because it takes room from the bytes
    if (!isNews || this.state.isComparing) return;
    if (server.isReady && server.name !== this.shown) {
      this.page.forget();
      this.shown = server.name;
    }
    this.showTrace();
  }

  /** Nobody can tell what happens now while there is no workbench. */
  private showTrace(): void {
    const { state, trace } = this;
    if (trace === undefined || state.isComparing) return;
    const isLost = state.link !== 'live';
    const shown = isLost ? { ...trace, now: undefined, isLost } : trace;
    this.page.show(shown, this.isFollowing);
  }
}

new Live();
