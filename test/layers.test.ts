import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const TEST = __dirname;
const SRC = join(__dirname, '..', 'src');
const MAX_COLUMNS = 100;

/** What the files of each folder of src may import: from which folders, and modules of
 * Node. '.' is src itself. */
// prettier-ignore
const ALLOWED: Readonly<Record<string, string>> = {
  http:                      'http node:net',
  tasks:                     'tasks',
  text:                      '',
  server:                    'server http trace text node:net',
  naive:                     'naive text',
  trace:                     'trace study http naive text',
  page:                      'page page/model trace node:crypto node:fs node:path',
  'page/model':              'page/model study http naive text trace',
  study:                     'study naive http text node:events node:net',
  'page/view':               'page/view page/model',
  command:                   `command trace text page node:fs node:stream node:tty
                              node:util`,
  'study/probe':             'study/probe study naive http server text command node:net',
  'study/proxy':             'study/proxy study trace naive text command node:net',
  'study/reply':             `study/reply study http trace text command node:child_process
                              node:events node:fs node:net node:timers/promises`,
  'study/echo':              'study/echo command http .',
  'study/lab':               `study/lab study/proxy study http text command trace .
                              node:fs node:module node:path node:vm typescript`,
  'study/workbench':         `study/workbench study study/probe study/proxy study/echo
                              study/lab naive http server tasks trace page page/model text
                              command . node:crypto node:fs node:net node:path`,
  'study/workbench/browser': `study/workbench/browser study/workbench study page/view
                              page/model naive trace`,
  '.':                       'command server tasks http trace page study/reply',
};
/** The files that handle sockets, those of the server and of the programs that attack it,
 * and one that asks whether an address is IPv6. */
const SOCKETS = [
  'http/host.ts',
  'server/connection.ts',
  'server/output.ts',
  'server/server.ts',
  'server/system.ts',
  'study/player.ts',
  'study/probe/conversation.ts',
  'study/proxy/naive-proxy.ts',
  'study/reply/connection.ts',
  'study/reply/replies.ts',
  'study/workbench/clients.ts',
];

function sourcesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts')).sort();
}

function linesOf(...path: string[]): string[] {
  return readFileSync(join(...path), 'utf8')
    .replace(/\n$/, '')
    .split('\n');
}

/** @returns the files of src, without ".ts", and the modules of Node that a file of src
 * imports from, types included */
function modulesOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  const found = text.matchAll(/(?:\bfrom\s+|\b(?:import|require)\s*\(?\s*)'([^']+)'/g);
  return Array.from(found, ([, name = '']) =>
    name.startsWith('.') ? relative(SRC, join(SRC, dirname(file), name)) : name,
  );
}

/** @returns the folders and the modules of Node that a file of src imports from */
function importsOf(file: string): string[] {
  return modulesOf(file).map((name) => (name.startsWith('node:') ? name : dirname(name)));
}

/** @returns the files on the way from a file of src back to itself, or [] */
function findCircle(file: string, files: readonly string[]): string[] {
  const seen = new Set<string>();
  const search = (way: readonly string[]): string[] => {
    for (const name of modulesOf(way.at(-1) ?? '')) {
      const next = `${name}.ts`;
      if (next === file) return [...way, next];
      if (!files.includes(next) || seen.has(next)) continue;
      seen.add(next);
      const found = search([...way, next]);
      if (found.length > 0) return found;
    }
    return [];
  };
  return search([file]);
}

describe('the source', () => {
  const files = sourcesIn(SRC);

  it('src has files in every folder that the table names, and no other folder', () => {
    expect([...new Set(files.map((file) => dirname(file)))]).to.have.members(
      Object.keys(ALLOWED),
    );
  });
  for (const file of files) {
    it(`${file} imports only what its folder may know`, () => {
      expect(ALLOWED[dirname(file)]?.split(/\s+/)).to.include.members(importsOf(file));
    });
  }
  it('no file of src imports itself through others, types included', () => {
    const circles = files.map((file) => findCircle(file, files));
    expect(circles.filter(({ length }) => length > 0)).to.deep.equal([]);
  });
  it('no folder of src imports itself through others', () => {
    // A page and the code that it runs in the browser count as one.
    const roomOf = (folder: string): string =>
      folder.replace(/^(page|study\/workbench)\/.*/, '$1');
    const rooms = new Map<string, Set<string>>();
    for (const file of files) {
      const known = rooms.get(roomOf(dirname(file))) ?? new Set();
      for (const folder of importsOf(file)) known.add(roomOf(folder));
      rooms.set(roomOf(dirname(file)), known);
    }
    const reached = (from: string, seen: Set<string>): Set<string> => {
      for (const to of rooms.get(from) ?? []) {
        if (to === from || seen.has(to)) continue;
        seen.add(to);
        reached(to, seen);
      }
      return seen;
    };
    const found = [...rooms.keys()].filter((room) => reached(room, new Set()).has(room));
    expect(found).to.deep.equal([]);
  });
  it('few files of src handle sockets', () => {
    const found = files.filter((file) => importsOf(file).includes('node:net'));
    expect(found).to.have.members(SOCKETS);
  });
  it('only system.ts asks the machine for the time, and sets timers', () => {
    const asks =
      /\b(?:set(?:Timeout|Interval|Immediate)|nextTick|performance|hrtime|uptime|Date)\b[.(]/;
    const found = files.filter(
      (file) =>
        file.startsWith('server/') && asks.test(readFileSync(join(SRC, file), 'utf8')),
    );
    expect(found).to.deep.equal(['server/system.ts']);
  });
  it('only command/output.ts writes to the standard outputs, because Node may wait', () => {
    const writes = /\bconsole\.|\bstd(?:out|err)\.write/;
    const found = files.filter((file) =>
      writes.test(readFileSync(join(SRC, file), 'utf8')),
    );
    expect(found).to.deep.equal(['study/experiments.ts']); // the text of a program
  });
  it('no file of src uses node:http', () => {
    const found = files.filter((file) =>
      importsOf(file).some((name) => /^node:http/.test(name)),
    );
    expect(found).to.deep.equal([]);
  });
  for (const [name, folder] of [
    ['src', SRC],
    ['test', TEST],
  ] as const) {
    it(`no line of ${name} has more than ${MAX_COLUMNS} characters`, () => {
      const found = sourcesIn(folder).flatMap((file) =>
        linesOf(folder, file).flatMap((line, index) => {
          const { length } = Array.from(line);
          return length > MAX_COLUMNS ? [`${name}/${file}:${index + 1} has ${length}`] : [];
        }),
      );
      expect(found).to.deep.equal([]);
    });
  }
});
