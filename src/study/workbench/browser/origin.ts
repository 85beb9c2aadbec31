/** Whose response a client of the proxy was given: what the proxy told is laid beside the
 * trace of the server, by the bytes and the responses that it counted on each connection.
 * Pure: it knows no page. */
import type { ExchangeData, PageData } from '../../../page/model/page-data';
import type { ProxyLine } from '../../../trace/proxy-events';
import type { ClientData } from '../clients';

type Told<T extends ProxyLine['type']> = Extract<ProxyLine, { type: T }>;

/** A request as the server read it. */
interface Asked {
  readonly exchange: ExchangeData;
  /** Where it starts and ends in what the proxy sent on the connection. */
  readonly from: number;
  readonly end: number;
}

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
  { at: since }: { readonly at: number },
  told: readonly ProxyLine[],
  data: Pick<PageData, 'exchanges'> = { exchanges: [] },
  nameOf: (client: string) => string,
): Outcome {
  const lines = told.filter(({ at }) => at >= since);
  const [last] = [...lines]
    .reverse()
    .filter(
      (line): line is Told<'response'> | Told<'refuse'> =>
        (line.type === 'response' || line.type === 'refuse') && line.client === client,
    );
  if (last === undefined) {
    const isHeld = state !== 'closed' && unsent === 0;
    return { says: isHeld ? holdOf(client, lines) : '', isOther: false };
  }
  if (last.type === 'refuse')
    return { says: 'The server did not send this: the proxy did.', isOther: false };
  const asked = askedBy(last, told, data);
  if (asked === undefined) return { says: '', isOther: false };
  const { title } = asked.exchange;
  const sender = senderOf(asked, last, told);
  if (sender?.request === last.request && sender?.from === asked.from)
    return { says: `This is the response to what it sent: ${title}.`, isOther: false };
  const origin = sender && originOf(asked, sender, told, nameOf);
  const says =
    'This is not the response to what it sent, but to another request: ' +
    `${title}${origin ?? ''}.`;
  return { says, isOther: true };
}

/** Why the proxy has forwarded nothing. */
function holdOf(client: string, lines: readonly ProxyLine[]): string {
  const has = (type: 'request' | 'forward'): boolean =>
    lines.some((line) => line.type === type && line.client === client);
  if (has('forward')) return '';
  const why = has('request')
    ? 'the response to another request comes first'
    : 'it waits for the rest of the request';
  return `The proxy has not forwarded it: ${why}.`;
}

/** @returns the request that a response is to */
function askedBy(
  { connection, response }: Told<'response'>,
  told: readonly ProxyLine[],
  { exchanges }: Pick<PageData, 'exchanges'>,
): Asked | undefined {
  const opened = told.find(
    (line) => line.type === 'connect' && line.connection === connection,
  );
  const address = opened?.type === 'connect' ? opened.address : undefined;
  if (address === undefined) return undefined;
  let from = 0;
  let responses = 0;
  for (const exchange of exchanges) {
    if (exchange.remote !== address) continue;
    if (responses === 0 && exchange.number > 1) return undefined; // others are left out
    const end = from + (exchange.length ?? Infinity);
    responses += exchange.responses.length;
    if (responses >= response) return { exchange, from, end };
    from = end;
  }
  return undefined;
}

/** @returns the request of which the proxy sent the first byte of what the server read */
function senderOf(
  { from }: Asked,
  { connection }: Told<'response'>,
  told: readonly ProxyLine[],
): Told<'forward'> | undefined {
  return told
    .filter((line): line is Told<'forward'> => line.type === 'forward')
    .filter((line) => line.connection === connection && line.from <= from)
    .at(-1);
}

/** @returns ", which was in the 50 bytes that the proxy took for the attacker's content",
 * or ", which p2 sent" */
function originOf(
  { end, from }: Asked,
  sender: Told<'forward'>,
  told: readonly ProxyLine[],
  nameOf: (client: string) => string,
): string | undefined {
  const who = nameOf(sender.client);
  if (sender.from === from) return `, which ${who} sent`;
  const read = told.find(
    (line): line is Told<'request'> =>
      line.type === 'request' && line.request === sender.request,
  );
  if (read === undefined) return undefined;
  const { contentLength, contentStart } = read;
  const at = from - sender.from;
  const isWhole = end - sender.from <= contentStart + contentLength;
  const did = `, which ${isWhole ? 'was' : 'began'} in`;
  return at < contentStart
    ? `${did} what the proxy took for ${who}'s header fields`
    : `${did} the ${bytesOf(contentLength)} that the proxy took for ${who}'s content`;
}

/** A large number would be rounded to 17 digits. */
function bytesOf(length: number): string {
  return `${BigInt(length).toLocaleString('en')} byte${length === 1 ? '' : 's'}`;
}
