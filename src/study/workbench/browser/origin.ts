/** What the proxy did with what its clients sent: where a request came from that the server
 * read, and why the server has nothing. Pure: it knows no page. */
import type { EventsData, ForwardedData } from '../bench';
import type { ClientData } from '../clients';

/** @param asked the bytes of a request as the server read it, a character for each
 * @param forwarded what the proxy forwarded
 * @param nameOf says who a client of the proxy is
 * @returns ", which was in the 50 bytes that the proxy took for the attacker's content", or
 * ", which p2 sent"; '' where that is not certain */
export function originOf(
  asked: string,
  forwarded: readonly ForwardedData[],
  nameOf: (client: string) => string,
): string {
  if (asked === '') return '';
  const origins = forwarded.map(({ bytes, client, contentLength, contentStart }) => {
    const text = atob(bytes);
    const who = nameOf(client);
    if (isStartOf(text, asked)) return `, which ${who} sent`;
    for (let at = text.indexOf('\n') + 1; at < text.length; at += 1) {
      const rest = text.slice(at);
      if (!isStartOf(rest, asked)) continue;
      const did = `, which ${rest.startsWith(asked) ? 'was' : 'began'} in`;
      return at < contentStart
        ? `${did} what the proxy took for ${who}'s header fields`
        : `${did} the ${bytesOf(contentLength)} that the proxy took for ${who}'s content`;
    }
    return '';
  });
  const [origin = '', other] = new Set(origins.filter((one) => one !== ''));
  return other === undefined ? origin : '';
}

/** @param sent what a client of the proxy sent since it received something
 * @returns why the proxy has forwarded none of it, as a sentence; '' where it has */
export function holdOf(
  { name, state, unsent }: Pick<ClientData, 'name' | 'state' | 'unsent'>,
  sent: string,
  { forwarded, waiting }: Pick<EventsData, 'forwarded' | 'waiting'>,
): string {
  if (state === 'closed' || unsent > 0) return '';
  const isRead = forwarded.some(
    ({ bytes, client }) => client === name && sent.includes(atob(bytes)),
  );
  if (isRead && !waiting.includes(name)) return '';
  const why = isRead
    ? 'the response to another request comes first'
    : 'it waits for the rest of the request';
  return `The proxy has not forwarded it: ${why}.`;
}

/** A large number would be rounded to 17 digits. */
function bytesOf(length: number): string {
  return `${BigInt(length).toLocaleString('en')} byte${length === 1 ? '' : 's'}`;
}

/** @returns whether one of two texts starts with the other */
function isStartOf(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}
