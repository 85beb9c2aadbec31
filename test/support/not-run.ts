/** What a run leaves out because this machine lacks something, and why that is no failure. */
import { spawnSync } from 'node:child_process';
import { findBrowser } from './browser';

/** Node has no terminals to give to a program, but Python has. */
export function hasPython(): boolean {
  return spawnSync('python3', ['-c', 'import pty']).status === 0;
}

const ABSENT: readonly (readonly [isAbsent: () => boolean, sentence: string])[] = [
  [
    () => findBrowser() === undefined,
    'Not run: what only a browser shows, because none was found (chromium, google-chrome,\n' +
      '  or the variable CHROME). This is no failure: the words of the pages are tested\n' +
      '  without one, and a change is tested with one before it is merged.',
  ],
  [
    () => !hasPython(),
    'Not run: that a terminal which does not read keeps nobody waiting, and what the README\n' +
      '  says in Python, because there is no Python 3. This is no failure: it is tested with\n' +
      '  one before a change is merged.',
  ],
];

/** @returns a sentence for each thing that is absent */
export function notRun(): string[] {
  return ABSENT.flatMap(([isAbsent, sentence]) => (isAbsent() ? [sentence] : []));
}
