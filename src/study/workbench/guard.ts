/** Who may ask something of the workbench: its own page, in this browser, and nobody else.
 * Another site can make a browser send requests here, and can give its own name our
 * address. So the page's own Host is asked for, its own Origin, and a token that only the
 * page carries. */
import { timingSafeEqual } from 'node:crypto';
import type { Request } from '../../http/message';

/** The field that carries the token. A site that is not ours cannot send it without asking
 * first, and nothing here says yes. */
export const TOKEN_FIELD = 'Workbench-Token';

/** What is not done, and why: the page shows the message. */
export class Refusal extends Error {
  constructor(
    readonly status: 400 | 403 | 404 | 503,
    message: string,
  ) {
    super(message);
  }
}

/** @param origin of the page: "http://127.0.0.1:4000"
 * @throws Refusal where the request does not count */
export function keepOutIntruders(request: Request, origin: string, token: string): void {
  const host = origin.slice('http://'.length);
  if (!isOnly(valuesOf(request, 'Host'), host))
    throw new Refusal(403, `the address of the workbench is ${origin}/`);
  const isPage = request.method === 'GET' && request.path === '/';
  const from = valuesOf(request, 'Origin');
  // A browser sends no Origin with a GET from the page itself.
  const isOwn = from.length === 0 ? request.method === 'GET' : isOnly(from, origin);
  if (!isOwn) throw new Refusal(403, 'only the page of the workbench may ask this');
  if (!isPage && !isOnly(valuesOf(request, TOKEN_FIELD), token))
    throw new Refusal(403, 'the token is not that of the page: load it again');
}

/** Whether somebody typed "localhost" in the place of the address. The page is not shown
 * there, because its origin would be another one. */
export function isAtLocalhost(request: Request, origin: string): boolean {
  const { port } = new URL(origin);
  const isPage = request.method === 'GET' && request.path === '/';
  return isPage && isOnly(valuesOf(request, 'Host'), `localhost:${port}`);
}

function valuesOf({ headers }: Request, name: string): string[] {
  const lines = headers.filter((line) => line.name.toLowerCase() === name.toLowerCase());
  return lines.map(({ value }) => value);
}

/** @returns whether there is one value, and it is the right one. Nothing tells how much of
 * it is. */
function isOnly([value = '', ...more]: readonly string[], right: string): boolean {
  const [one, other] = [Buffer.from(value, 'latin1'), Buffer.from(right, 'latin1')];
  return more.length === 0 && one.length === other.length && timingSafeEqual(one, other);
}
