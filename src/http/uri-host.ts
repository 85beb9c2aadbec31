/** uri-host [ ":" port ] (9110 §4.1), in Host and in the request-target. A uri-host is the
 * host of 3986 §3.2.2, and the port is that of §3.2.3.
 *
 *   uri-host    = IP-literal / IPv4address / reg-name      an IPv4address is a reg-name, too
 *   IP-literal  = "[" ( IPv6address / IPvFuture ) "]"
 *   reg-name    = *( unreserved / pct-encoded / sub-delims )
 *   port        = *DIGIT */
import { Byte, skipDigits, skipRegName } from './grammar';
import { readIpLiteral } from './ip-literal';

const { COLON, LEFT_BRACKET } = Byte;

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
