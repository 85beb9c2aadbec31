/** Two runs of the same sends side by side, such as an experiment of the lab without its
 * defence and with it: what each client received in one and in the other. Pure: it knows no
 * page. */
import { clientsOf, originsIn } from './lanes';
import type { ExchangeData, PageData, PartData } from './page-data';
import { isFinal } from './times';

/** A response that a client received. */
export interface Receipt {
  /** In milliseconds since the server started. */
  readonly at: number;
  /** Which client that is, by the order in which they came: 0 for the first. */
  readonly client: number;
  /** "200 OK in response to GET /tasks/2, for which it had not asked" */
  readonly says: string;
  /** Whether the client had not asked for it. */
  readonly isOther: boolean;
  /** The request that it is the response to, unless the proxy responded. */
  readonly exchange: ExchangeData | undefined;
}

type Both<T> = readonly [T, T];

/** A second run of the same sends, with its data, or with the lines of its trace. */
export interface OtherRun<T = PageData> {
  readonly data: T;
  /** What the first run and this one are called: "without the defence", "with it". */
  readonly called: Both<string>;
  /** What the clients are called, in the order in which they came, if they have other names
   * than their lanes. */
  readonly names: readonly string[];
}

export interface RunsData {
  /** What each client received, in either run. */
  readonly clients: readonly {
    readonly name: string;
    readonly received: Both<readonly Receipt[]>;
    readonly isSame: boolean;
  }[];
  /** Where the runs differ first: one of them may have ended there. undefined if they do
   * not. */
  readonly first: Both<Receipt | undefined> | undefined;
  /** The first difference, in a sentence. */
  readonly says: string;
}

export function compareRuns(
  data: PageData,
  { called, data: otherData, names }: OtherRun,
): RunsData {
  const receipts = [receiptsIn(data), receiptsIn(otherData)] as const;
  const lanes = [clientsOf(data), clientsOf(otherData)] as const;
  const all = lanes[0].length < lanes[1].length ? lanes[1] : lanes[0];
  const nameOf = (client: number): string => names[client] ?? all[client] ?? '';
  const clients = all.map((_, client) => {
    const own = (run: 0 | 1) => receipts[run].filter((one) => one.client === client);
    const received = [own(0), own(1)] as const;
    const [one, other] = received.map((all) => all.map(({ says }) => says).join());
    return { name: nameOf(client), received, isSame: one === other };
  });

  const keyOf = (one: Receipt | undefined) => one && `${one.client} ${one.says}`;
  const [some, others] = receipts;
  const longer = some.length < others.length ? others : some;
  const index = longer.findIndex((_, at) => keyOf(some[at]) !== keyOf(others[at]));
  if (index < 0) {
    const turns = differingTurns(receipts);
    const owners = turns?.map((one) => nameOf(one.client)) ?? [];
    const same = 'All clients received the same';
    const says =
      turns === undefined
        ? `${same}.`
        : `${same}, but the turns were in a different order: turn ${turns[0].exchange?.turn} was ` +
          `for ${owners[0]} ${called[0]}, and for ${owners[1]} ${called[1]}.`;
    return { clients, first: turns, says };
  }
  const first = [some[index], others[index]] as const;
  const [one, other] = first.map((receipt) =>
    receipt === undefined
      ? 'nobody received anything more'
      : `${nameOf(receipt.client)} received ${receipt.says}`,
  );
  const says = `The first difference: ${called[0]}, ${one}; ${called[1]}, ${other}.`;
  return { clients, first, says };
}

/** @returns the responses to the first turns that are not for the same client */
function differingTurns(receipts: Both<readonly Receipt[]>): Both<Receipt> | undefined {
  const [some, others] = receipts.map((all) =>
    all
      .filter(({ exchange }) => exchange?.turn !== undefined)
      .sort((one, other) => (one.exchange?.turn ?? 0) - (other.exchange?.turn ?? 0)),
  );
  for (const [index, one] of (some ?? []).entries()) {
    const other = others?.[index];
    if (other !== undefined && other.client !== one.client) return [one, other];
  }
  return undefined;
}

/** @returns what the clients received, in the order in which it came */
export function receiptsIn(data: PageData): Receipt[] {
  const indexes = new Map(clientsOf(data).map((name, index) => [name, index]));
  const indexOf = (name: string): number => indexes.get(name) ?? -1;
  const origins = originsIn(data);
  const received = data.exchanges.flatMap((exchange): Receipt[] => {
    const { connection, responses, title } = exchange;
    const client = indexOf(`c${connection}`); // not those of the proxy
    return responses
      .filter((one) => one.isSent && isFinal(one))
      .flatMap(({ arrivals: [[step] = [0]] = [], parts, status, text }) => {
        const about = { at: data.steps[step]?.at ?? 0, client, exchange };
        const says = `${status} in response to ${title}`;
        const more = laterStatuses(parts, text).map((later) => {
          const written = `${later}, written into the response before it`;
          return { ...about, says: written, isOther: true };
        });
        return [{ ...about, says, isOther: false }, ...more];
      });
  });
  for (const event of data.proxy) {
    const { at, type } = event;
    if (type === 'refuse') {
      const says = `${event.status} from the proxy`;
      const client = indexOf(event.client);
      received.push({ at, client, says, isOther: false, exchange: undefined });
    }
    if (type !== 'response' || event.client === undefined) continue;
    const { exchange, isOther, response } = origins(event);
    if (response !== undefined && !isFinal(response)) continue;
    const title = exchange?.title ?? 'a request that is left out';
    const other = isOther ? ', for which it had not asked' : '';
    const says = `${response?.status ?? 'A response'} in response to ${title}${other}`;
    received.push({ at, client: indexOf(event.client), says, isOther, exchange });
  }
  return received
    .filter(({ client }) => client >= 0)
    .sort((one, other) => one.at - other.at);
}

/** A client may have written another response into one.
 * @returns the status of each response after the first */
function laterStatuses(parts: readonly PartData[], text: string): string[] {
  const codes = parts.filter(({ name }) => name === 'status-code').slice(1);
  return codes.map(({ offset }) => text.slice(offset, text.indexOf('\r\n', offset)));
}
