/** The code for the browser as one script. The compiler makes CommonJS modules of it; in a
 * page that loads nothing, each becomes a function, and `require` calls it. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Where the compiled files are: this one is in it, or in `src` (in a test). */
const DIST = __filename.endsWith('.ts')
  ? join(__dirname, '..', '..', 'dist')
  : join(__dirname, '..');

/** A module of ours has no dot in its name: a text in the code may have another require(). */
const REQUIRED = /\brequire\("((?:\.\.?\/)+[^".]+)"\)/g;

/** @param entry the module that runs first, such as "page/view/main"
 * @returns it and all modules that it requires */
export function browserScript(entry: string): string {
  const modules = new Map<string, string>();
  const add = (name: string): void => {
    if (modules.has(name)) return;
    modules.set(name, '');
    const code = readFileSync(join(DIST, `${name}.js`), 'utf8');
    const linked = code.replace(REQUIRED, (_, path: string) => {
      const required = posix.join(posix.dirname(name), path);
      add(required);
      return `require(${JSON.stringify(required)})`;
    });
    modules.set(name, linked);
  };
  add(entry);
  const functions = Array.from(
    modules,
    ([name, code]) => `'${name}': (exports, require) => {\n${code}}`,
  );
  return `'use strict';
(() => {
const modules = {\n${functions.join(',\n')}\n};
const loaded = {};
function require(name) {
  if (!(name in loaded)) {
    loaded[name] = {};
    modules[name](loaded[name], require);
  }
  return loaded[name];
}
require(${JSON.stringify(entry)});
})();
`;
}
