/// <reference lib="dom" />
/** What the page asks of the workbench that it is from, and whether it is still there. */
import type { EventsData } from '../bench';
import type { Judgement } from '../judge';
import type { Link, State } from './state';

/** What the workbench has refused, in its own words. */
export class Refusal extends Error {}

/** @returns what a response, or that there is none, says about the workbench */
export function linkOf(status: number | undefined): Link {
  if (status === undefined) return 'lost';
  return status === 403 ? 'replaced' : 'live'; // 403: the token is not its own
}

/** What it refuses in words of its own: the rest is said by its HTTP server, about a request
 * that nobody here has typed. */
const OWN: readonly number[] = [400, 404, 503];

export class Workbench {
  /** What changes something is asked one after the other: over two connections, a later
   * request could be handled first. */
  private changed: Promise<unknown> = Promise.resolve();
  /** Of this tab: what it holds is its own. */
  private readonly page = crypto.randomUUID();

  /** @param onLink is told whether it is there */
  constructor(
    private readonly token: string,
    private readonly onLink: (link: Link) => void,
  ) {}

  /** @param after the revision that the page has
   * @param known how many events of the trace it has
   * @param proxied how many lines of the proxy
   * @returns undefined where nothing has happened since */
  async events(after: number, known: number, proxied: number) {
    const query = `after=${after}&known=${known}&proxied=${proxied}`;
    const response = await this.ask('GET', `/events?${query}`);
    if (response.status === 204) return undefined;
    const events: EventsData = await response.json();
    return events;
  }

  /** @returns a page of what happened, which needs no workbench */
  async save(): Promise<Blob> {
    return (await this.ask('GET', '/page')).blob();
  }

  async request(name: string): Promise<string> {
    const response = await this.ask('GET', `/request?name=${encodeURIComponent(name)}`);
    const { text }: { readonly text: string } = await response.json();
    return text;
  }

  async judge({ client, script, then, through }: State): Promise<Judgement> {
    const path = `/judge?client=${client}&through=${through}&then=${then}`;
    return (await this.ask('POST', path, script.bytes)).json();
  }

  /** @returns the number of the client, and when the server took it */
  async send({ client, isHeld, script, then, through }: State) {
    const cuts = script.cuts.map(({ at, pause }) => `${at}:${pause}`).join();
    const hold = isHeld ? '1' : '0';
    const { page } = this;
    const query = new URLSearchParams({
      client: `${client}`,
      through,
      then,
      cuts,
      hold,
      page,
    });
    const response = await this.ask('POST', `/send?${query}`, script.bytes);
    const sent: { readonly client: number; readonly at: number } = await response.json();
    return sent;
  }

  /** Sends to another server from now on, once it runs. */
  async choose(name: string): Promise<void> {
    await this.ask('POST', `/server?name=${name}`);
  }

  async clear(): Promise<void> {
    await this.ask('POST', '/clear');
  }

  /** @throws Refusal, with what the page says of it */
  private async ask(
    method: string,
    path: string,
    body?: Uint8Array<ArrayBuffer>,
  ): Promise<Response> {
    const headers = { 'Workbench-Token': this.token };
    const fetchIt = (): Promise<Response | undefined> =>
      fetch(path, { method, headers, body: body ?? null }).catch(() => undefined);
    const asked = method === 'GET' ? fetchIt() : this.changed.then(fetchIt);
    if (method !== 'GET') this.changed = asked;
    const response = await asked;
    const link = linkOf(response?.status);
    this.onLink(link);
    if (response === undefined || link !== 'live') throw new Refusal('');
    if (response.ok) return response;
    if (!OWN.includes(response.status))
      throw new Refusal(`The workbench itself could not take this (${response.status}).`);
    const { error }: { readonly error: string } = await response.json();
    throw new Refusal(`The workbench says: ${error}.`);
  }
}
