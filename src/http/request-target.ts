/**
 * The four forms of a request-target, and the path that each stands for (9112 §3.2, §3.3).
 *
 *   origin-form    = absolute-path [ "?" query ]        GET /tasks?done=true
 *   absolute-form  = scheme "://" authority path…       GET http://host/tasks
 *   authority-form = uri-host ":" port                  CONNECT host:443
 *   asterisk-form  = "*"                                OPTIONS *
 *
 * The path is the octets as sent, up to the first "?": two spellings of one URI are two paths here (9110 §4.2.3 would equate them).
 */
import { Failure } from './failure';
import { wrongInHost } from './host';

export type Form = 'origin-form' | 'absolute-form' | 'authority-form' | 'asterisk-form';

export interface Target {
  readonly form: Form;
  readonly path: string;
}

/**
 * Reads a target that is not in origin-form.
 * @param target octets that a request-target may hold, at least one
 * @param offset of the target in the request
 */
export function readTarget(method: string, target: string, offset: number): Target | Failure {
  if (method === 'CONNECT') return authorityForm(target, offset);
  if (target !== '*') return absoluteForm(target, offset);
  if (method === 'OPTIONS') return { form: 'asterisk-form', path: target };
  return new Failure(400, '9112 3.2.4', 'The asterisk-form "*" is for OPTIONS alone', offset);
}

function authorityForm(target: string, offset: number): Target | Failure {
  const wrong = wrongInHost(Buffer.from(target, 'latin1'), 0, target.length);
  const port = /:(\d+)$/.exec(target)?.[1] ?? '';
  const sentence = 'CONNECT takes uri-host ":" port, with a port from 1 to 65535';
  if (wrong >= 0) return new Failure(400, '9112 3.2.3', sentence, offset + wrong);
  if (Number(port) < 1 || Number(port) > 65535) return new Failure(400, '9112 3.2.3', sentence, offset + target.length - port.length);
  return { form: 'authority-form', path: target };
}

function absoluteForm(target: string, offset: number): Target | Failure {
  // scheme ":" [ "//" authority ] path, and not host ":" port.
  const [, scheme, authority, path] = /^([a-z][a-z0-9+.-]*):(?!\d*$)(?:\/\/([^/?]*))?([^?]*)/i.exec(target) ?? [];
  if (scheme === undefined) return new Failure(400, '9112 3.2', 'The request-target has none of the four forms: it starts with no "/" and no scheme', offset);
  if (scheme.toLowerCase() !== 'http') return new Failure(421, '9110 7.4', 'The scheme of the request-target is not http', offset);
  if (authority === undefined) return new Failure(400, '9110 4.2.1', 'No "//" and host follow the scheme', offset + 'http:'.length);
  const start = offset + 'http://'.length;
  const userinfo = authority.indexOf('@');
  if (userinfo >= 0) return new Failure(400, '9110 4.2.4', 'The authority holds userinfo, which an http URI must not', start + userinfo);
  const wrong = wrongInHost(Buffer.from(authority, 'latin1'), 0, authority.length);
  if (wrong >= 0) return new Failure(400, '9110 4.2.1', 'The authority is not uri-host [ ":" port ], with a host', start + wrong);
  return { form: 'absolute-form', path: path || '/' };
}
