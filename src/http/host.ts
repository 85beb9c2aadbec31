/** The grammar of a host and its port, and the Host field.
 *
 *   Host        = uri-host [ ":" port ]                                       (9110 §7.2)
 *   uri-host    = IP-literal / IPv4address / reg-name             (9110 §4.1; 3986 §3.2.2)
 *   IP-literal  = "[" ( IPv6address / IPvFuture ) "]"
 *   IPvFuture   = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
 *   reg-name    = *( unreserved / pct-encoded / sub-delims )
 *   port        = *DIGIT                                                     (3986 §3.2.3)
 *
 * An IPv4address is a reg-name, too. */
import { isIPv6 } from 'node:net';
import { URI_CHARS } from './grammar';
import type { FieldLine } from './message';
import { allowedBy, ourChoice, requiredBy } from './protocol-error';

/** What Host usually is: letters, digits, dots and hyphens, and perhaps a port. */
const USUAL_HOST = /^[\w.-]+(?::\d*)?$/;
const REG_NAME = new RegExp(`^(?:[${URI_CHARS}]|%[\\da-f]{2})*`, 'i');
/** A "%" ends it: the zone that isIPv6() would accept is not for a URI. */
const IP_LITERAL = new RegExp(`^\\[[${URI_CHARS}:]*\\]?`);
const IPV_FUTURE = /^v[\da-f]+\.[^\]]+$/i;

const ONE_HOST = {
  expected: 'the name or address of one host, and perhaps a colon and a port',
};

/** @returns the index of the first character that breaks the grammar of
 * uri-host [ ":" port ] (the length if something is missing), or -1 if none does. An address
 * in brackets that is wrong is wrong where it begins. */
export function findInvalidHostChar(text: string): number {
  const [host = ''] = (text.startsWith('[') ? IP_LITERAL : REG_NAME).exec(text) ?? [];
  if (host.startsWith('[')) {
    if (!host.endsWith(']')) return host.length;
    const address = host.slice(1, -1);
    if (!isIPv6(address) && !IPV_FUTURE.test(address)) return 1;
  }
  const [port = ''] = /^:\d*/.exec(text.slice(host.length)) ?? [];
  const end = host.length + port.length;
  return end === text.length ? -1 : end;
}

/** Checks Host, which every request must have once; only HTTP/1.0 may leave it out.
 * @param namesTarget whether Host names the host of the target. In absolute-form and
 * authority-form the target itself does, and Host only has to be well formed (9112 §3.2.2,
 * §3.3)
 * @param lines the Host lines of the request
 * @param end the offset after the header section
 * @throws ProtocolError */
export function checkHost(
  minorVersion: number,
  namesTarget: boolean,
  lines: readonly FieldLine[],
  end: number,
): void {
  const host = lines[0];
  const second = lines[1];
  if (host === undefined) {
    if (minorVersion === 0) return;
    const reason = 'No Host field, which only an HTTP/1.0 request may leave out';
    const expected = 'before the empty line, a line that names the host: Host: localhost';
    throw requiredBy('9112 3.2', end - '\r\n'.length, reason, { expected });
  }
  if (second !== undefined) {
    const expected = 'no second Host: a request has one';
    const options = { expected, fault: 'beside' } as const;
    throw requiredBy('9112 3.2', second.offset, 'More than one Host field', options);
  }

  const { value, offset } = host;
  if (USUAL_HOST.test(value)) return;
  const wrong = findInvalidHostChar(value);
  if (wrong >= 0) {
    const [scheme] = /^https?:\/\//i.exec(value) ?? [];
    const hint = scheme ? `Host is a name and perhaps a port, without "${scheme}"` : '';
    const reason = 'Host is not a host name and perhaps a port';
    throw requiredBy('9112 3.2', offset + wrong, reason, { ...ONE_HOST, hint });
  }

  if (!namesTarget) return;
  if (value === '' || value.startsWith(':')) {
    const expected = 'the name or address of the host, after the colon: Host: localhost';
    throw allowedBy('9112 3.3', offset, 'Host does not name a host', { expected });
  }
  // A comma is a sub-delim, so "a,b" could be one name. Two joined Host lines look like
  // this.
  const comma = value.indexOf(',');
  if (comma >= 0) {
    const reason = 'Host has a comma, so it looks like a list';
    throw ourChoice('9112 3.2', offset + comma, reason, ONE_HOST);
  }
}
