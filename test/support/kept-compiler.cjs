/** Stands in for the compiler in the programs that a test starts with KEPT_COMPILER: what it
 * has made of a text once is kept, because to load it takes three times as long as all else
 * that those programs do. */
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');

const ROOT = join(__dirname, '..', '..');
const KEPT = join(ROOT, '.build', 'lab-copies');
const load = Module._load;
const { version } = load(join(ROOT, 'node_modules', 'typescript', 'package.json'));

const compiler = {
  ModuleKind: { CommonJS: 1 },
  ScriptTarget: { ES2022: 9 },
  transpileModule(text, options) {
    const hash = createHash('sha256').update(JSON.stringify([version, options, text]));
    const file = join(KEPT, hash.digest('hex'));
    try {
      return { outputText: readFileSync(file, 'utf8') };
    } catch {
      const output = load('typescript', module).transpileModule(text, options);
      // Another process may read or write it at the same time: it sees all or nothing.
      mkdirSync(KEPT, { recursive: true });
      writeFileSync(`${file}.${process.pid}`, output.outputText);
      renameSync(`${file}.${process.pid}`, file);
      return output;
    }
  },
};

Module._load = (name, ...others) =>
  name === 'typescript' ? compiler : load(name, ...others);
