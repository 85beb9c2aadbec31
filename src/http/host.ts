/**
 * uri-host [ ":" port ], as Host and the request-target write it (9110 §4.2.1, 9112 §3.2; 3986 §3.2.2, §3.2.3).
 *
 *   uri-host   = IP-literal / IPv4address / reg-name      (every IPv4address is a reg-name by its octets)
 *   IP-literal = "[" ( IPv6address / IPvFuture ) "]"
 *   reg-name   = 1*( unreserved / pct-encoded / sub-delims )   (http wants a host: 9110 §4.2.1)
 *   port       = *DIGIT
 */
import { Failure } from './failure';
import type { Input } from './input';
import type { FieldLine } from './message';
import { HEXDIG, Octet, skipDigits, skipRegName } from './octets';

/** @returns the index of the first octet in `from`..`to` that breaks the grammar (`to` if the end comes too early), or -1 where none does */
export function wrongInHost(octets: Buffer, from: number, to: number): number {
  const host = octets[from] === Octet.LEFT_BRACKET ? endOfIpLiteral(octets, from, to) : endOfRegName(octets, from, to);
  if (host === from) return from;
  if (host === to) return -1;
  if (octets[host] !== Octet.COLON) return host;
  const port = skipDigits(octets, host + 1, to);
  return port === to ? -1 : port;
}

function endOfRegName(octets: Buffer, from: number, to: number): number {
  let at = skipRegName(octets, from, to);
  while (at + 2 < to && isPctEncoded(octets, at)) at = skipRegName(octets, at + 3, to);
  return at;
}

function isPctEncoded(octets: Buffer, at: number): boolean {
  return octets[at] === Octet.PERCENT && HEXDIG[octets[at + 1] ?? 0] === 1 && HEXDIG[octets[at + 2] ?? 0] === 1;
}

/** @returns the index behind the closing bracket, or `from` where there is no IP-literal */
function endOfIpLiteral(octets: Buffer, from: number, to: number): number {
  const close = octets.indexOf(Octet.RIGHT_BRACKET, from);
  if (close < 0 || close >= to) return from;
  const address = octets.toString('latin1', from + 1, close);
  return isIPv6(address) || /^v[0-9a-f]+\.[\w.~!$&'()*+,;=:-]+$/i.test(address) ? close + 1 : from;
}

/** IPv6address: eight groups of 16 bits, the last two perhaps as an IPv4address; "::" stands once for one group of zeros or more. */
function isIPv6(address: string): boolean {
  const halves = address.split('::');
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  let count = groups.length;
  const last = groups.at(-1) ?? '';
  if (isIPv4(last) && address.endsWith(last)) {
    groups.pop();
    count += 1;
  }
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  return halves.length === 2 ? count <= 7 : halves.length === 1 && count === 8;
}

function isIPv4(text: string): boolean {
  return /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text);
}

/**
 * Host, which every request but one of HTTP/1.0 must have, once (9112 §3.2).
 * @param input holds the header section
 * @param end offset of its end
 */
export function wrongHost(version: string, lines: readonly FieldLine[], input: Input, end: number): Failure | undefined {
  const host = lines[0];
  const second = lines[1];
  if (host === undefined) {
    return version === 'HTTP/1.0' ? undefined : new Failure(400, '9112 3.2', 'No Host field in an HTTP/1.1 request', end);
  }
  if (second !== undefined) return new Failure(400, '9112 3.2', 'More than one Host field', second.offset);
  const from = input.index(host.offset);
  const wrong = wrongInHost(input.octets, from, from + host.value.length);
  return wrong < 0 ? undefined : new Failure(400, '9112 3.2', 'Host is not uri-host [ ":" port ], with a host', host.offset + wrong - from);
}
