/** Registers ts-node, and keeps what it compiles: every process of mocha needs the same files,
 * and most of them are as they were in the last run. An output is kept with the file of its
 * source, and is taken only for the same text, compiled by the same compiler with the same
 * options. This is JavaScript because nothing else can be loaded before ts-node. */
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { dirname, join, relative } = require('node:path');

const ROOT = join(__dirname, '..', '..');
const KEPT = join(ROOT, 'node_modules', '.cache', 'ts-node');

/** A transpiler of ts-node. */
exports.create = ({ service }) => {
  const ts = require('typescript');
  // The tests lie outside of the root of src, which is the options'.
  const compilerOptions = { ...service.config.options, rootDir: ROOT };
  const compiler = JSON.stringify([ts.version, compilerOptions]);
  return {
    transpile(code, { fileName }) {
      const name = relative(ROOT, fileName);
      const hash = createHash('sha256').update(`${compiler}\n${name}\n${code}`);
      const key = hash.digest('hex');
      const file = join(KEPT, `${name}.json`);
      const kept = read(file);
      if (kept?.key === key) return kept;
      const options = { compilerOptions, fileName, reportDiagnostics: true };
      const output = ts.transpileModule(code, options);
      if (output.diagnostics.length === 0 && !name.startsWith('..'))
        write(file, { ...output, key });
      return output;
    },
  };
};

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined; // none, or one that was damaged
  }
}

/** Another process may read or write it at the same time: it sees all or nothing. */
function write(file, output) {
  const unfinished = `${file}.${process.pid}`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(unfinished, JSON.stringify(output));
  renameSync(unfinished, file);
}

require('ts-node').register({ transpileOnly: true, transpiler: __filename });
