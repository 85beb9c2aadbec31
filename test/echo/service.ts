/**
 * A service that says what it received, for suites that try HTTP/1.1 servers from outside. It stands where the tasks stand: the protocol
 * layer below is the same, octet for octet.
 */
import type { Request, Response } from '../../src/http/message';

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'OPTIONS'];
const ALLOW = `Allow: ${METHODS.join(', ')}`;

/** What each path says. To HEAD, too: the protocol layer leaves the content of that answer out. */
const PATHS = new Map<string, (request: Request) => string>([
  ['/', ({ method, body }) => (method === 'POST' ? body : 'hello\n')],
  ['/echo', ({ headers }) => lines(headers.filter(({ name }) => !name.includes('_')).map(({ name, value }) => `${name}: ${value}`))],
  ['/cookie', ({ headers }) => lines(headers.filter(({ name }) => name.toLowerCase() === 'cookie').flatMap(({ value }) => pairs(value)))],
]);

export function echo(request: Request): Response {
  const { method, path } = request;
  const say = PATHS.get(path);
  // The method goes first: what CONNECT names is no path of anybody's, and yet the method is what is wrong.
  if (!METHODS.includes(method)) return { ...text(405, 'Not with this method\n'), fields: [ALLOW] };
  if (method === 'OPTIONS' && (say !== undefined || path === '*')) return { status: 204, content: '', fields: [ALLOW] };
  if (say === undefined) return text(404, 'Nothing is here\n');
  return text(200, say(request));
}

function text(status: 200 | 404 | 405, content: string): Response {
  return { status, content, type: 'text/plain' };
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('');
}

/** @returns the pairs of cookie-string = cookie-pair *( ";" SP cookie-pair ) (6265 §4.2.1) */
function pairs(cookies: string): string[] {
  return cookies.split(/[ \t]*;[ \t]*/).filter((pair) => pair.includes('='));
}
