import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '..');
const MAX_COLUMNS = 100;

/** What the files of each folder of src may import: from which folders, and modules of
 * Node. '.' is src itself. */
// prettier-ignore
const ALLOWED: Readonly<Record<string, string>> = {
  http:                      'http text node:net',
  tasks:                     'tasks',
  text:                      '',
  server:                    'server http trace text node:net',
  naive:                     'naive http text',
  trace:                     'trace study http naive text',
  page:                      'page page/model trace node:crypto node:fs node:path',
  'page/model':              'page/model study http naive text trace',
  study:                     'study naive http text node:events node:net',
  'page/view':               'page/view page/model text',
  command:                   `command trace text page node:fs node:path node:stream node:tty
                              node:util`,
  'study/probe':             'study/probe study naive http server text command node:net',
  'study/proxy':             'study/proxy study trace naive text node:events node:net',
  'study/reply':             `study/reply study http trace text command node:child_process
                              node:events node:fs node:net node:timers/promises`,
  'study/echo':              'study/echo command http .',
  'study/lab':               `study/lab study/proxy study http text command trace .
                              node:fs node:module node:path node:vm typescript`,
  'study/workbench':         `study/workbench study study/proxy study/reply study/lab naive
                              http server tasks trace page page/model text command .
                              node:crypto node:timers/promises`,
  'study/workbench/browser': `study/workbench/browser study/workbench study study/reply
                              page/view page/model naive trace text`,
  '.':                       'command server tasks http trace page study/reply',
};
/** The files that handle sockets, those of the server and of the programs that attack it,
 * and one that asks whether an address is IPv6. */
// prettier-ignore
const SOCKETS = [
  'http/host.ts',
  'server/connection.ts', 'server/output.ts', 'server/server.ts', 'server/system.ts',
  'study/player.ts', 'study/probe/conversation.ts', 'study/proxy/naive-proxy.ts',
  'study/reply/connection.ts', 'study/reply/replies.ts',
];

/** @returns the files below a folder, with their text */
function sourcesIn(folder: string): Map<string, string> {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.ts')).sort();
  return new Map(
    files.map((file) => [file, readFileSync(join(ROOT, folder, file), 'utf8')]),
  );
}

const sources = sourcesIn('src');

/** @returns the files and the modules of Node that a file of src imports from */
function importsOf(file: string, text: string): string[] {
  const found = text.matchAll(
    /(?:\bfrom\s+|\b(?:import|require)\s*\(?\s*)'([\w.][^']*?)(?:\.js)?'/g,
  );
  return Array.from(found, ([, name = '']) =>
    name.startsWith('.') ? `${join(dirname(file), name)}.ts` : name,
  );
}

/** What each file of src imports from, types included: folders, and modules of Node. */
const imports = new Map(
  Array.from(sources, ([file, text]) => [
    file,
    importsOf(file, text).map((name) => (name.endsWith('.ts') ? dirname(name) : name)),
  ]),
);

/** Fails where a way leads back to where it has been. */
function expectNoCircle(
  nodes: Iterable<string>,
  nextOf: (node: string) => Iterable<string>,
): void {
  const reached = new Set<string>();
  const walk = (node: string, way: readonly string[]): void => {
    expect(way, 'the way back').to.not.include(node);
    if (reached.has(node)) return;
    reached.add(node);
    for (const next of nextOf(node)) walk(next, [...way, node]);
  };
  for (const node of nodes) walk(node, []);
}

/** @returns the files of src that import something, or whose text has something */
const importing = (what: RegExp): string[] =>
  [...imports].filter(([, names]) => names.some((name) => what.test(name))).map(nameOf);
const having = (what: RegExp): string[] =>
  [...sources].filter(([, text]) => what.test(text)).map(nameOf);
const nameOf = ([file]: readonly [file: string, ...rest: unknown[]]): string => file;

describe('the source', () => {
  it('src has files in every folder that the table names, and no other folder', () => {
    const folders = Array.from(sources.keys(), (file) => dirname(file));
    expect([...new Set(folders)]).to.have.members(Object.keys(ALLOWED));
  });
  it('each file of src imports only what its folder may know', () => {
    for (const [file, names] of imports)
      expect(ALLOWED[dirname(file)]?.split(/\s+/), file).to.include.members(names);
  });
  it('no folder of src imports itself through others', () => {
    // A page and the code that it runs in the browser count as one.
    const roomOf = (folder: string): string =>
      folder.replace(/^(page|study\/workbench)\/.*/, '$1');
    expectNoCircle(Object.keys(ALLOWED).map(roomOf), (room) => {
      const own = [...imports].filter(([file]) => roomOf(dirname(file)) === room);
      const next = own.flatMap(([, names]) => names.map(roomOf));
      return new Set(next.filter((one) => one !== room));
    });
  });
  it('no file of src imports itself through others, but for types', () => {
    expectNoCircle(sources.keys(), (file) => {
      const code = sources.get(file)?.replace(/^(?:im|ex)port type [^;]*;$/gm, '') ?? '';
      return importsOf(file, code);
    });
  });
  it('few files of src handle sockets', () => {
    expect(importing(/^node:net$/)).to.have.members(SOCKETS);
  });
  it('only system.ts asks the machine for the time, and sets timers', () => {
    const asks =
      /\b(?:set(?:Timeout|Interval|Immediate)|nextTick|performance|hrtime|uptime|Date)\b[.(]/;
    const found = having(asks).filter((file) => file.startsWith('server/'));
    expect(found).to.deep.equal(['server/system.ts']);
  });
  it('only command/output.ts writes to the standard outputs, because Node may wait', () => {
    const found = having(/\bconsole\.|\bstd(?:out|err)\.write/);
    expect(found).to.deep.equal(['study/experiments.ts']); // the text of a program
  });
  it(`no line of src and test has more than ${MAX_COLUMNS} characters`, () => {
    for (const [file, text] of [...sources, ...sourcesIn('test')]) {
      const long = text.split('\n').filter((line) => Array.from(line).length > MAX_COLUMNS);
      expect(long, file).to.deep.equal([]);
    }
  });
});
