/// <reference lib="dom" />
/** The composer: bytes are typed, judged as they are typed, and sent. */
import { byId, element } from '../../../page/view/dom';
import { toCommand } from '../../shell';
import { count } from '../../../page/model/words';
import type { ClientData } from '../clients';
import type { Judgement } from '../judge';
import { piecesOf, readScript, textOf } from '../../bytes';
import type { BenchData } from '../page';
import type { ExperimentData } from '../requests';
import type { ServerData } from '../bench';
import { Looks, moveLooks } from './looks';
import type { Sent } from './result';
import type { Server } from './server';
import { foldStory, showStory } from './story';

const DIRECT = 'server';
/** What is in the menu first. */
const FIRST_REQUEST = 'example/0';
const MOST_CONNECTIONS = 6;
const TASKS = 'tasks';
/** How long an experiment is chosen before its server is made, in milliseconds: with the
 * arrow keys one chooses all those that come before it. */
const CHOSEN_MS = 300;
/** The buttons that send something. */
const SENDERS = ['send', 'send-close', 'reset'];

type Ending = 'keep' | 'close' | 'reset';

export class Composer {
  private readonly text = input('text');
  private readonly looks = new Looks(byId('looks'));
  private readonly through = select('through');
  private readonly servers = select('server');
  private readonly menu = select('menu');
  /** The client that the bytes are sent on: its number, or "new". */
  private client = 'new';
  private clients: readonly ClientData[] = [];
  private judged: Judgement | undefined;
  /** The server, and what the clients of its experiment send after what is here. */
  private target: ServerData | undefined;
  private following: ExperimentData['requests'] = [];
  /** Who sends what is here, in an experiment. */
  private who = '';
  /** What was sent last, and by which client. */
  last: (Sent & { readonly client: number }) | undefined;
  /** Who sent on a client, in an experiment. */
  private readonly senders = new Map<number, string>();
  /** What the text says. */
  private script = readScript('');
  /** The server that was chosen last: what is told of it may be older. */
  private chosen = TASKS;
  /** How many choices of a server have begun or ended. */
  choices = 0;
  /** The request of the menu that is wanted: an earlier one may arrive later. */
  private wanted = '';
  /** The request that came from the menu, in its words. */
  private title = '';
  /** Whether a judgement is under way, and whether another one is needed after it. */
  private isAsking = false;
  private isStale = false;
  /** What was known of the server and of the client when judgeAgain() judged the text
   * last. */
  private judgedFor = '';

  /** @param onSent is told when bytes were sent */
  constructor(
    private readonly data: BenchData,
    private readonly server: Server,
    private readonly onSent: () => void,
  ) {
    this.fillMenus();
    this.listServers();
    this.listen();
    this.showClients([]);
    const [, first] = this.menu.options;
    void this.loadAlone(FIRST_REQUEST, first?.text ?? '');
  }

  private fillMenus(): void {
    for (const { note, requests, title } of this.data.menu) {
      const options = requests.map(([name, what]) =>
        element('option', { value: name }, what),
      );
      if (note !== undefined) options.push(element('option', { disabled: '' }, note));
      byId('menu').append(element('optgroup', { label: title }, ...options));
    }
    const proxies = Object.entries(this.data.mistakes).map(([name, does]) =>
      element('option', { value: name }, `through a proxy that ${does}`),
    );
    this.through.append(
      element('option', { value: DIRECT }, 'to the server'),
      element('option', { value: 'proxy' }, 'through a proxy without a mistake'),
      ...proxies,
    );
    this.through.addEventListener('change', () => {
      this.tellThrough();
      this.judge();
    });
    this.goThrough(DIRECT);
  }

  private goThrough(way: string): void {
    this.through.value = way;
    this.tellThrough();
  }

  /** A menu cuts off what is longer than it is wide: this is beside it in full. */
  private tellThrough(): void {
    const [chosen] = this.through.selectedOptions;
    byId('through-says').textContent = chosen?.text ?? '';
  }

  /** The servers that one can choose: this one, and both of an experiment. */
  private listServers(experiment?: ExperimentData): void {
    const option = (value: string, text: string): HTMLElement =>
      element('option', { value }, text);
    this.servers.replaceChildren(option(TASKS, 'This server'));
    if (experiment === undefined) return;
    const { defended, number } = experiment;
    this.servers.append(
      option(`${number} ${number}`, `Lab ${number}: no defence`),
      option(`${defended} ${number}`, `Lab ${number}: defended`),
    );
  }

