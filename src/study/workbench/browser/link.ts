/// <reference lib="dom" />
/** What the page asks of the workbench that it is from, and whether it is still there. */
import type { Link } from './state';

/** @returns what a response, or that there is none, says about the workbench */
export function linkOf(status: number | undefined): Link {
  if (status === undefined) return 'lost';
  return status === 403 ? 'replaced' : 'live'; // 403: the token is not its own
}

/** What it refuses in words of its own: the rest is said by its HTTP server, about a request
 * that nobody here has typed. */
const OWN: readonly number[] = [400, 404, 503];

export class Workbench {
  /** What changes something is asked before anything else is: over two connections, a later
   * request could be handled first. */
  private changed: Promise<unknown> = Promise.resolve();

  /** @param onLink is told whether it is there */
  constructor(
    private readonly token: string,
    private readonly onLink: (link: Link) => void,
  ) {}

  /** @throws Error with what the page says of it */
  get(path: string): Promise<Response> {
    return this.judge(this.changed.then(() => this.fetch('GET', path)));
  }

  /** @throws Error with what the page says of it */
  post(path: string, body = ''): Promise<Response> {
    const asked = this.changed.then(() => this.fetch('POST', path, body));
    this.changed = asked;
    return this.judge(asked);
  }

  private fetch(
    method: string,
    path: string,
    body: string | null = null,
  ): Promise<Response | undefined> {
    const headers = { 'Workbench-Token': this.token };
    return fetch(path, { method, headers, body }).catch(() => undefined);
  }

  private async judge(asked: Promise<Response | undefined>): Promise<Response> {
    const response = await asked;
    const link = linkOf(response?.status);
    this.onLink(link);
    if (response === undefined || link !== 'live') throw new Error('');
    if (response.ok) return response;
    if (!OWN.includes(response.status))
      throw new Error(`The workbench itself could not take this (${response.status}).`);
    const { error }: { readonly error: string } = await response.json();
    throw new Error(`The workbench says: ${error}.`);
  }
}
