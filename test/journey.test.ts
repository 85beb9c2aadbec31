import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RequestReader } from '../src/http/request-reader';
import { ResponseWriter } from '../src/http/response';
import { taskService, type Service } from '../src/index';
import { Connection } from '../src/server/connection';
import { Output } from '../src/server/output';
import { RequestHandler } from '../src/server/request-handler';
import { TurnQueue } from '../src/server/turn-queue';
import { Page, ROOT } from './support/page';
import { serve } from './support/test-server';

/** What is called in each file of the picture. */
const CALLED: Readonly<Record<string, object>> = {
  'server/connection.ts': Connection.prototype,
  'http/request-reader.ts': RequestReader.prototype,
  'server/turn-queue.ts': TurnQueue.prototype,
  'server/request-handler.ts': RequestHandler.prototype,
  'http/response.ts': ResponseWriter.prototype,
  'server/output.ts': Output.prototype,
};

type Call = (this: unknown, ...args: unknown[]) => unknown;

/** Has each call from one file to another written down while a server handles a request.
 * @returns the calls, as "file -> file: name()" */
async function callsOfRequest(): Promise<string[]> {
  const calls: string[] = [];
  const stack = ['a client'];
  let isOn = false;
  const spied = (file: string, name: string, call: Call): Call =>
    function (this: unknown, ...args) {
      const from = stack.at(-1);
      if (isOn && from !== file) calls.push(`${from} -> ${file}: ${name}()`);
      stack.push(file);
      try {
        return call.apply(this, args);
      } finally {
        stack.pop();
      }
    };
  const originals = Object.values(CALLED).map((object) => [
    object,
    Object.getOwnPropertyDescriptors(object),
  ]) as [object, Record<string, PropertyDescriptor>][];
  for (const [file, object] of Object.entries(CALLED)) {
    for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
      const { value } = member as { value?: unknown };
      // The call of a generator does not run it.
      const isCalled = typeof value === 'function' && value.constructor === Function;
      if (!isCalled || name === 'constructor') continue;
      const replaced = { ...member, value: spied(file, name, value as Call) };
      Object.defineProperty(object, name, replaced);
    }
  }
  try {
    const service = spied('tasks/dispatcher.ts', 'taskService', taskService as Call);
    const client = await (await serve({ service: service as Service })).client();
    await client.ask('GET /'); // the connection is settled when it has its response
    isOn = true;
    await client.ask('GET /tasks/1');
    isOn = false;
  } finally {
    for (const [object, members] of originals) Object.defineProperties(object, members);
  }
  return calls;
}

describe('the picture of the journey of a request, in src/README.md', () => {
  const { blocks } = new Page('src/README.md');
  const picture = blocks.find(({ text }) => text.startsWith('sequenceDiagram'))?.text ?? '';

  it('shows the calls that a request makes, all of them, in their order', async () => {
    const participants = picture.matchAll(/participant (\w) as (.+)$/gm);
    const files = new Map(
      Array.from(participants, ([, letter, label = '']) => [
        letter,
        label.replace('<br>', ''),
      ]),
    );
    const shown = Array.from(
      picture.matchAll(/(\w)->>(\w): (\w+\(\)) [^()]+$/gm),
      ([, from, to, name]) => `${files.get(from)} -> ${files.get(to)}: ${name}`,
    );
    const calls = await callsOfRequest();
    // That bytes arrive and that a round of the event loop begins is no call of a file.
    const between = calls.filter((call) => !call.startsWith('a client'));
    expect(between).to.deep.equal(shown);
  });
  it('names only files that exist in its notes', () => {
    const notes = (picture.match(/Note over .*/g) ?? []).join('\n');
    const named = notes.match(/[\w-]+\.ts/g) ?? [];
    expect(named).to.not.be.empty;
    const missing = named.filter((file) => !existsSync(join(ROOT, 'src', 'http', file)));
    expect(missing).to.deep.equal([]);
  });
});
