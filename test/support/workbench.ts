/** The workbench in this process, and its page as a client on a raw socket. */
import { setTimeout } from 'node:timers/promises';
import { Conversation } from '../../src/page/model/conversation';
import type { PageData } from '../../src/page/model/page-data';
import { Bench, type EventsData } from '../../src/study/workbench/bench';
import { Client, type Answer } from './client';

/** What the page knows. */
export type Known = EventsData & { readonly data: PageData };

export class TestBench {
  private constructor(
    readonly workbench: Bench,
    readonly client: Client,
    readonly token: string,
  ) {}

  /** Starts it, and loads its page. */
  static async start(port = 0, pagePort = 0): Promise<TestBench> {
    const workbench = await Bench.start(port, pagePort);
    const client = await Client.connect(workbench.pagePort);
    const { content } = await askFrom(client, 'GET /', [`Host: ${hostOf(workbench)}`]);
    const [, token = ''] = /id="token" value="([\w-]{32})"/.exec(content) ?? [];
    return new TestBench(workbench, client, token);
  }

  /** The field lines that the page sends. */
  get fields() {
    const host = hostOf(this.workbench);
    return {
      host: `Host: ${host}`,
      origin: `Origin: http://${host}`,
      token: `Workbench-Token: ${this.token}`,
    };
  }

  /** Asks as the page does. @param content in the notation of bytes.ts, or a character for
   * each byte */
  ask(start: string, content = ''): Promise<Answer> {
    const { host, origin, token } = this.fields;
    const lines = start.startsWith('GET') ? [host, token] : [host, origin, token];
    return askFrom(this.client, start, lines, content);
  }

  /** Sends a text. @returns the number of the client */
  async send(text: string, query = ''): Promise<number> {
    const bytes = Buffer.from(text).toString('latin1');
    const { status, content: json } = await this.ask(`POST /send?${query}`, bytes);
    if (status !== 202) throw new Error(`${status} ${json}`);
    return Number(json);
  }

  /** Polls until something has happened. */
  async until(isThere: (known: Known) => boolean): Promise<Known> {
    let after = -1;
    const conversation = new Conversation();
    for (;;) {
      const { content, status } = await this.poll(after, conversation.known);
      if (status === 204) {
        await setTimeout(5); // what it waits for may need the processor
        continue;
      }
      const events = JSON.parse(content) as EventsData;
      for (const line of events.lines) conversation.add(line);
      const known = { ...events, data: conversation.describe(events.now) };
      if (isThere(known)) return known;
      after = events.revision;
    }
  }

  /** Makes it forget what happened, over a new connection: that of the page may be
   * closed. */
  async forget(): Promise<void> {
    const { host, origin, token } = this.fields;
    const client = await Client.connect(this.workbench.pagePort);
    for (const start of ['POST /server?name=tasks', 'POST /clear']) {
      const { status, content } = await askFrom(client, start, [host, origin, token]);
      if (status >= 400) throw new Error(`${start}: ${status} ${content}`);
    }
    client.socket.destroy();
  }

  /** Turns to a server, and waits until it runs. @returns its port */
  async turnTo(name: string): Promise<number> {
    const { status } = await this.ask(`POST /server?name=${name}`);
    if (status !== 204) throw new Error(`${status} for ${name}`);
    const isThere = ({ server }: Known): boolean => server.isReady && server.name === name;
    return (await this.until(isThere)).server.port;
  }

  poll(after: number, known = 0): Promise<Answer> {
    return this.ask(`GET /events?after=${after}&known=${known}`);
  }

  async stop(): Promise<void> {
    this.client.socket.destroy();
    await this.workbench.stop();
  }
}

const hostOf = ({ pagePort }: Bench): string => `127.0.0.1:${pagePort}`;

/** @param lines the field lines, but for Content-Length */
export async function askFrom(
  client: Client,
  start: string,
  lines: readonly string[],
  content = '',
): Promise<Answer> {
  const length = content === '' ? [] : [`Content-Length: ${content.length}`];
  const head = [`${start} HTTP/1.1`, ...lines, ...length, '', ''].join('\r\n');
  client.socket.write(Buffer.from(head + content, 'latin1'));
  return client.answer();
}
