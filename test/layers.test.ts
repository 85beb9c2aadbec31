import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const SRC = join(__dirname, '..', 'src');
/** What the files of each folder may import: folders of ours, and modules of Node's. */
const MAY: Record<string, readonly string[]> = {
  http: ['http'],
  tasks: ['tasks'],
  server: ['server', 'http', 'node:net', 'node:perf_hooks'],
  '.': ['.', 'server', 'tasks', 'http', 'node:util'],
};
/** In which files the sockets are. */
const SOCKETS = ['server/connection.ts', 'server/server.ts'];

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const imports = (file: string): string[] =>
  Array.from(readFileSync(join(SRC, file), 'utf8').matchAll(/(?:\bfrom\s+|\b(?:import|require)\s*\(?\s*)'([^']+)'/g), ([, name = '']) =>
    name.startsWith('.') ? dirname(relative(SRC, join(SRC, dirname(file), name))) : name,
  );

describe('what a file may know', () => {
  it('there are files in every folder', () => expect([...new Set(files.map((file) => dirname(file)))]).to.have.members(Object.keys(MAY)));
  for (const file of files) {
    it(`${file} reaches no further`, () => expect(MAY[dirname(file)]).to.include.members(imports(file)));
  }
  it('sockets are known in two files', () => expect(files.filter((file) => imports(file).includes('node:net'))).to.have.members(SOCKETS));
  it('no file serves requests with node:http', () => expect(files.filter((file) => imports(file).some((name) => name.startsWith('node:http')))).to.deep.equal([]));
});
