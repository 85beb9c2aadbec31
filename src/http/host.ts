/**
 * uri-host [ ":" port ], in Host and in the request-target (9110 §4.2.1; 3986 §3.2.2, §3.2.3).
 *
 *   uri-host    = IP-literal / IPv4address / reg-name      an IPv4address is a reg-name, too
 *   IP-literal  = "[" ( IPv6address / IPvFuture ) "]"
 *   reg-name    = *( unreserved / pct-encoded / sub-delims )
 *   port        = *DIGIT
 */
import { Byte, isPctEncoded, skipDigits, skipRegName } from './grammar';
import type { FieldLine } from './message';
import { allowedBy, ourChoice, requiredBy } from './protocol-error';
import type { ReceiveBuffer } from './receive-buffer';
import type { Version } from './request-line';
import type { RequestTarget } from './request-target';

/**
 * Host, which every request but one of HTTP/1.0 must have, once (9112 §3.2).
 * @param lines the Host lines of the request
 * @param buffer still holds the header section
 * @param end offset of the end of the header section
 * @throws ProtocolError
 */
export function checkHost(
  version: Version,
  { form }: RequestTarget,
  lines: readonly FieldLine[],
  buffer: ReceiveBuffer,
  end: number,
): void {
  const host = lines[0];
  const second = lines[1];
  if (host === undefined) {
    if (version === 'HTTP/1.0') return;
    throw requiredBy('9112 3.2', end,
      'No Host field, which only an HTTP/1.0 request may leave out');
  }
  if (second !== undefined) {
    throw requiredBy('9112 3.2', second.offset, 'More than one Host field');
  }
  const { value, offset } = host;
  const from = buffer.indexOf(offset);
  const invalid = findInvalidHostByte(buffer.bytes, from, from + value.length);
  if (invalid >= 0) {
    throw requiredBy('9112 3.2', buffer.offsetOf(invalid), 'Host is not uri-host [ ":" port ]');
  }
  // In the other forms the target names the host, and Host is ignored (9112 §3.2.2, §3.3).
  if (form !== 'origin-form' && form !== 'asterisk-form') return;
  if (value === '' || buffer.bytes[from] === Byte.COLON) {
    throw allowedBy('9112 3.3', offset, 'Host does not name a host');
  }
  // A comma is a sub-delim, so "a,b" could be one name. It is what two joined Host lines look like.
  const comma = value.indexOf(',');
  if (comma >= 0) {
    throw ourChoice('9112 3.2', offset + comma, 'Host has a comma, so it looks like a list');
  }
}

/**
 * @returns the index of the first byte from `from` to `to` that breaks the grammar (`to` where
 * something is missing), or -1 where none does
 */
export function findInvalidHostByte(bytes: Buffer, from: number, to: number): number {
  let at = skipRegName(bytes, from, to);
  while (isPctEncoded(bytes, at, to)) at = skipRegName(bytes, at + 3, to);
  if (at === from && bytes[at] === Byte.LEFT_BRACKET && at < to) {
    const literal = bytes.toString('latin1', from + 1, to);
    const invalid = findInvalidInLiteral(literal);
    if (invalid >= 0) return from + 1 + invalid;
    at = from + literal.indexOf(']') + 2;
  }
  if (at === to) return -1;
  if (bytes[at] !== Byte.COLON) return at;
  const port = skipDigits(bytes, at + 1, to);
  return port === to ? -1 : port;
}

/**
 * @param literal what follows "[", to the end of the host
 * @returns the index of the first character that does not belong to an address and "]", or -1
 */
function findInvalidInLiteral(literal: string): number {
  const close = literal.indexOf(']');
  const address = close < 0 ? literal : literal.slice(0, close);
  const prefix = address.startsWith('v') || address.startsWith('V') ? futurePrefix : ipv6Prefix;
  const length = prefix(address);
  if (length < address.length) return length;
  return close >= 0 && isAddress(address) ? -1 : address.length;
}

function isAddress(address: string): boolean {
  return isIPv6(address) || /^v[0-9a-f]+\.[\w.~!$&'()*+,;=:-]+$/i.test(address);
}

/** How much of a text an IPvFuture could start with. */
function futurePrefix(address: string): number {
  return /^v(?:[0-9a-f]+(?:\.[\w.~!$&'()*+,;=:-]*)?)?/i.exec(address)?.[0].length ?? 0;
}

/** The length of the longest IPv6address, "ffff:...:255.255.255.255". */
const LONGEST_IPV6 = 45;
/** What may follow a beginning of an IPv6address to make it whole. */
const COMPLETIONS = ['', ':', '::', '0', ':0', '.0', '.0.0', '.0.0.0', '0.0', '0.0.0'];

/** How much of a text an IPv6address could start with. Every beginning of a beginning is one. */
function ipv6Prefix(address: string): number {
  let [known, limit] = [0, Math.min(address.length, LONGEST_IPV6)];
  while (known < limit) {
    const length = Math.ceil((known + limit) / 2);
    const beginning = address.slice(0, length);
    if (COMPLETIONS.some((rest) => isIPv6(beginning + rest))) known = length;
    else limit = length - 1;
  }
  return known;
}

/** Eight groups of 16 bits, the last two perhaps an IPv4address; "::" is one zero group or more. */
function isIPv6(address: string): boolean {
  const halves = address.split('::');
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const endsInIPv4 = isIPv4(last) && address.endsWith(last);
  if (endsInIPv4) groups.pop();
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  const count = groups.length + (endsInIPv4 ? 2 : 0);
  return halves.length === 2 ? count <= 7 : halves.length === 1 && count === 8;
}

function isIPv4(text: string): boolean {
  return /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text);
}