  /** Goes to the server of an experiment that lacks the defence. */
  private open(experiment: ExperimentData): void {
    const { number } = experiment;
    this.listServers(experiment);
    this.servers.value = `${number} ${number}`;
    void this.chooseServer();
  }

  private listen(): void {
    this.text.addEventListener('input', () => {
      this.entitle(`${this.title}, changed`);
      // Nobody else is left to send, so these bytes are no longer the experiment's.
      if (this.following.length === 0) this.who = '';
      this.judge();
    });
    this.text.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void this.send('keep');
    });
    this.servers.addEventListener('change', () => void this.chooseServer());
    const { menu } = this;
    let timer: number | undefined;
    menu.addEventListener('change', () => {
      clearTimeout(timer);
      const { value } = menu;
      showStory(this.data.stories[value]);
      const experiment = this.data.experiments.find(
        ({ number }) => value === `lab/${number}`,
      );
      if (experiment !== undefined)
        timer = window.setTimeout(() => this.open(experiment), CHOSEN_MS);
      else if (value !== '')
        void this.loadAlone(value, menu.selectedOptions[0]?.text ?? '');
    });
    menu.addEventListener('blur', () => (menu.value = '')); // the same can be chosen again
    byId('predict').addEventListener('click', () => this.judge());
    onClick('cut', () => this.insert('\u2016'));
    onClick('pause', () => this.insert('\u2016600\u2016'));
    onClick('lf', () => this.insert('\u00ac\n'));
    onClick('copy', () => void this.copy());
    onClick('send', () => void this.send('keep'));
    onClick('send-close', () => void this.send('close'));
    onClick('reset', () => void this.send('reset'));
    onClick('clear', () => void this.clear());
    const hold = byId('hold');
    hold.addEventListener('click', () => {
      hold.setAttribute('aria-pressed', String(hold.ariaPressed !== 'true'));
    });
    byId('clients').addEventListener('change', ({ target }) => {
      if (target instanceof HTMLInputElement) this.choose(target.value);
    });
  }

  // The bytes.

  /** Types a request that is in no experiment. The menu says what this server does with
   * it. */
  private async loadAlone(name: string, title: string): Promise<void> {
    this.wanted = name;
    say('');
    if (this.servers.value !== TASKS) {
      this.servers.value = TASKS;
      await this.chooseServer();
    }
    if (this.wanted !== name) return;
    this.goThrough(DIRECT);
    await this.load({ name, who: '', isHeld: false }, title);
  }

  /** @param title of the request, for the menu
   * @param following what the next clients of the experiment send */
  private async load(
    { isHeld, name, who }: ExperimentData['requests'][number],
    title: string,
    following: ExperimentData['requests'] = [],
  ): Promise<void> {
    this.wanted = name;
    try {
      const text = await this.server.request(name);
      if (this.wanted !== name) return;
      this.text.value = text;
    } catch (error) {
      return say(error);
    }
    this.title = title;
    this.entitle(title);
    byId('editor').scrollTop = 0;
    this.judged = undefined;
    this.who = who;
    this.following = following;
    byId('hold').setAttribute('aria-pressed', String(isHeld));
    this.choose('new'); // each request of the menu is the beginning of a conversation
  }

  /** The closed menu says what is typed. */
  private entitle(title: string): void {
    const [closed] = this.menu.options;
    if (closed !== undefined) closed.text = title;
  }

  /** Chooses a server, and for an experiment its proxy and its first request. */
  private async chooseServer(): Promise<void> {
    const { value } = this.servers;
    const [name = TASKS] = value.split(' ');
    this.chosen = value;
    this.choices += 1;
    if (name !== this.target?.name) this.allowSending(false); // until it is known to run
    try {
      await this.server.choose(name);
    } catch (error) {
      return say(error);
    } finally {
      this.choices += 1;
    }
    if (this.chosen !== value) return; // another one was chosen meanwhile
    this.servers.value = value;
    this.goThrough(this.experiment?.mistake ?? DIRECT);
    await this.begin();
  }

  private get experiment(): ExperimentData | undefined {
    const [, number] = this.servers.value.split(' ');
    return this.data.experiments.find((one) => String(one.number) === number);
  }

  /** Types the first request of the experiment, if one is chosen. */
  private async begin(): Promise<void> {
    say('');
    this.last = undefined;
    this.who = '';
    this.following = [];
    const { requests = [] } = this.experiment ?? {};
    if (requests.length === 0) this.choose('new');
    else await this.loadNext(requests);
    this.onSent();
  }

  private async loadNext([next, ...following]: ExperimentData['requests']): Promise<void> {
    if (next === undefined) return;
    const { title = '' } = this.experiment ?? {};
    await this.load(next, `Lab ${title}: ${next.who}`, following);
  }

  /** @param target the server that is sent to, or that will be once it runs */
  showServer(target: ServerData): void {
    const { name, isReady, problem } = target;
    const before = this.target;
    this.target = target;
    this.allowSending(isReady);
    const isShown = (value: string): boolean => value.split(' ')[0] === name;
    const values = (): string[] => [...this.servers.options].map(({ value }) => value);
    if (!values().some(isShown))
      this.listServers(
        this.data.experiments.find(
          ({ defended, number }) => name === String(number) || name === defended,
        ),
      );
    this.servers.value = [this.chosen, ...values()].find(isShown) ?? TASKS;
    document.body.classList.toggle('in-lab', this.experiment !== undefined);
    if (problem !== '') say(`It cannot be started: ${problem}`);
    else if (!isReady) say('The server is being made \u2026');
    else if (before?.isReady === false) say('');
  }

  private allowSending(isAllowed: boolean): void {
    for (const id of SENDERS) byId(id).toggleAttribute('disabled', !isAllowed);
  }

  /** Types a mark where the cursor is. */
  private insert(mark: string): void {
    const { text } = this;
    text.setRangeText(mark, text.selectionStart, text.selectionEnd, 'end');
    text.focus();
    this.judge();
  }

  /** Asks what the server would make of the text, unless one predicts that first. The text
   * is drawn with the answer, or at once if an earlier one is still to come. */
  judge(): void {
    const { bytes: before } = this.script;
    const { value } = this.text;
    this.script = readScript(value);
    const { bytes } = this.script;
    this.isStale = !isPredicting();
    if (!this.isStale) return this.show(undefined, 'What will the server make of this?');
    // What was known of the bytes stays until more is known.
    const known = this.judged && moveLooks(this.judged, before, bytes);
    this.judged = known;
    if (this.isAsking) this.looks.draw(value, this.script, known);
    else void this.ask();
  }

  /** Asks one thing after the other. What was typed in the meantime is asked at once. */
  private async ask(): Promise<void> {
    this.isAsking = true;
    while (this.isStale) {
      this.isStale = false;
      let judged: Judgement | undefined;
      let says = '';
      try {
        judged = await this.server.judge(
          this.client,
          this.through.value,
          this.script.bytes,
        );
        ({ says } = judged);
      } catch (error) {
        says = messageOf(error);
      }
      if (!this.isStale && !isPredicting()) this.show(judged, says);
    }
    this.isAsking = false;
  }

  private show(judged: Judgement | undefined, says: string): void {
    this.judged = judged;
    this.looks.draw(this.text.value, this.script, judged);
    const line = byId('judged');
    line.className = judged?.kind ?? '';
    line.textContent = `${count(this.script.bytes.length, 'byte')}. ${says}`;
  }

  /** Judges again where what was told may change that: of the server, or of the client. */
  judgeAgain(): void {
    const { client, clients, judged, target } = this;
    const { sent, state, through, unsent } =
      clients.find(({ id }) => String(id) === client) ?? {};
    const key = JSON.stringify([target, client, through, state, sent, unsent]);
    const isKnown = judged !== undefined && judged.kind !== 'unknown';
    if (isKnown && key === this.judgedFor) return;
    this.judgedFor = key;
    this.judge();
  }

  private async copy(): Promise<void> {
    const { port = 0 } = this.target ?? {};
    const command = toCommand(piecesOf(this.script), port);
    await navigator.clipboard.writeText(command);
    const isProxied = this.through.value !== DIRECT;
    say(`Copied.${isProxied ? ' It sends to the server, not through the proxy.' : ''}`);
  }

  // The connections.

  /** @param clients all that there are */
  showClients(clients: readonly ClientData[]): void {
    const isChosen = ({ id }: ClientData): boolean => String(id) === this.client;
    const wasThere = this.clients.some(isChosen); // what is told may be older than the choice
    const chosen = clients.find(isChosen);
    const isGone = chosen === undefined ? wasThere : chosen.state !== 'open';
    this.clients = clients;
    if (isGone && this.client !== 'new') this.choose('new');
    else this.drawClients();
  }

  private drawClients(): void {
    this.through.disabled = this.client !== 'new'; // an open one goes where it goes
    const box = byId('clients');
    const hadFocus = box.contains(document.activeElement);
    const open = this.clients.filter(({ state }) => state === 'open');
    const known = open.slice(-MOST_CONNECTIONS);
    const choices = [
      ...known.map(({ id, name }) => [String(id), name || '\u2026'] as const),
      ['new', 'new'] as const,
    ];
    const key = JSON.stringify(choices);
    if (box.dataset['drawn'] !== key) {
      const radios = choices.map(([value, name]) => {
        const radio = element('input', { type: 'radio', name: 'client', value });
        return element('label', {}, radio, name);
      });
      box.replaceChildren(...radios);
      box.dataset['drawn'] = key;
    }
    for (const radio of box.querySelectorAll('input')) {
      radio.checked = radio.value === this.client;
      if (hadFocus && radio.checked) radio.focus();
    }
  }

  private choose(client: string): void {
    this.client = client;
    const known = this.clients.find(({ id }) => String(id) === client);
    if (known !== undefined) this.goThrough(known.through);
    this.drawClients();
    this.judge();
  }

  private async send(pressed: Ending): Promise<void> {
    const { bytes, cuts, ending } = this.script;
    const then = pressed === 'keep' && ending === 'close' ? 'close' : pressed;
    const isHeld = byId('hold').ariaPressed === 'true';
    const isJudged = !this.isAsking && this.judged?.kind === 'wait';
    const isUnfinished = isJudged && then === 'keep';
    const query = new URLSearchParams({
      ...{ client: this.client, through: this.through.value, then },
      cuts: cuts.map(({ at, pause }) => `${at}:${pause}`).join(),
      hold: isHeld ? '1' : '0',
    });
    try {
      const id = await this.server.send(
        query,
        then === 'reset' ? bytes.slice(0, 0) : bytes,
      );
      if (then === 'keep' && !isHeld) this.client = String(id);
      this.noteSent(id, textOf(bytes));
      if (this.who !== '') this.senders.set(id, this.who);
      foldStory();
      const did = isHeld ? 'Held: it begins with the next send. ' : '';
      say(did);
      byId('hold').setAttribute('aria-pressed', 'false');
      this.onSent();
      const [next] = this.following;
      if (then === 'reset') return;
      if (next === undefined) return this.sayNext(isUnfinished && !isHeld);
      await this.loadNext(this.following);
      const whose = `${named(next.who)} of Lab ${this.experiment?.number}`;
      say(`${did}The editor now has what ${whose} sends: press Send.`);
    } catch (error) {
      say(error);
    }
  }

  /** What a client sends before it has received anything is one thing: it may be one
   * request. */
  private noteSent(client: number, sent: string): void {
    const { last, who } = this;
    const { received = 0 } = this.clients.find(({ id }) => id === client) ?? {};
    const isMore = last?.client === client && last.received === received;
    this.last = { client, who, bytes: isMore ? last.bytes + sent : sent, received };
  }

  /** Says what one may do after a send.
   * @param isUnfinished whether the request needs more bytes */
  private sayNext(isUnfinished: boolean): void {
    const { experiment } = this;
    if (experiment !== undefined && this.who !== '') {
      const { number } = experiment;
      const isDefended = this.servers.value !== `${number} ${number}`;
      say(
        isDefended
          ? `That was Lab ${number}, with its defence.`
          : `That was Lab ${number} without its defence. ` +
              `Now choose "Lab ${number}: defended".`,
      );
    } else if (isUnfinished) {
      this.text.value = ''; // or it would be judged as if it were sent once more
      this.text.focus();
      this.judge();
      say('Now type what comes next.');
    }
  }

  /** @param name of a client: "p1"
   * @returns "the attacker", or the name */
  nameOf(name: string): string {
    const who = this.senders.get(
      this.clients.find((client) => client.name === name)?.id ?? NaN,
    );
    return who === undefined ? name : named(who);
  }

  private async clear(): Promise<void> {
    try {
      await this.server.clear();
      await this.begin();
    } catch (error) {
      say(error);
    }
  }
}

export function isPredicting(): boolean {
  return byId('predict').ariaPressed === 'true';
}

/** @param who "victim", or "client 2" */
function named(who: string): string {
  return /\d$/.test(who) ? who : `the ${who}`;
}

function say(what: unknown): void {
  byId('sent').textContent = typeof what === 'string' ? what : messageOf(what);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function onClick(id: string, act: () => void): void {
  byId(id).addEventListener('click', act);
}

function input(id: string): HTMLTextAreaElement {
  const found = byId(id);
  if (found instanceof HTMLTextAreaElement) return found;
  throw new Error(`"${id}" takes no text`);
}

function select(id: string): HTMLSelectElement {
  const found = byId(id);
  if (found instanceof HTMLSelectElement) return found;
  throw new Error(`"${id}" is no menu`);
}
