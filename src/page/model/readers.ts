/** The other readers of a request beside this server: what they are called, which have a
 * column, and what they take a byte for. Pure: it knows no page. */
import type { MessageAt } from './message';
import type { Mistake } from '../../naive/naive-request';
import type { OtherReadings, PageData } from './page-data';
import { cutAt, cutsOf, endOf, tell, type Cut, type Reading } from './readings';
import { isIn, relationsOf } from './relations';

/** What the one is called that the request came through. */
const PROXY = 'The proxy';
/** What the one is called that has no letter, or is beside the proxy. */
const ANOTHER = 'Another reader';

interface Column {
  /** "A" or "B", or '' beside the proxy. */
  readonly letter: string;
  readonly name: string;
  readonly reading: Reading;
  readonly cuts: readonly Cut[];
}

export class Readers {
  /** The two with a column, once there is a verdict to compare them with: the one that ends
   * the request last, mostly that of a proxy, and the one that ends it first, mostly that of
   * the server behind it. */
  private readonly shown: readonly Column[];
  private readonly other: OtherReadings | undefined;
  /** Where readers begin another request, and which, in words. */
  readonly begins = new Map<number, string>();

  constructor(private readonly when: MessageAt) {
    const { data, exchange, side, text } = when.message;
    const other = side === 'request' ? exchange.other : undefined;
    this.other = other && other.step <= when.step ? other : undefined;
    const { end = 0, readings: [first, ...more] = [] } = this.other ?? {};
    const proxy = mistakeOf(data, exchange.remote);
    const shown = [more.at(-1), first].filter((one) => one !== undefined);
    const isProxy = ({ mistakes }: Reading): boolean =>
      proxy !== undefined && mistakes.includes(proxy);
    this.shown = shown.map((reading, index) => {
      const letter = shown.some(isProxy) ? '' : 'AB'.charAt(index);
      const other = isProxy(reading) ? PROXY : ANOTHER;
      const name = letter === '' ? other : `Reader ${letter}`;
      return { letter, name, reading, cuts: cutsOf(reading, end, text) };
    });
    for (const { cuts, letter, name } of this.shown)
      for (const { from, kind, request } of cuts) {
        if (kind !== 'head' || request === 1) continue;
        const before = this.begins.get(from);
        const says =
          before === undefined
            ? `${inSentence(name)} begins request ${request}`
            : `${before}, ${letter || inSentence(name)} request ${request}`; // for want of room
        this.begins.set(from, says);
      }
  }

  /** What each of them cuts. */
  get columns(): readonly (readonly Cut[])[] {
    return this.shown.map(({ cuts }) => cuts);
  }

  /** @returns what each reader with a column takes a byte for, unless nobody differs. In
   * the head of the first request nobody does, but each goes by other bytes that belong
   * together. */
  take(offset: number): readonly (readonly [string, string])[] {
    const taken = this.shown.map((one) => ({ ...one, cut: cutAt(one.cuts, offset) }));
    if (taken.every(({ cut }) => cut?.kind === 'head' && cut.request === 1)) {
      const isRelated = relationsOf(this.when)
        .flat()
        .some((one) => isIn(one, offset));
      return isRelated ? taken.map(({ name, reading }) => [name, reading.reads]) : [];
    }
    const says = new Set(taken.map(({ cut }) => cut?.says));
    if (taken.length > 1 && says.size === 1) return [];
    return taken.flatMap(({ cut, name }) => (cut ? [[name, cut.says] as const] : []));
  }

  /** @returns for this server and for each column who it is, and what it does */
  heads(): (readonly [who: string, does: string])[] {
    const { exchange, end, rejection } = this.when.message;
    const ours = rejection
      ? `rejects at byte ${rejection.offset}`
      : `ends the request after byte ${(exchange.length ?? end) - 1}`;
    const others = this.shown.map(({ name, reading }) => {
      return [name, `${reading.reads}: ${endOf(reading, this.other?.end ?? 0)}`] as const;
    });
    return [['The server', ours], ...others];
  }

  /** @returns what follows where readers differ, where that can be tried, and what each of
   * them reads */
  tell() {
    if (this.other === undefined) return undefined;
    const { consequences, end, experiment, readings } = this.other;
    const { message } = this.when;
    const { rejection, text } = message;
    const play = `npm run lab -- ${experiment} --play`;
    const lab = experiment
      ? ` A case like it: Lab ${experiment} of the workbench, or ${play}.`
      : '';
    const beyond =
      end > message.end ? ' That reading goes on in what came after the request.' : '';
    const sentences = consequences.map(({ does, mistakes: [mistake], role, who }) => {
      const column = this.shown.find(({ reading }) => reading.mistakes[0] === mistake);
      if (column?.name === PROXY && role === 'proxy') return `${PROXY} ${does}.`;
      const { letter = '' } = column ?? {};
      return `${letter === '' ? who : `A ${role} that reads like reader ${letter}`} ${does}.`;
    });
    const what = sentences.join(' ');
    const until = rejection?.status === 408 ? 'the rest arrives' : 'the input ends';
    const whether =
      rejection?.fault === 'nothing' ? `Before ${until}: ` : 'If this were accepted: ';
    const said = rejection ? `${whether}${inSentence(what)}` : what;
    const shown = this.shown.map(({ reading }) => reading);
    const told = [...new Set([...shown, ...readings])].map((one) => {
      const name = this.shown.find(({ reading }) => reading === one)?.name ?? ANOTHER;
      return tell(one, end, text, name);
    });
    return { said: said + beyond, lab, told };
  }
}

/** @returns the mistake of the proxy with an address */
function mistakeOf({ proxy }: PageData, address: string | undefined): Mistake | undefined {
  for (const one of proxy)
    if (one.type === 'connect' && one.address === address) return one.mistake;
  return undefined;
}

/** @returns the text with a small first letter, for the middle of a sentence */
function inSentence(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
