/** Run when the package is built: compiles what each experiment changes, for a package
 * without sources. */
import { writeFileSync } from 'node:fs';
import { EXPERIMENTS } from '../experiments';
import { COMPILED, compileChanges } from './build';

const compiled = EXPERIMENTS.map(({ defence, number }) => [
  number,
  compileChanges(defence),
]);
writeFileSync(COMPILED, JSON.stringify(Object.fromEntries(compiled)));
