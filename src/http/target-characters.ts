/** Which bytes a request-target may hold: those of 3986, and what browsers send. */
import { Byte, skipTargetChars } from './grammar';
import type { Line } from './line';
import { allowedBy, type ProtocolError } from './protocol-error';
import type { Leniency } from './request-target';

const { HASH, HTAB, PERCENT, SP } = Byte;

/** Our one leniency: what browsers and Node's fetch send raw, though 3986 does not allow
 * it, such as "?a[]=1|2" and "?q=100%". Both follow the URL Standard instead. Nothing is
 * decoded, and every recipient finds the same end of the target, so these characters get
 * no second meaning. (The brackets in an authority are no leniency: they belong to an IP
 * literal.) */
const ACCEPTED_RAW = { authority: '[]', path: '[]^|%', query: '[]\\^`{|}%' } as const;

/** The most bytes of one character in UTF-8. */
const LONGEST_CHARACTER = 4;

/** @returns the index after `method SP` */
export function targetStart({ tokenEnd }: Line): number {
  return tokenEnd + 1;
}

/** @param usualEnd the index of the first byte that 3986 allows neither in a path nor in a
 * query
 * @param end the index after the target
 * @returns the first character that is accepted all the same, if it is in a path or a query
 * @throws ProtocolError at a byte that is not accepted */
export function checkCharacters(
  line: Line,
  usualEnd: number,
  end: number,
): Leniency | undefined {
  const start = targetStart(line);
  const target = line.text(start, end);
  const starts = findParts(target);
  let first: Leniency | undefined;
  let at = usualEnd;
  while (at < end) {
    const character = target.charAt(at - start);
    const part = partAt(starts, at - start);
    if (!ACCEPTED_RAW[part].includes(character)) throw targetByteError(line, at, end);
    if (part !== 'authority') first ??= { part, character };
    at = skipTargetChars(line.bytes, at + 1, end);
  }
  return first;
}

/** Where the parts of a target start; a part that it does not have starts at its end. */
interface PartStarts {
  readonly path: number;
  readonly query: number;
}

function findParts(target: string): PartStarts {
  // Before the path is nothing, or a scheme and an authority: "http://a".
  const prefix = /^(?:[a-z][a-z\d+.-]*:\/\/[^/]*)?(?=\/)/i.exec(target)?.[0];
  const mark = target.indexOf('?');
  return {
    path: prefix?.length ?? target.length,
    query: mark < 0 ? target.length : mark,
  };
}

/** @param at an index in the target
 * @returns the part that the character is in: "authority" is whatever is neither path nor
 * query */
function partAt(starts: PartStarts, at: number): keyof typeof ACCEPTED_RAW {
  if (at >= starts.query) return 'query';
  return at >= starts.path ? 'path' : 'authority';
}

/** @param at the index of a byte of the target that is not accepted
 * @param end the index after the target */
export function targetByteError(line: Line, at: number, end: number): ProtocolError {
  const { bytes } = line;
  const offset = line.offsetOf(at);
  if (bytes[at] === HASH) {
    const reason = 'A "#" in the request-target, which has no fragment';
    return allowedBy('9112 3.2', offset, reason);
  }
  if (bytes[at] === PERCENT) {
    const reason = 'A "%" in the target without two hexadecimal digits';
    return allowedBy('3986 2.1', offset, reason);
  }
  const hint = encodingHint(line, at, end);
  switch (partOf(line, at, end)) {
    case 'query':
      return allowedBy('3986 3.4', offset, 'A byte that is not allowed in a query', {
        hint,
      });
    case 'path':
      return allowedBy('3986 3.3', offset, 'A byte that is not allowed in a path', {
        hint,
      });
    case 'authority':
      return allowedBy('3986 2', offset, 'A byte that is not allowed in a URI');
  }
}

/** @param at the index of a byte of the target, or of white space after it
 * @param end the index after the target
 * @returns the part that the byte would be in */
function partOf(line: Line, at: number, end: number): keyof typeof ACCEPTED_RAW {
  const start = targetStart(line);
  const target = line.text(start, end);
  return partAt(findParts(target), Math.min(at - start, target.length - 1));
}

/** Shows how to write the character that starts at an index, if it is in a path or a query,
 * and may be meant to be there. We take bytes over 0x7F for UTF-8, or else for ISO-8859-1.
 * @param end the index after the target
 * @returns a hint in US-ASCII, or '' */
export function encodingHint(line: Line, at: number, end: number): string {
  const { bytes } = line;
  const byte = bytes[at] ?? 0;
  const isControl = byte < SP && byte !== HTAB;
  if (isControl || partOf(line, at, end) === 'authority') return '';
  if (byte < 0x80) {
    const hex = byte.toString(16).toUpperCase().padStart(2, '0');
    return `write this character percent-encoded: %${hex}`;
  }
  const [utf8 = ''] = bytes.toString('utf8', at, at + LONGEST_CHARACTER);
  // Node puts U+FFFD in place of bytes that are not UTF-8.
  const isUtf8 = bytes.subarray(at, at + LONGEST_CHARACTER).indexOf(utf8) === 0;
  const character = isUtf8 ? utf8 : String.fromCharCode(byte);
  return `write this character percent-encoded, in UTF-8: ${encodeURIComponent(character)}`;
}
