/// <reference lib="dom" />
/** The page of the workbench: it asks what has happened, and shows it. */
import { byId } from '../../../page/view/dom';
import { Page } from '../../../page/view/app';
import { Conversation } from '../../../page/model/conversation';
import type { PageData } from '../../../page/model/page-data';
import type { BenchData } from '../page';
import type { EventsData } from '../bench';
import type { ClientData } from '../clients';
import { Composer, isPredicting, messageOf } from './composer';
import { holdOf, originOf } from './origin';
import { Result } from './result';
import { Server } from './server';

/** How long the page waits before it asks again, in milliseconds: at first, and where
 * nothing happens. */
const SOON = 60;
const LATER = 500;
/** After the server was gone. */
const RETRY = 2000;
/** How long a press may hold back what is shown, in milliseconds. */
const PRESS = 1000;

const data: BenchData = JSON.parse(byId('bench').textContent ?? '');
const server = new Server(data.token);
const page = new Page();
const result = new Result();
const composer = new Composer(data, server, () => {
  isFollowing = true;
  delay = SOON;
  wake();
});
let revision = -1;
const conversation = new Conversation();
/** What was told last, and what the page shows of the trace. */
let known: EventsData | undefined;
let trace: PageData | undefined;
/** The server that is shown. */
let shown = '';
let delay = SOON;
/** Whether the page goes to what happens: until something else is chosen. */
let isFollowing = true;
let wake = (): void => {};
/** The time of the server, less that of the page. */
let offset = 0;
/** A button that is drawn again while it is pressed would lose its click. */
let released = Promise.resolve();

// A screen reader only clicks. A click with a pointer comes later than the press.
for (const id of ['lanes', 'steplist', 'bytes', 'explanation', 'previous', 'next'])
  for (const type of ['pointerdown', 'keydown', 'click'])
    byId(id).addEventListener(type, () => (isFollowing = false));

addEventListener('pointerdown', () => {
  released = new Promise((resolve) => {
    setTimeout(resolve, PRESS);
    // The click comes after this event.
    addEventListener('pointerup', () => setTimeout(resolve), { once: true });
  });
});

byId('predict').addEventListener('click', () => {
  if (known !== undefined) showProxy(known);
});

void poll();
setInterval(() => page.tick(performance.now() + offset), 500);

/** Asks again and again: one request at a time, over one connection. */
async function poll(): Promise<void> {
  for (;;) {
    try {
      const { choices } = composer;
      const events = await server.events(revision, conversation.known);
      delay = events === undefined ? Math.min(LATER, 1.3 * delay) : SOON;
      await released;
      // What was told before a server was chosen would undo the choice. It is told again.
      if (events !== undefined && choices === composer.choices) show(events);
    } catch (error) {
      byId('sent').textContent = `The workbench does not respond: ${messageOf(error)}`;
      delay = RETRY;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delay);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function show(events: EventsData): void {
  known = events;
  revision = events.revision;
  offset = events.now - performance.now();
  composer.showServer(events.server);
  composer.showClients(events.clients);
  for (const line of events.lines) conversation.add(line);
  const isNews = events.lines.length > 0 || trace === undefined;
  if (isNews) trace = nameProxy(conversation.describe(events.now), events);
  showProxy(events); // first, because it takes room from the bytes
  if (isNews && trace !== undefined) {
    if (events.server.isReady && events.server.name !== shown) page.forget();
    if (events.server.isReady) shown = events.server.name;
    page.show(trace, isFollowing);
  }
  composer.judgeAgain(); // what was sent counts, too
}

/** What the last send brought, if it went through the proxy. */
function showProxy(events: EventsData): void {
  const { clients, forwarded, proxy } = events;
  const { last } = composer;
  const proxied = clients.filter(({ name }) => name.startsWith('p')).reverse();
  const client = proxied.find(({ id }) => id === last?.client);
  const tellOrigin = (asked: string): string =>
    originOf(asked, forwarded, (name) => composer.nameOf(name));
  result.list(proxied, proxy);
  const tellHold = (of: ClientData, sent: string): string => holdOf(of, sent, events);
  result.show(client, last, trace, { tellHold, tellOrigin }, isPredicting());
}

/** Says of the requests that came through the proxy which reader that is. */
function nameProxy(data: PageData, { reader }: EventsData): PageData {
  if (reader === null) return data;
  const { addresses, mistake: proxy } = reader;
  const exchanges = data.exchanges.map((one) =>
    addresses.includes(one.remote ?? '') && one.other !== undefined
      ? { ...one, other: { ...one.other, proxy } }
      : one,
  );
  return { ...data, exchanges };
}
