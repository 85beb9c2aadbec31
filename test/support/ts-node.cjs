/** Loads TypeScript as ts-node compiles it, and keeps what it compiles: every process of mocha
 * needs the same files, and most of them are as they were in the last run. What is kept of a
 * file counts only for the same text, compiler and options; while nothing has changed, the
 * compiler is not even loaded. This is JavaScript because it comes before ts-node. */
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { dirname, join, relative } = require('node:path');

const ROOT = join(__dirname, '..', '..');
const KEPT = join(ROOT, '.build', 'ts-node');

const packageOf = (name) => require.resolve(`${name}/package.json`);
/** What an output depends on, besides the text. */
const COMPILER = [
  ...[__filename, join(ROOT, 'tsconfig.json')],
  ...['ts-node', 'typescript'].map(packageOf),
].map((file) => readFileSync(file));

// Node itself takes the lines of a stack trace from the source maps in the outputs.
process.setSourceMapsEnabled(true);

require.extensions['.ts'] = (module, file) => module._compile(compiled(file), file);

/** @returns what is kept of a file, or else what the compiler makes of it */
function compiled(file) {
  const text = readFileSync(file, 'utf8');
  const hash = createHash('sha256');
  for (const part of [...COMPILER, file, text]) hash.update(part);
  const key = `// ${hash.digest('hex')}\n`;
  const place = join(KEPT, `${relative(ROOT, file)}.js`);
  const kept = read(place);
  if (kept.startsWith(key)) return kept.slice(key.length);
  const output = compile(text, file);
  write(place, `${key}${output}`);
  return output;
}

let service;

function compile(text, file) {
  if (service === undefined) {
    service = require('ts-node').create({ transpileOnly: true });
    Error.prepareStackTrace = undefined; // ts-node's knows nothing of what was kept
  }
  return service.compile(text, file);
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // there is none yet
  }
}

/** Another process may read or write it at the same time: it sees all or nothing. */
function write(file, text) {
  const unfinished = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(unfinished, text);
    renameSync(unfinished, file);
  } catch {
    // Where nothing can be written, nothing is kept.
  }
}

module.exports = { compiled };
