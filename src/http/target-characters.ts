/** Which characters a request-target may hold: those of 3986, and what browsers send. */
import { allowedBy, type ProtocolError } from './protocol-error';
import type { Leniency } from './request-target';

const URI_CHARACTER = {
  expected: 'a character that a URI may have, or "%" and two hexadecimal digits',
};

/** What 3986 §3.3 and §3.4 allow neither in a path nor in a query. */
const UNUSUAL = /%(?![\da-f]{2})|[^\w.~!$&'()*+,;=:@/?%-]/gi;

/** Our one leniency: what browsers and Node's fetch send raw, though 3986 does not allow
 * it, such as "?a[]=1|2" and "?q=100%". Both follow the URL Standard instead. Nothing is
 * decoded, and every recipient finds the same end of the target, so these characters get
 * no second meaning. (The brackets in an authority are no leniency: they belong to an IP
 * literal.) */
const ACCEPTED_RAW = { authority: '[]', path: '[]^|%', query: '[]\\^`{|}%' } as const;

/** @param target whose characters are all but white space
 * @param offset of the target in the request
 * @returns the first character that is accepted although 3986 does not allow it, if it is in
 * a path or a query
 * @throws ProtocolError at a character that is not accepted */
export function checkCharacters(target: string, offset: number): Leniency | undefined {
  let first: Leniency | undefined;
  for (const { 0: character, index } of target.matchAll(UNUSUAL)) {
    const part = partAt(target, index);
    if (!ACCEPTED_RAW[part].includes(character))
      throw characterError(target, index, offset);
    if (part !== 'authority') first ??= { part, character };
  }
  return first;
}

/** @returns the part of a target that a character is in: "authority" is whatever is neither
 * path nor query */
function partAt(target: string, index: number): keyof typeof ACCEPTED_RAW {
  const before = target.slice(0, index);
  if (before.includes('?')) return 'query';
  // Before the path is nothing, or a scheme and an authority: "http://a".
  return /^(?:[a-z][a-z\d+.-]*:\/\/[^/]*)?\//i.test(before) ? 'path' : 'authority';
}

/** @param index of a character that is not accepted
 * @param targetOffset of the target in the request */
export function characterError(
  target: string,
  index: number,
  targetOffset: number,
): ProtocolError {
  const offset = targetOffset + index;
  const character = target.charAt(index);
  if (character === '#') {
    const reason = 'A "#" in the request-target, which has no fragment';
    const expected = 'a path without "#": as a part of a path, it is written as %23';
    return allowedBy('9112 3.2', offset, reason, { expected });
  }
  if (character === '%') {
    const reason = 'A "%" in the target without two hexadecimal digits';
    return allowedBy('3986 2.1', offset, reason, URI_CHARACTER);
  }
  const options = { ...URI_CHARACTER, hint: encodingHint(target, index) };
  switch (partAt(target, index)) {
    case 'query':
      return allowedBy(
        '3986 3.4',
        offset,
        'A byte that is not allowed in a query',
        options,
      );
    case 'path':
      return allowedBy('3986 3.3', offset, 'A byte that is not allowed in a path', options);
    case 'authority':
      return allowedBy('3986 2', offset, 'A byte that is not allowed in a URI', options);
  }
}

/** Shows how to write the character at an index, if it is in a path or a query, and may be
 * meant to be there. We take bytes over 0x7F for UTF-8, or else for ISO-8859-1.
 * @returns a hint in US-ASCII, or '' */
export function encodingHint(target: string, index: number): string {
  const rest = target.slice(index);
  if (/^[\0-\x08\n-\x1f]/.test(rest) || partAt(target, index) === 'authority') return '';
  // Node puts U+FFFD in place of bytes that are not UTF-8.
  const [utf8 = ''] = Buffer.from(rest, 'latin1').toString();
  const isUtf8 = rest.startsWith(Buffer.from(utf8).toString('latin1'));
  const character = isUtf8 ? utf8 : rest.charAt(0);
  const encoding = character > '\x7f' ? ', in UTF-8' : '';
  return `write this character percent-encoded${encoding}: ${pctEncode(character)}`;
}

function pctEncode(character: string): string {
  const hex = Buffer.from(character).toString('hex').toUpperCase();
  return hex.replace(/../g, '%$&');
}
