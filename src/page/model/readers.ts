/** The other readers of a request beside this server: what they are called, which have a
 * column, and what they take a byte for. Pure: it knows no page. */
import type { ExchangeData, OtherReadings, PageData } from './page-data';
import { Message, type MessageAt } from './message';
import { cutAt, cutsOf, endOf, tell, type Cut, type Reading } from './readings';
import { isIn, relationsOf } from './relations';

/** What the readers with a column are called. */
const LETTERS = ['A', 'B'] as const;
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

export class Readers {
  /** The two with a column: the one that ends the request last, mostly that of a proxy, and
   * the one that ends it first, mostly that of the server behind it. */
  private readonly shown: readonly Reading[];
  private readonly cuts: readonly (readonly Cut[])[];

  constructor(
    private readonly message: Message,
    private readonly other: OtherReadings | undefined,
  ) {
    const [first, ...more] = other?.readings ?? [];
    this.shown = [more.at(-1), first].filter((one) => one !== undefined);
    this.cuts = this.shown.map((one) =>
      cutsOf(one, other?.end ?? message.end, message.text),
    );
  }

  /** @returns what each of them cuts, once there is a verdict to compare that with */
  columnsAt(step: number): readonly (readonly Cut[])[] {
    return isJudgedAt(this.message, step) ? this.cuts : [];
  }

  nameOf(index: number): string {
    const proxy = this.other?.proxy;
    const areProxies = this.shown.map(
      ({ mistakes }) => proxy !== undefined && mistakes.includes(proxy),
    );
    if (areProxies[index]) return PROXY;
    return areProxies.includes(true) ? ANOTHER : `Reader ${LETTERS[index]}`;
  }

  /** @returns which readers begin another request at a byte, in words, or '' */
  beginAt(step: number, offset: number): string {
    const found = this.columnsAt(step).flatMap((cuts, index) => {
      const cut = cutAt(cuts, offset);
      if (cut?.from !== offset || cut.kind !== 'head' || cut.request === 1) return [];
      return [[index, cut.request] as const];
    });
    const [first, ...rest] = found;
    if (first === undefined) return '';
    // There is no more room beside the columns.
    const others = rest.map(([index, request]) => {
      const short = this.nameOf(index).replace('Reader ', '');
      return `, ${short.length > 1 ? inSentence(short) : short} request ${request}`;
    });
    const name = inSentence(this.nameOf(first[0]));
    return `${name} begins request ${first[1]}${others.join('')} here`;
  }

  /** @returns what each reader with a column takes a byte for, unless nobody differs. In
   * the head of the first request nobody does, but each goes by other bytes that belong
   * together. */
  take(when: MessageAt, offset: number): readonly (readonly [string, string])[] {
    const columns = this.columnsAt(when.step);
    if (columns.length === 0) return takenBefore(when, offset);
    const cuts = columns.map((all) => cutAt(all, offset));
    if (cuts.every((cut) => cut?.kind === 'head' && cut.request === 1)) {
      const isRelated = relationsOf(when).some((all) =>
        all.some((one) => isIn(one, offset)),
      );
      return isRelated
        ? this.shown.map((one, index) => [this.nameOf(index), doesOf(one)] as const)
        : [];
    }
    const [first] = cuts;
    if (cuts.length > 1 && cuts.every((cut) => cut?.says === first?.says)) return [];
    return cuts.flatMap((cut, index) =>
      cut === undefined ? [] : [[this.nameOf(index), cut.says] as const],
    );
  }

  /** @returns for this server and for each column who it is, and what it does */
  heads(): (readonly [who: string, does: string])[] {
    const { exchange, rejection } = this.message;
    const ours = rejection
      ? `rejects at byte ${rejection.offset}`
      : `ends the request after byte ${(exchange.length ?? this.message.end) - 1}`;
    const others = this.shown.map((one, index) => {
      const end = endOf(one, this.other?.end ?? this.message.end);
      return [this.nameOf(index), `${doesOf(one)}: ${end}`] as const;
    });
    return [['The server', ours], ...others];
  }

  /** What the readers do, in sentences. */
  tell(step: number): Told | undefined {
    if (this.other === undefined || !isJudgedAt(this.message, step)) return undefined;
    const { consequence, end, experiment, readings } = this.other;
    const lab =
      experiment === undefined
        ? ''
        : ` A case like it: Lab ${experiment} of the workbench, or npm run lab -- ` +
          `${experiment} --play.`;
    const beyond =
      end > this.message.end ? ' That reading goes on in what came after the request.' : '';
    const { rejection } = this.message;
    const until = rejection?.status === 408 ? 'the rest arrives' : 'the input ends';
    const whether =
      rejection?.fault === 'nothing' ? `Before ${until}: ` : 'If this were accepted: ';
    const what = this.shown.reduce((text, one, index) => {
      const does = doesOf(one);
      const name = this.nameOf(index);
      if (name === PROXY) return text.replace(`A proxy that ${does}`, name);
      return name === ANOTHER ? text : text.replace(does, `reads like ${inSentence(name)}`);
    }, consequence);
    const told = [...new Set([...this.shown, ...readings])].map((one) => {
      const index = this.shown.indexOf(one);
      const name = index < 0 ? ANOTHER : this.nameOf(index);
      return tell(one, end, this.message.text, name);
    });
    const said = `${rejection ? `${whether}${inSentence(what)}` : what}${beyond}`;
    return { said, lab, told };
  }
}

/** Whose content the byte is for a reader of an earlier request that has not ended it
 * yet. */
function takenBefore({ message, step }: MessageAt, offset: number) {
  const { data, exchange, side } = message;
  const { connection, number } = exchange;
  const earlier = data.exchanges.filter(
    (one) => one.connection === connection && one.number < number && side === 'request',
  );
  let distance = offset;
  return earlier.reverse().flatMap((one) => {
    distance += one.length ?? NaN;
    if (!isJudgedAt({ data, exchange: one }, step)) return [];
    const readers = new Readers(new Message(data, one, 'request', one.request), one.other);
    return readers.columnsAt(step).flatMap((cuts, index) => {
      const cut = cutAt(cuts, distance);
      if (cut?.kind !== 'content' || cut.request !== 1) return [];
      const says = cut.says.replace(/^its content/, `content of ${one.title}`);
      return [[readers.nameOf(index), says] as const];
    });
  });
}

/** @returns its mistake: "goes by Content-Length and ignores Transfer-Encoding" */
function doesOf({ reader }: Reading): string {
  return reader.replace(/^a reader that /, '');
}

/** @returns the text with a small first letter, for the middle of a sentence */
function inSentence(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Whether the server has decided where a request ends. */
function isJudgedAt(
  { data, exchange }: { readonly data: PageData; readonly exchange: ExchangeData },
  step: number,
): boolean {
  const isVerdict = (at: number): boolean =>
    ['reject', 'queue'].includes(data.steps[at]?.verb ?? '');
  return exchange.steps.some((at) => at <= step && isVerdict(at));
}
