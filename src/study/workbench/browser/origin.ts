/** Whose response a client of the proxy was given: what the proxy told is laid beside the
 * trace of the server, by the bytes and the responses that it counted on each connection.
 * Pure: it knows no page. */
import { originsIn } from '../../../page/model/lanes';
import type { PageData } from '../../../page/model/page-data';
import { count } from '../../../page/model/words';
import type { ProxyLine } from '../../../trace/proxy-events';
import type { ClientData } from '../clients';

type Told<T extends ProxyLine['type']> = Extract<ProxyLine, { type: T }>;

/** What came of a send. */
export interface Outcome {
  readonly says: string;
  /** Whether its client got the response to another request. */
  readonly isOther: boolean;
}

/** @param client that sent
 * @param since when that was, in milliseconds since the server started
 * @param nameOf says who a client of the proxy is
 * @returns whether what it received is the response to what it sent, or why there is
 * none; '' where that is not known */
export function outcomeOf(
  { name: client, state, unsent }: Pick<ClientData, 'name' | 'state' | 'unsent'>,
  since: number,
  data: PageData,
  nameOf: (client: string) => string,
): Outcome {
  const says = (text: string, isOther = false): Outcome => ({ says: text, isOther });
  const { exchanges, proxy } = data;
  const own = proxy.filter((one) => 'client' in one && one.client === client);
  const news = own.filter(({ at }) => at >= since);
  const last = news.filter(({ type }) => type === 'response' || type === 'refuse').at(-1);
  if (last === undefined) {
    const isHeld = state !== 'closed' && unsent === 0;
    return says(isHeld ? holdOf(news) : '');
  }
  if (last.type !== 'response') return says('The server did not send this: the proxy did.');
  const asked = originsIn(data)(last)?.exchange;
  if (asked === undefined) return says('');
  const before = exchanges.slice(0, exchanges.indexOf(asked));
  const same = before.filter(({ remote }) => remote === asked.remote);
  const from = same.reduce((sum, { length = 0 }) => sum + length, 0);
  // The request of which the proxy sent the first byte of what the server read.
  const sender = proxy
    .filter((one): one is Told<'forward'> => one.type === 'forward')
    .filter((one) => one.connection === last.connection && one.from <= from)
    .at(-1);
  if (sender?.request === last.request && sender?.from === from)
    return says(`This is the response to what it sent: ${asked.title}.`);
  const origin = sender && originOf(from, asked.length, sender, proxy, nameOf);
  const other = 'This is not the response to what it sent, but to another request: ';
  return says(`${other}${asked.title}${origin ?? ''}.`, true);
}

/** Why the proxy has forwarded nothing. */
function holdOf(news: readonly ProxyLine[]): string {
  const has = (type: ProxyLine['type']): boolean => news.some((one) => one.type === type);
  if (has('forward')) return '';
  const why = has('request')
    ? 'the response to another request comes first'
    : 'it waits for the rest of the request';
  return `The proxy has not forwarded it: ${why}.`;
}

/** @returns ", which was in the 50 bytes that the proxy took for the attacker's content",
 * or ", which p2 sent" */
function originOf(
  from: number,
  length = Infinity,
  sender: Told<'forward'>,
  proxy: readonly ProxyLine[],
  nameOf: (client: string) => string,
): string | undefined {
  const who = nameOf(sender.client);
  const at = from - sender.from;
  if (at === 0) return `, which ${who} sent`;
  const read = proxy.find(
    (one): one is Told<'request'> =>
      one.type === 'request' && one.request === sender.request,
  );
  if (read === undefined) return undefined;
  const { contentLength, contentStart } = read;
  const did = `, which ${at + length <= contentStart + contentLength ? 'was' : 'began'} in`;
  if (at < contentStart) return `${did} what the proxy took for ${who}'s header fields`;
  // A large number would be rounded to 17 digits.
  const size = contentLength > 1e9 ? 'many bytes' : count(contentLength, 'byte');
  return `${did} the ${size} that the proxy took for ${who}'s content`;
}
