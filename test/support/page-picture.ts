/** A picture of the page of a trace, for the README: a request that arrives in two pieces,
 * and one that is rejected because it has two lengths. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tracePage, type TraceEvent } from '../../src/index';
import { Browser } from './browser';
import { raw } from './bytes';
import { converse } from './conversation';

export const [WIDTH, HEIGHT] = [1366, 633];
const CONVERSATIONS = [
  ['GET /ta', raw`sks HTTP/1.1\r\nHost: localhost\r\n\r\n`],
  [
    raw`POST /tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n` +
      raw`Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n` +
      raw`DELETE /tasks/1 HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  ],
];
/** @param path of a browser
 * @returns a PNG, the same each time as long as the browser is the same */
export async function drawPage(path: string): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'picture-'));
  const file = join(folder, 'page.html');
  writeFileSync(file, tracePage(await record()));
  const browser = await Browser.start(path);
  try {
    await browser.resize(WIDTH, HEIGHT);
    await browser.open(file);
    return await browser.screenshot(WIDTH, HEIGHT);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

/** @returns the events as if each piece came 0.3 s after the one before, from one port */
async function record(): Promise<TraceEvent[]> {
  let at = 0;
  return (await converse(CONVERSATIONS, {}, 300)).map((event) => {
    at = Math.max(at + 0.1, event.at); // in virtual time, all of a piece happens at once
    if (event.type === 'open') return { ...event, at, remoteAddress: '127.0.0.1:54321' };
    return event.type === 'listen' ? { ...event, at, port: 8080 } : { ...event, at };
  });
}
