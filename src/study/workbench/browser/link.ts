/// <reference lib="dom" />
/** What the page asks of the workbench that it is from, and whether it is still there. */
import type { EventsData } from '../bench';
import type { Judgement } from '../judge';
import type { Link, State } from './state';

/** @returns what a response, or that there is none, says about the workbench */
export function linkOf(status: number | undefined): Link {
  if (status === undefined) return 'lost';
  return status === 403 ? 'replaced' : 'live'; // 403: the token is not its own
}

/** What it refuses in words of its own: the rest is said by its HTTP server, about a request
 * that nobody here has typed. */
const OWN: readonly number[] = [400, 404, 503];

/** How long the page waits before it asks again whether runs are over, in milliseconds. */
const PLAYING = 100;

export class Workbench {
  /** What changes something is asked one after the other: over two connections, a later
   * request could be handled first. */
  private changed: Promise<unknown> = Promise.resolve();

  /** @param onLink is told whether it is there */
  constructor(
    private readonly token: string,
    private readonly onLink: (link: Link) => void,
  ) {}

  /** @param after the revision that the page has
   * @param known how many events of the trace it has
   * @returns undefined where nothing has happened since */
  async events(after: number, known: number): Promise<EventsData | undefined> {
    const response = await this.ask('GET', `/events?after=${after}&known=${known}`);
    return response.status === 204 ? undefined : response.json();
  }

  /** @returns a page of what happened, or of two runs, which needs no workbench */
  async save({ isComparing }: State): Promise<Blob> {
    return (await this.ask('GET', isComparing ? '/page?runs' : '/page')).blob();
  }

  /** Plays an experiment. @returns the lines of both runs */
  async play(number: number): Promise<readonly [string[], string[]]> {
    await this.ask('POST', `/runs?lab=${number}`);
    for (;;) {
      const response = await this.ask('GET', '/runs');
      if (response.status !== 204) return response.json();
      await new Promise((resolve) => setTimeout(resolve, PLAYING));
    }
  }

  async judge(state: State): Promise<Judgement> {
    return (await this.ask('POST', `/judge?${addressOf(state)}`, state.editor.text)).json();
  }

  /** @returns the number of the client */
  async send(state: State): Promise<number> {
    return (await this.ask('POST', `/send?${addressOf(state)}`, state.editor.text)).json();
  }

  /** Turns to another server, once it runs. */
  async choose(name: string): Promise<void> {
    await this.ask('POST', `/server?name=${name}`);
  }

  async clear(): Promise<void> {
    await this.ask('POST', '/clear');
  }

  /** @throws Error with what the page says of it */
  private async ask(method: string, path: string, body?: string): Promise<Response> {
    const headers = { 'Workbench-Token': this.token };
    const fetchIt = (): Promise<Response | undefined> =>
      fetch(path, { method, headers, body: body ?? null }).catch(() => undefined);
    const asked = method === 'GET' ? fetchIt() : this.changed.then(fetchIt);
    if (method !== 'GET') this.changed = asked;
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

function addressOf({ client, through }: State): string {
  return `client=${client}&through=${through}`;
}
