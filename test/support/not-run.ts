/** What a run leaves out because this machine lacks something, and why that is no failure. */
import { findBrowser } from './browser';

const ABSENT: readonly (readonly [isAbsent: () => boolean, sentence: string])[] = [
  [
    () => findBrowser() === undefined,
    'Not run: what only a browser shows, because none was found (chromium, google-chrome,\n' +
      '  or the variable CHROME). This is no failure: the words of the pages are tested\n' +
      '  without one, and a change is tested with one before it is merged.',
  ],
];

/** @returns a sentence for each thing that is absent */
export function notRun(): string[] {
  return ABSENT.flatMap(([isAbsent, sentence]) => (isAbsent() ? [sentence] : []));
}
