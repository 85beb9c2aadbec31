/** The code for the browser as one script. The compiler makes CommonJS modules of the
 * files in `browser`; in a page that loads nothing, each becomes a function, and
 * `require` calls it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the compiled files are: beside this file, or in `dist` if it runs from `src` (in
 * a test). */
const FOLDER = __filename.endsWith('.ts')
  ? join(__dirname, '..', '..', '..', 'dist', 'trace', 'page', 'browser')
  : join(__dirname, 'browser');
const MODULES = [
  'bytes',
  'citations',
  'dom',
  'explanation',
  'grammar',
  'grid',
  'main',
  'message',
  'page',
  'readings',
  'relations',
  'send',
  'table',
  'waterfall',
  'words',
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
