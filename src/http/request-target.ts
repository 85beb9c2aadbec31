/** The four forms of a request-target, and the path that each names (9112 §3.2, §3.3).
 *
 *   origin-form    = absolute-path [ "?" query ]        GET /tasks?done=true
 *   absolute-form  = absolute-URI                       GET http://host/tasks
 *   authority-form = uri-host ":" port                  CONNECT host:443
 *   asterisk-form  = "*"                                OPTIONS *
 *
 * The path is what was sent, up to the first "?". Nothing is decoded, and no dot-segment removed:
 * two spellings of one URI are two paths here, though 9110 §4.2.3 holds them equivalent. */
import { findInvalidHostByte } from './host';
import { allowedBy, findFault, requiredBy, type Fault } from './protocol-error';

export interface RequestTarget {
  readonly form: 'origin-form' | 'absolute-form' | 'authority-form' | 'asterisk-form';
  readonly path: string;
  readonly query: string | undefined; // what follows the first "?", which is not part of the path
  readonly authority: string | undefined; // of the absolute-form: the tasks are the same for all
}

/** @param target at least one byte, and only bytes that a path or a query may hold
 * @param offset of the target in the request
 * @throws ProtocolError where the method does not go with the form, or no form matches */
export function parseForm(method: string, target: string, offset: number): RequestTarget {
  if (method === 'CONNECT') return parseAuthorityForm(target, offset);
  if (target.startsWith('/')) return withPath('origin-form', target);
  if (target === '*' && method === 'OPTIONS') return withPath('asterisk-form', target);
  const authority = parseAuthority(target, offset);
  const rest = target.slice('http://'.length + authority.length);
  // 9112 §3.2.4: without path and query, OPTIONS is about the whole server.
  if (rest === '' && method === 'OPTIONS') return withPath('absolute-form', '*', authority);
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  return withPath('absolute-form', path, authority);
}

function withPath(form: RequestTarget['form'], target: string, authority?: string): RequestTarget {
  const mark = target.indexOf('?');
  if (mark < 0) return { form, path: target, query: undefined, authority };
  return { form, path: target.slice(0, mark), query: target.slice(mark + 1), authority };
}

function parseAuthorityForm(target: string, offset: number): RequestTarget {
  const wrong = findInvalidHostByte(Buffer.from(target, 'latin1'));
  if (wrong >= 0) {
    throw allowedBy('9112 3.2.3', offset + wrong, 'The target of CONNECT is not uri-host ":" port');
  }
  const port = /:(\d+)$/.exec(target)?.[1] ?? '';
  if (Number(port) >= 1 && Number(port) <= 65_535) return withPath('authority-form', target);
  const at = offset + target.length - port.length;
  throw requiredBy('9110 9.3.6', at, 'CONNECT needs a port from 1 to 65535');
}

/** absolute-URI = scheme ":" hier-part [ "?" query ]; for http, hier-part = "//" authority path.
 * "a:443" is a host and its port: another form. User names before "@" can disguise the host
 * that follows (9110 §4.2.4). */
const FORM_FAULTS: readonly Fault[] = [
  [/^(?=\*$)/, allowedBy, '9112 3.2.4', 'The asterisk-form "*" with a method other than OPTIONS'],
  [
    /^(?![a-z][a-z0-9+.-]*:)|^(?!http:)(?=[^:]*:\d*$)/i,
    allowedBy,
    '9112 3.2',
    'The request-target matches none of the forms that this method can have',
  ],
  [
    /^(?!http:)/i,
    requiredBy,
    '9110 7.4',
    'The scheme of the request-target is not http',
    { status: 421 },
  ],
  [/^http:\/?(?!\/)/i, allowedBy, '9110 4.2.1', '"http:" is not followed by "//"'],
  [
    /^http:\/\/[^/?@]*(?=@)/i,
    allowedBy,
    '9110 4.2.4',
    'The authority has userinfo, which an http URI must not have',
  ],
  [/^http:\/\/(?=[:/?]|$)/i, requiredBy, '9110 4.2.1', 'The authority has no host'],
];

/** @returns the authority of an absolute-URI with the scheme http */
function parseAuthority(target: string, offset: number): string {
  const fault = findFault(FORM_FAULTS, target, offset);
  if (fault !== undefined) throw fault;
  const authority = /^http:\/\/([^/?]*)/i.exec(target)?.[1] ?? '';
  const wrong = findInvalidHostByte(Buffer.from(authority, 'latin1'));
  if (wrong < 0) return authority;
  const at = offset + 'http://'.length + wrong;
  throw allowedBy('9110 4.2.1', at, 'The authority is not uri-host [ ":" port ]');
}
