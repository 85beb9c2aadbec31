import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RequestReader } from '../src/http/request-reader';
import * as response from '../src/http/response';
import { taskService, type Service } from '../src/index';
import { Connection } from '../src/server/connection';
import { Output } from '../src/server/output';
import { RequestHandler } from '../src/server/request-handler';
import { TurnQueue } from '../src/server/turn-queue';
import { Page, ROOT } from './support/page';
import { serve } from './support/test-server';

/** The picture of the way of a request through the files, in src/README.md. */
const PICTURE =
  new Page('src/README.md').blocks.find(({ text }) => text.startsWith('sequenceDiagram'))
    ?.text ?? '';

/** What is called in each file of the picture. */
const CLASSES: Readonly<Record<string, { readonly prototype: object }>> = {
  'server/connection.ts': Connection,
  'http/request-reader.ts': RequestReader,
  'server/turn-queue.ts': TurnQueue,
  'server/request-handler.ts': RequestHandler,
  'http/response.ts': { prototype: response },
  'server/output.ts': Output,
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
      const from = stack.at(-1) ?? '';
      if (isOn && from !== file) calls.push(`${from} -> ${file}: ${name}()`);
      stack.push(file);
      try {
        return call.apply(this, args);
      } finally {
        stack.pop();
      }
    };
  const restore: (() => void)[] = [];
  for (const [file, { prototype }] of Object.entries(CLASSES)) {
    for (const [name, member] of Object.entries(
      Object.getOwnPropertyDescriptors(prototype),
    )) {
      const { value } = member as { value?: unknown };
      if (typeof value !== 'function' || name === 'constructor') continue;
      if (value.constructor.name === 'GeneratorFunction') continue; // the call does not run it
      const replaced = { ...member, value: spied(file, name, value as Call) };
      Object.defineProperty(prototype, name, replaced);
      restore.push(() => Object.defineProperty(prototype, name, member));
    }
  }
  try {
    const service = spied(
      'tasks/dispatcher.ts',
      'taskService',
      taskService as Call,
    ) as Service;
    const client = await (await serve({ service })).client();
    await client.ask('GET /'); // the connection is settled when it has its response
    isOn = true;
    await client.ask('GET /tasks/1');
    isOn = false;
  } finally {
    for (const undo of restore) undo();
  }
  return calls;
}

describe('the picture of the journey of a request', () => {
  const files = new Map(
    Array.from(
      PICTURE.matchAll(/participant (\w) as (.+)$/gm),
      ([, letter = '', label = '']) => {
        const name = label.replace('<br>', '');
        return [letter, name === 'the client' ? 'a client' : name];
      },
    ),
  );

  it('shows the calls that a request makes, all of them, in their order', async () => {
    const shown = Array.from(
      PICTURE.matchAll(/(\w)->>(\w): (\w+\(\)) [^()]+$/gm),
      ([, from = '', to = '', name = '']) =>
        `${files.get(from)} -> ${files.get(to)}: ${name}`,
    );
    const calls = await callsOfRequest();
    // That bytes arrive and that a round of the event loop begins is no call of a file.
    const between = calls.filter((call) => !call.startsWith('a client'));
    expect(between).to.deep.equal(shown);
  });

  it('names only files that exist in its notes', () => {
    const notes = Array.from(PICTURE.matchAll(/Note over .*/g)).join('\n');
    const named = notes.match(/[\w-]+\.ts/g) ?? [];
    expect(named).to.not.be.empty;
    const missing = named.filter((file) => !existsSync(join(ROOT, 'src', 'http', file)));
    expect(missing).to.deep.equal([]);
  });
});
