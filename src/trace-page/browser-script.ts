/** The code for the browser as one script. The compiler makes CommonJS modules of the files in
 * `browser`; in a page that loads nothing, each becomes a function, and `require` calls it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The compiled files, seen from this file in `src` and in `dist` alike. */
const FOLDER = join(__dirname, '..', '..', 'dist', 'trace-page', 'browser');
const MODULES = [
  'citations',
  'dom',
  'rows',
  'facts',
  'grammar',
  'lanes',
  'byte-view',
  'main',
] as const;

export function browserScript(): string {
  const modules = MODULES.map((name) => {
    const code = readFileSync(join(FOLDER, `${name}.js`), 'utf8');
    return `'./${name}': (exports, require) => {\n${code}}`;
  });
  return `'use strict';
(() => {
const modules = {\n${modules.join(',\n')}\n};
const loaded = {};
function require(name) {
  if (!(name in loaded)) {
    loaded[name] = {};
    modules[name](loaded[name], require);
  }
  return loaded[name];
}
require('./main');
})();
`;
}
