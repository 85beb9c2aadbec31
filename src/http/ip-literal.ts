/** IP literals, in brackets (3986 §3.2.2).
 *
 *   IP-literal  = "[" ( IPv6address / IPvFuture ) "]"
 *   IPvFuture   = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
 *   IPv4address = dec-octet "." dec-octet "." dec-octet "." dec-octet
 *
 * An IPv6address is eight groups of one to four hexadecimal digits with colons between
 * them. One or more groups of zeros may be left out, once, as "::". The last two groups may
 * be written as an IPv4address. */
import { Byte, skipDigits, skipFutureAddress, skipHexDigits } from './grammar';

const { COLON, DOT, RIGHT_BRACKET } = Byte;

/** Where reading stopped: after what is valid, or at the first byte that cannot be
 * right. */
interface Reading {
  readonly isValid: boolean;
  readonly end: number;
}

const GROUPS = 8;

/** @param from the index of the "["
 * @returns whether an IP literal starts there, and where it ends. If there is none, `end`
 * is the first byte that cannot be right, or `to` if something is missing. */
export function readIpLiteral(bytes: Buffer, from: number, to: number): Reading {
  const start = from + 1;
  const isFuture =
    bytes.toString('latin1', start, Math.min(start + 1, to)).toLowerCase() === 'v';
  const address = isFuture
    ? readFutureAddress(bytes, start, to)
    : readIpv6(bytes, start, to);
  const { isValid, end } = address;
  const isClosed = end < to && bytes[end] === RIGHT_BRACKET;
  return isValid && isClosed ? { isValid, end: end + 1 } : wrongAt(end);
}

function wrongAt(end: number): Reading {
  return { isValid: false, end };
}

function readFutureAddress(bytes: Buffer, start: number, to: number): Reading {
  const version = start + 'v'.length;
  const dot = skipHexDigits(bytes, version, to);
  if (dot === version || dot === to || bytes[dot] !== DOT) return wrongAt(dot);
  const end = skipFutureAddress(bytes, dot + 1, to);
  return { isValid: end > dot + 1, end };
}

function readIpv6(bytes: Buffer, start: number, to: number): Reading {
  let at = start;
  let groups = 0; // read so far
  let gapEnd = -1; // the index after "::", which stands for one group or more
  if (isColon(bytes, at, to)) {
    if (!isColon(bytes, at + 1, to)) return wrongAt(at + 1);
    at += '::'.length;
    gapEnd = at;
  }
  // Each round reads a group and the colon after it. After a "::", one group fewer may
  // follow.
  for (;;) {
    const isShortened = gapEnd >= 0;
    const mostGroups = isShortened ? GROUPS - 1 : GROUPS;
    const groupEnd = skipHexDigits(bytes, at, Math.min(at + 4, to));
    if (groupEnd === at) return { isValid: at === gapEnd, end: at }; // "1::", but not "1:"
    if (groups === mostGroups) return wrongAt(at); // "1:2:3:4:5:6:7::8"
    if (groupEnd < to && bytes[groupEnd] === DOT) {
      const mayEmbedIpv4 = isShortened ? groups <= GROUPS - 3 : groups === GROUPS - 2;
      const startsWithNumber = numberEnd(bytes, at, to) === groupEnd;
      return mayEmbedIpv4 && startsWithNumber
        ? readRestOfIpv4(bytes, groupEnd, to)
        : wrongAt(groupEnd);
    }
    groups += 1;
    at = groupEnd;
    if (!isColon(bytes, at, to)) {
      return { isValid: isShortened || groups === GROUPS, end: at }; // "::1", but not "1"
    }
    if (groups === mostGroups) return wrongAt(at); // "1:2:3:4:5:6:7:8:"
    at += 1;
    if (isColon(bytes, at, to)) {
      if (isShortened) return wrongAt(at); // "1::2::"
      at += 1;
      gapEnd = at;
    }
  }
}

function isColon(bytes: Buffer, index: number, to: number): boolean {
  return index < to && bytes[index] === COLON;
}

/** @param start the index of the dot after the first of its four numbers */
function readRestOfIpv4(bytes: Buffer, start: number, to: number): Reading {
  let at = start;
  for (let numbers = 1; numbers < 4; numbers += 1) {
    if (at === to || bytes[at] !== DOT) return wrongAt(at);
    const end = numberEnd(bytes, at + 1, to);
    if (end === at + 1) return wrongAt(end);
    at = end;
  }
  return { isValid: true, end: at };
}

/** dec-octet is a number from 0 to 255 without a leading zero.
 * @returns the index after the longest one that begins at `start`, or `start` */
function numberEnd(bytes: Buffer, start: number, to: number): number {
  let end = skipDigits(bytes, start, Math.min(start + 3, to));
  while (end > start && !isDecOctet(bytes.toString('latin1', start, end))) end -= 1;
  return end;
}

function isDecOctet(digits: string): boolean {
  const hasLeadingZero = digits.length > 1 && digits.startsWith('0');
  return Number(digits) <= 255 && !hasLeadingZero;
}
