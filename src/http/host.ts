/** uri-host [ ":" port ], in Host and in the request-target (9110 §4.2.1; 3986 §3.2.2, §3.2.3).
 *
 *   uri-host    = IP-literal / IPv4address / reg-name      an IPv4address is a reg-name, too
 *   IP-literal  = "[" ( IPv6address / IPvFuture ) "]"
 *   reg-name    = *( unreserved / pct-encoded / sub-delims )
 *   port        = *DIGIT */
import { Byte, skipDigits, skipRegName } from './grammar';
import type { FieldLine } from './message';
import { allowedBy, ourChoice, requiredBy } from './protocol-error';
import type { ReceiveBuffer } from './receive-buffer';
import type { Version } from './request-line';
import type { RequestTarget } from './request-target';

/** Host, which every request must have once; only HTTP/1.0 may leave it out (9112 §3.2).
 * @param lines the Host lines of the request
 * @param buffer still holds the header section, which ends before its next byte */
export function checkHost(
  version: Version,
  { form }: RequestTarget,
  lines: readonly FieldLine[],
  buffer: ReceiveBuffer,
): void {
  const host = lines[0];
  if (host === undefined) {
    if (version === 'HTTP/1.0') return;
    throw requiredBy(
      '9112 3.2',
      buffer.offset - '\r\n'.length,
      'No Host field, which only an HTTP/1.0 request may leave out',
    );
  }
  if (lines[1]) throw requiredBy('9112 3.2', lines[1].offset, 'More than one Host field');
  const { value, offset } = host;
  const from = buffer.indexOf(offset);
  const invalid = findInvalidHostByte(buffer.bytes, from, from + value.length);
  if (invalid >= 0) {
    throw requiredBy('9112 3.2', buffer.offsetOf(invalid), 'Host is not uri-host [ ":" port ]');
  }
  // In the other forms the target names the host, and Host is ignored (9112 §3.2.2, §3.3).
  if (form !== 'origin-form' && form !== 'asterisk-form') return;
  const hasName = value !== '' && !value.startsWith(':');
  if (!hasName) throw allowedBy('9112 3.3', offset, 'Host does not name a host');
  // A comma is a sub-delim, so "a,b" could be one name. It is what two joined Host lines look like.
  const comma = value.indexOf(',');
  if (comma >= 0) {
    throw ourChoice('9112 3.2', offset + comma, 'Host has a comma, so it looks like a list');
  }
}

/** @returns the index of the first byte from `from` to `to` that breaks the grammar (`to` where
 * something is missing), or -1 where none does */
export function findInvalidHostByte(bytes: Buffer, from = 0, to = bytes.length): number {
  let at = skipRegName(bytes, from, to);
  if (at === from && at < to && bytes[at] === Byte.LEFT_BRACKET) {
    const address = /^[^\]]*/.exec(bytes.toString('latin1', from + 1, to))?.[0] ?? '';
    at = from + 1 + validLength(address);
    if (at === to || !isAddress(address)) return at;
    at += 1;
  }
  if (at === to) return -1;
  if (bytes[at] !== Byte.COLON) return at;
  const port = skipDigits(bytes, at + 1, to);
  return port === to ? -1 : port;
}

/** An IPv6address, which Node's own parser knows, or an IPvFuture. */
function isAddress(text: string): boolean {
  if (/^v/i.test(text)) return /^v[0-9a-f]+\.[\w.~!$&'()*+,;=:-]+$/i.test(text);
  return /^[0-9a-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]`);
}

const LONGEST_IPV6 = 'ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255'.length;
/** What may follow the beginning of an address to make it whole. */
const ENDS = ['', ':', '::', '0', ':0', '.0', '.0.0', '.0.0.0', '0.0', '0.0.0'];
/** How much of a text could be the beginning of an address. */
function validLength(text: string): number {
  const future = /^v(?:[0-9a-f]+(?:\.[\w.~!$&'()*+,;=:-]*)?)?/i.exec(text)?.[0];
  if (future !== undefined) return future.length;
  let length = Math.min(text.length, LONGEST_IPV6);
  while (length > 0 && !ENDS.some((end) => isAddress(text.slice(0, length) + end))) length -= 1;
  return length;
}
