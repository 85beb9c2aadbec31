/** uri-host [ ":" port ], in Host and in the request-target (9110 §4.2.1; 3986 §3.2.2,
 * §3.2.3).
 *
 *   uri-host    = IP-literal / IPv4address / reg-name      an IPv4address is a reg-name, too
 *   IP-literal  = "[" ( IPv6address / IPvFuture ) "]"
 *   reg-name    = *( unreserved / pct-encoded / sub-delims )
 *   port        = *DIGIT */
import { Byte, skipDigits, skipRegName } from './grammar';
import { readIpLiteral } from './ip-literal';
import type { FieldLine } from './message';
import { allowedBy, ourChoice, requiredBy } from './protocol-error';
import type { ReceiveBuffer } from './receive-buffer';
import type { RequestTarget } from './request-target';

const { COLON, LEFT_BRACKET } = Byte;

/** Checks Host, which every request must have once; only HTTP/1.0 may leave it out
 * (9112 §3.2).
 * @param lines the Host lines of the request
 * @param buffer the one that still holds the header section, and has read it to its end
 * @throws ProtocolError */
export function checkHost(
  minorVersion: number,
  form: RequestTarget['form'],
  lines: readonly FieldLine[],
  buffer: ReceiveBuffer,
): void {
  const host = lines[0];
  const second = lines[1];
  if (host === undefined) {
    if (minorVersion === 0) return;
    const reason = 'No Host field, which only an HTTP/1.0 request may leave out';
    throw requiredBy('9112 3.2', buffer.offset - '\r\n'.length, reason);
  }
  if (second !== undefined)
    throw requiredBy('9112 3.2', second.offset, 'More than one Host field');

  const { value, offset } = host;
  const from = buffer.indexOf(offset);
  const wrong = findInvalidHostByte(buffer.bytes, from, from + value.length);
  if (wrong >= 0) {
    const [scheme] = /^https?:\/\//i.exec(value) ?? [];
    const isUri = scheme !== undefined;
    const hint = isUri ? `Host is a name and perhaps a port, without "${scheme}"` : '';
    const at = offset + wrong - from;
    throw requiredBy('9112 3.2', at, 'Host is not uri-host [ ":" port ]', { hint });
  }

  // In absolute-form and authority-form the target names the host, and no more is asked of
  // Host (9112 §3.2.2, §3.3).
  const isNeeded = form === 'origin-form' || form === 'asterisk-form';
  if (!isNeeded) return;
  if (value === '' || buffer.bytes[from] === COLON) {
    throw allowedBy('9112 3.3', offset, 'Host does not name a host');
  }
  // A comma is a sub-delim, so "a,b" could be one name. Two joined Host lines look like
  // this.
  const comma = value.indexOf(',');
  if (comma >= 0) {
    throw ourChoice(
      '9112 3.2',
      offset + comma,
      'Host has a comma, so it looks like a list',
    );
  }
}

/** @returns the index of the first byte from `from` to `to` that breaks the grammar of
 * uri-host [ ":" port ] (`to` if something is missing), or -1 if none does */
export function findInvalidHostByte(bytes: Buffer, from: number, to: number): number {
  let end: number;
  if (bytes[from] === LEFT_BRACKET) {
    const literal = readIpLiteral(bytes, from, to);
    if (!literal.isValid) return literal.end;
    end = literal.end;
  } else {
    end = skipRegName(bytes, from, to);
  }
  if (end === to) return -1;
  if (bytes[end] !== COLON) return end;
  const port = skipDigits(bytes, end + 1, to);
  return port === to ? -1 : port;
}
