/** The four forms of a request-target, and the path that each names (9112 §3.2, §3.3).
 *
 *   origin-form    = absolute-path [ "?" query ]        GET /tasks?done=true
 *   absolute-form  = absolute-URI                       GET http://host/tasks
 *   authority-form = uri-host ":" port                  CONNECT host:443
 *   asterisk-form  = "*"                                OPTIONS *
 *
 * The path is what was sent, up to the first "?". Nothing is decoded, and no dot-segment is
 * removed: two spellings of one URI are two paths here, though 9110 §4.2.3 considers them
 * equivalent. Only a URI without a path gets one: "/", or "*" if the method is OPTIONS and
 * the URI has no query. */
import { equalsIgnoreCase, URI_CHARS } from './grammar';
import { allowedBy, requiredBy, type ProtocolError } from './protocol-error';
import { findInvalidHostChar } from './host';

type Form = 'origin-form' | 'absolute-form' | 'authority-form' | 'asterisk-form';

export interface RequestTarget {
  readonly form: Form;
  readonly path: string;
  /** What follows the first "?". It is not part of the path. */
  readonly query: string | undefined;
  /** Only in absolute-form. Only the trace shows it: every host has the same paths. */
  readonly authority: string | undefined;
  /** Only if our leniency was needed. */
  readonly leniency?: Leniency;
}

/** The first character of a path or a query that we accept although 3986 does not allow it
 * there. */
export interface Leniency {
  readonly part: 'path' | 'query';
  readonly character: string;
}

export const A_PATH = 'a path that begins with "/", and perhaps "?" and a query';
const HOST_AND_PORT = { expected: 'a host, a colon and a port: localhost:443' };
const HTTP_URI = {
  expected:
    'two slashes, a host, perhaps a colon and a port, then the path: http://localhost/',
};
const URI_CHARACTER = {
  expected: 'a character that a URI may have, or "%" and two hexadecimal digits',
};

/** A hint does not repeat a target that is longer. */
const LONGEST_EXAMPLE = 256;

/** @param target at least one character, all of them accepted ones
 * @param offset of the target in the request
 * @throws ProtocolError if the method does not go with the form, or no form matches */
export function parseTarget(method: string, target: string, offset: number): RequestTarget {
  if (method === 'CONNECT') return parseAuthorityForm(target, offset);
  if (target.startsWith('/')) return targetOf('origin-form', target);
  if (target === '*' && method === 'OPTIONS') return targetOf('asterisk-form', target);
  return parseAbsoluteForm(method, target, offset);
}

function targetOf(form: Form, target: string, authority?: string): RequestTarget {
  const mark = target.indexOf('?');
  if (mark < 0) return { form, path: target, query: undefined, authority };
  return { form, path: target.slice(0, mark), query: target.slice(mark + 1), authority };
}

function parseAuthorityForm(target: string, offset: number): RequestTarget {
  const wrong = findInvalidHostChar(target);
  if (wrong >= 0) {
    const reason = 'The target of CONNECT is not a host name, a colon and a port';
    throw allowedBy('9112 3.2.3', offset + wrong, reason, HOST_AND_PORT);
  }
  if (target.startsWith(':')) {
    throw allowedBy('9112 3.2.3', offset, 'CONNECT needs a host', HOST_AND_PORT);
  }
  // This is never a colon of an IPv6 address, because "]" follows the address.
  const [, port = ''] = /:(\d*)$/.exec(target) ?? [];
  if (Number(port) < 1 || Number(port) > 65_535) {
    const at = offset + target.length - port.length;
    const reason = 'CONNECT needs a port from 1 to 65535';
    throw requiredBy('9110 9.3.6', at, reason, HOST_AND_PORT);
  }
  return targetOf('authority-form', target);
}

/** absolute-URI = scheme ":" hier-part [ "?" query ]                           (3986 §4.3)
 * scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )                         (3986 §3.1)
 * For http, hier-part is "//" authority path (9110 §4.2.1). */
function parseAbsoluteForm(method: string, target: string, offset: number): RequestTarget {
  const [scheme = ''] = /^[a-z][a-z\d+.-]*(?=:)/i.exec(target) ?? [];
  if (!equalsIgnoreCase(scheme, 'http')) throw formError(target, scheme, offset);
  const start = 'http://'.length;
  const slashes = target.slice('http:'.length, start);
  if (slashes !== '//') {
    const wrong = slashes.startsWith('/') ? 'http:/'.length : 'http:'.length;
    const reason = '"http:" is not followed by "//"';
    throw allowedBy('9110 4.2.1', offset + wrong, reason, HTTP_URI);
  }
  const [authority = ''] = /^[^/?]*/.exec(target.slice(start)) ?? [];
  checkAuthority(authority, offset + start);
  const rest = target.slice(start + authority.length);
  // 9112 §3.2.4: without path and query, OPTIONS is about the whole server.
  if (rest === '' && method === 'OPTIONS') return targetOf('absolute-form', '*', authority);
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  return targetOf('absolute-form', path, authority);
}

/** @param scheme that of the target, or '' if it has none
 * @returns why a target is not an absolute-URI with the scheme http */
