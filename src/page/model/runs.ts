/** Two runs of the same sends side by side, such as an experiment of the lab without its
 * defence and with it: what each client received in one and in the other. Pure: it knows no
 * page. */
import { capitalize } from './glossary';
import { clientsOf, originsIn } from './lanes';
import type { ExchangeData, PageData } from './page-data';
import { isFinal } from './times';

/** A response that a client received. */
export interface Receipt {
  /** Which client that is, by the order in which they came: 0 for the first. */
  readonly client: number;
  /** "200 OK to GET /tasks/2" */
  readonly says: string;
  /** Whether the client had asked for something else. */
  readonly isOther: boolean;
  /** The request that it is the response to, unless the proxy responded. */
  readonly exchange: ExchangeData | undefined;
}

type Both<T> = readonly [T, T];

export interface RunsData {
  /** What each client received, in either run, and both in a sentence. */
  readonly clients: readonly {
    readonly name: string;
    readonly received: Both<readonly Receipt[]>;
    readonly isSame: boolean;
    readonly says: string;
  }[];
  /** Where the runs differ first: one of them may have ended there. undefined if they do
   * not. */
  readonly first: Both<Receipt | undefined> | undefined;
  /** The first difference, in a sentence. */
  readonly says: string;
}

/** @param called what the runs are called in a sentence
 * @param names of the clients in a sentence, in the order in which they came, if they have
 * others than those of their lanes */
export function compareRuns(
  runs: Both<PageData>,
  called: Both<string> = ['without the defence', 'with it'],
  names: readonly string[] = [],
): RunsData {
  const receipts = [receiptsIn(runs[0]), receiptsIn(runs[1])] as const;
  const lanes = [clientsOf(runs[0]), clientsOf(runs[1])] as const;
  const all = lanes[0].length < lanes[1].length ? lanes[1] : lanes[0];
  const nameOf = (client: number): string => names[client] ?? all[client] ?? '';
  const both = (one: string, other: string): string =>
    `${called[0]}, ${one}; ${called[1]}, ${other}.`;

  const clients = all.map((_, client) => {
    const own = (run: 0 | 1) => receipts[run].filter((one) => one.client === client);
    const received = [own(0), own(1)] as const;
    const [one, other] = [tell(received[0]), tell(received[1])];
    const isSame = one === other;
    const name = nameOf(client);
    const says = isSame
      ? `${name} received the same in both: ${one}.`
      : both(`${name} received ${one}`, other);
    return { name, received, isSame, says: capitalize(says) };
  });

  const keyOf = (one: Receipt | undefined) => one && `${one.client} ${one.says}`;
  const [some, others] = receipts;
  const longer = some.length < others.length ? others : some;
  const index = longer.findIndex((_, at) => keyOf(some[at]) !== keyOf(others[at]));
  if (index < 0)
    return { clients, first: undefined, says: 'All clients received the same.' };
  const first = [some[index], others[index]] as const;
  const [one, other] = first.map((receipt) =>
    receipt === undefined
      ? 'nobody received anything more'
      : `${nameOf(receipt.client)} received ${tell([receipt])}`,
  );
  return { clients, first, says: `The first difference: ${both(one ?? '', other ?? '')}` };
}

function tell(receipts: readonly Receipt[]): string {
  const told = receipts.map(
    ({ isOther, says }) => says + (isOther ? ', for which it had not asked' : ''),
  );
  return told.length === 0 ? 'nothing' : told.join(', and ');
}

/** @returns what the clients received, in the order in which it came */
export function receiptsIn(data: PageData): Receipt[] {
  const clients = clientsOf(data);
  const indexOf = (name: string): number => clients.indexOf(name);
  const origins = originsIn(data);
  const asked = new Map<number | undefined, string>();
  const received = data.exchanges.flatMap((exchange): (Receipt & { at: number })[] => {
    const { connection, responses, title } = exchange;
    const client = indexOf(`c${connection}`); // not those of the proxy
    return responses
      .filter((one) => one.isSent && isFinal(one))
      .map(({ arrivals: [[step] = [0]] = [], status }) => {
        const at = data.steps[step]?.at ?? 0;
        return { at, client, says: `${status} to ${title}`, isOther: false, exchange };
      });
  });
  for (const event of data.proxy) {
    const { at, type } = event;
    if (type === 'request') asked.set(event.request, event.name);
    if (type === 'refuse') {
      const status = event.text.slice('HTTP/1.1 '.length).split('\r\n', 1)[0] ?? '';
      const says = `${status} from the proxy`;
      const client = indexOf(event.client);
      received.push({ at, client, says, isOther: false, exchange: undefined });
    }
    if (type !== 'response' || event.client === undefined || event.isInterim) continue;
    const { exchange, response } = origins(event) ?? {};
    const title = exchange?.title ?? 'a request that is left out';
    const says = `${response?.status ?? 'A response'} to ${title}`;
    const isOther = exchange !== undefined && title !== asked.get(event.request);
    received.push({ at, client: indexOf(event.client), says, isOther, exchange });
  }
  return received
    .filter(({ client }) => client >= 0)
    .sort((one, other) => one.at - other.at)
    .map(({ client, exchange, isOther, says }) => ({ client, exchange, isOther, says }));
}
