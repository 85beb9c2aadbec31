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

/** What follows where readers differ, where that can be tried, and what each of them
 * reads. */
export interface Told {
  readonly said: string;
  readonly lab: string;
  readonly told: readonly string[];
}

interface Column {
  readonly name: string;
  readonly reading: Reading;
  /** "goes by Content-Length and ignores Transfer-Encoding" */
  readonly does: string;
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
      const letter = shown.some(isProxy) ? ANOTHER : `Reader ${'AB'.charAt(index)}`;
      const does = reading.reader.replace(/^a reader that /, '');
      const cuts = cutsOf(reading, end, text);
      return { name: isProxy(reading) ? PROXY : letter, reading, does, cuts };
    });
    for (const { cuts, name } of this.shown)
      for (const { from, kind, request } of cuts) {
        if (kind !== 'head' || request === 1) continue;
        const before = this.begins.get(from);
        const short = inSentence(name).replace('reader ', '');
        const says =
          before === undefined
            ? `${inSentence(name)} begins request ${request}`
            : `${before}, ${short} request ${request}`; // there is no more room
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
      return isRelated ? taken.map(({ does, name }) => [name, does] as const) : [];
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
    const others = this.shown.map(({ does, name, reading }) => {
      return [name, `${does}: ${endOf(reading, this.other?.end ?? 0)}`] as const;
    });
    return [['The server', ours], ...others];
  }

  /** What the readers do, in sentences. */
  tell(): Told | undefined {
    if (this.other === undefined) return undefined;
    const { consequence, end, experiment, readings } = this.other;
    const { message } = this.when;
    const { rejection, text } = message;
    const play = `npm run lab -- ${experiment} --play`;
    const lab = experiment
      ? ` A case like it: Lab ${experiment} of the workbench, or ${play}.`
      : '';
    const beyond =
      end > message.end ? ' That reading goes on in what came after the request.' : '';
    const what = this.shown.reduce((said, { does, name }) => {
      if (name === PROXY) return said.replace(`A proxy that ${does}`, name);
      return name === ANOTHER ? said : said.replace(does, `reads like ${inSentence(name)}`);
    }, consequence);
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