function formError(target: string, scheme: string, offset: number): ProtocolError {
  if (target === '*') {
    const reason = 'The asterisk-form "*" with a method other than OPTIONS';
    const expected = `${A_PATH}. Only OPTIONS can have "*"`;
    return allowedBy('9112 3.2.4', offset, reason, { expected });
  }
  // "a:443" is a host and its port: the authority-form, which is for CONNECT alone.
  const isAuthority = /^\d*$/.test(target.slice(scheme.length + ':'.length));
  if (scheme === '' || isAuthority) {
    const reason = 'The request-target does not begin with "/" or "http://"';
    const hint = scheme === '' ? 'a path starts with "/"' : '';
    return allowedBy('9112 3.2', offset, reason, { hint, expected: A_PATH });
  }
  // 9110 §7.4 names https. Of any other scheme it says only that its requirements must be
  // met, and we know none of them.
  const reason = 'The scheme of the request-target is not http';
  const expected = `${A_PATH}, or an address that begins with http://`;
  if (equalsIgnoreCase(scheme, 'https')) {
    return requiredBy('9110 7.4', offset, reason, { status: 421, expected });
  }
  const hint = schemeHint(target, scheme);
  return allowedBy('9110 7.4', offset, reason, { status: 421, hint, expected });
}

/** By the grammar, "localhost:8080/tasks" is a scheme and a path. Its sender probably means
 * something else. */
function schemeHint(target: string, scheme: string): string {
  const isHostAndPort = /^\d+[/?]/.test(target.slice(scheme.length + ':'.length));
  if (!isHostAndPort || target.length > LONGEST_EXAMPLE) return '';
  return `"${scheme}:" was read as a scheme: send the path, or the whole URI http://${target}`;
}

function checkAuthority(authority: string, offset: number): void {
  // User names before "@" can disguise the host that follows (9110 §4.2.4).
  const at = authority.indexOf('@');
  if (at >= 0) {
    const reason = 'Userinfo before the host, which an http URI must not have';
    const expected = 'the host directly after "//", without a user name and "@"';
    throw allowedBy('9110 4.2.4', offset + at, reason, { expected });
  }
  if (authority === '' || authority.startsWith(':')) {
    throw requiredBy('9110 4.2.1', offset, 'No host after "http://"', HTTP_URI);
  }
  const wrong = findInvalidHostChar(authority);
  if (wrong >= 0) {
    const reason = 'What follows "http://" is not a host name and perhaps a port';
    throw allowedBy('9110 4.2.1', offset + wrong, reason, HTTP_URI);
  }
}

/** What 3986 §3.3 and §3.4 allow neither in a path nor in a query. */
const UNUSUAL = new RegExp(`%(?![\\da-f]{2})|[^${URI_CHARS}:@/?%]`, 'gi');

/** The parts of a target, and our one leniency: what browsers and Node's fetch send raw,
 * though 3986 does not allow it, such as "?a[]=1|2" and "?q=100%". Both follow the URL
 * Standard instead. Nothing is decoded, and every recipient finds the same end of the
 * target, so these characters get no second meaning. (The brackets in an authority are no
 * leniency: they belong to an IP literal.) */
const PARTS = {
  other: { what: 'a URI', section: '3986 2', raw: '[]' },
  path: { what: 'a path', section: '3986 3.3', raw: '[]^|%' },
  query: { what: 'a query', section: '3986 3.4', raw: '[]\\^`{|}%' },
} as const;

/** @param target whose characters are all but white space
 * @param offset of the target in the request
 * @returns the first character that is accepted although 3986 does not allow it, if it is in
 * a path or a query
 * @throws ProtocolError at a character that is not accepted */
export function checkCharacters(target: string, offset: number): Leniency | undefined {
  const partAt = findParts(target);
  let first: Leniency | undefined;
  for (const { 0: character, index } of target.matchAll(UNUSUAL)) {
    const part = partAt(index);
    if (!PARTS[part].raw.includes(character)) throw characterError(target, index, offset);
    if (part !== 'other') first ??= { part, character };
  }
  return first;
}

/** @returns a function that takes the index of a character, and returns the part of the
 * target that it is in: "other" is whatever is neither path nor query */
function findParts(target: string): (index: number) => keyof typeof PARTS {
  // Before the path is nothing, or a scheme and an authority: "http://a".
  const toPath = /^(?:[a-z][a-z\d+.-]*:\/\/[^/]*)?\//i.exec(target);
  const path = toPath?.[0].length ?? Infinity;
  const mark = target.indexOf('?');
  return (index) => {
    if (mark >= 0 && index > mark) return 'query';
    return index >= path ? 'path' : 'other';
  };
}

/** @param index of a character that is not accepted
 * @param start the offset of the target */
export function characterError(
  target: string,
  index: number,
  start: number,
): ProtocolError {
  const offset = start + index;
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
  const { section, what } = PARTS[findParts(target)(index)];
  const reason = `A byte that is not allowed in ${what}`;
  const hint = encodingHint(target, index);
  return allowedBy(section, offset, reason, { ...URI_CHARACTER, hint });
}

/** Shows how to write the character at an index, if it is in a path or a query, and may be
 * meant to be there. We take bytes over 0x7F for UTF-8, or else for ISO-8859-1.
 * @returns a hint in US-ASCII, or '' */
export function encodingHint(target: string, index: number): string {
  const rest = target.slice(index);
  const isControl = /^[\0-\x08\n-\x1f]/.test(rest);
  if (isControl || findParts(target)(index) === 'other') return '';
  // Node puts U+FFFD in place of bytes that are not UTF-8.
  const [utf8 = ''] = Buffer.from(rest, 'latin1').toString();
  const isUtf8 = rest.startsWith(Buffer.from(utf8).toString('latin1'));
  const character = isUtf8 ? utf8 : rest.charAt(0);
  const encoding = character > '\x7f' ? ', in UTF-8' : '';
  return `write this character percent-encoded${encoding}: ${encodeURIComponent(character)}`;
}
