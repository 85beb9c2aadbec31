/// <reference lib="dom" />
/** What the page asks of the server that it is from. */
import type { Judgement } from '../judge';
import type { EventsData } from '../bench';

export class Server {
  /** What changes something is asked one after the other: over two connections, a later
   * request could be handled first. */
  private changed: Promise<unknown> = Promise.resolve();

  constructor(private readonly token: string) {}

  /** @param after the revision that the page has
   * @param known how many events of the trace it has
   * @returns undefined where nothing has happened since */
  async events(after: number, known: number): Promise<EventsData | undefined> {
    const response = await this.ask('GET', `/events?after=${after}&known=${known}`);
    return response.status === 204 ? undefined : response.json();
  }

  async request(name: string): Promise<string> {
    const response = await this.ask('GET', `/request?name=${encodeURIComponent(name)}`);
    const { text }: { readonly text: string } = await response.json();
    return text;
  }

  /** @param through the way of a new client */
  async judge(
    client: string,
    through: string,
    bytes: Uint8Array<ArrayBuffer>,
  ): Promise<Judgement> {
    const path = `/judge?client=${client}&through=${through}`;
    return (await this.ask('POST', path, bytes)).json();
  }

  /** @returns the number of the client */
  async send(query: URLSearchParams, bytes: Uint8Array<ArrayBuffer>): Promise<number> {
    const response = await this.ask('POST', `/send?${query}`, bytes);
    const { client }: { readonly client: number } = await response.json();
    return client;
  }

  /** Sends to another server from now on, once it runs. */
  async choose(name: string): Promise<void> {
    await this.ask('POST', `/server?name=${name}`);
  }

  async clear(): Promise<void> {
    await this.ask('POST', '/clear');
  }

  /** @throws Error with what the server says */
  private async ask(
    method: string,
    path: string,
    body?: Uint8Array<ArrayBuffer>,
  ): Promise<Response> {
    const headers = { 'Workbench-Token': this.token };
    const fetchIt = (): Promise<Response> =>
      fetch(path, { method, headers, body: body ?? null });
    const asked = method === 'GET' ? fetchIt() : this.changed.then(fetchIt);
    if (method !== 'GET') this.changed = asked.catch(() => {});
    const response = await asked;
    if (response.ok) return response;
    const { error }: { readonly error: string } = await response.json();
    throw new Error(error);
  }
}
