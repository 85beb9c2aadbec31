/** A service that repeats what it received, for the lab and for suites that test HTTP/1.1
 * servers from outside. It takes the place of the tasks; the protocol layer below it is the
 * same, byte for byte. */
import type { Request, Response } from '../../index';

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'OPTIONS'];
const ALLOW = [{ name: 'Allow', value: METHODS.join(', ') }];

/** The content of each path. HEAD gets it, too: the protocol layer leaves it out. */
const CONTENTS = new Map<string, (request: Request) => string>([
  ['/', ({ method, body }) => (method === 'POST' ? body : 'hello\n')],
  ['/echo', echoFields],
  ['/cookie', echoCookies],
]);

export function echo(request: Request): Response {
  const { method, path } = request;
  const content = CONTENTS.get(path);
  // The method is judged first: CONNECT names no path, but 405 says more than 404.
  if (!METHODS.includes(method))
    return { ...text(405, 'Method not allowed\n'), headers: ALLOW };
  if (method === 'OPTIONS' && (content !== undefined || path === '*')) {
    return { status: 204, body: '', headers: ALLOW };
  }
  return content === undefined ? text(404, 'Not found\n') : text(200, content(request));
}

function text(status: 200 | 404 | 405, body: string): Response {
  return { status, body, contentType: 'text/plain' };
}

/** Without names that have an underscore: some gateways take it for a hyphen. */
function echoFields({ headers }: Request): string {
  const fields = headers.filter(({ name }) => !name.includes('_'));
  return lines(fields.map(({ name, value }) => `${name}: ${value}`));
}

function echoCookies({ headers }: Request): string {
  const cookies = headers.filter(({ name }) => name.toLowerCase() === 'cookie');
  return lines(cookies.flatMap(({ value }) => pairs(value)));
}

/** @returns the pairs of cookie-string = cookie-pair *( ";" SP cookie-pair ) (6265
 * §4.2.1) */
function pairs(cookies: string): string[] {
  return cookies.split(/[ \t]*;[ \t]*/).filter((pair) => pair.includes('='));
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('');
}
