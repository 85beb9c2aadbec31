/** Requests that nobody would write by hand: a few cases of the table in a row, and often
 * damaged. */
import { GROUPS, isValid, requestOf, type Case } from '../../src/study/cases';
import type { Random } from './random';

/** A longer one takes too long in every cut. */
const LONGEST = 20_000;
const CASES = GROUPS.flatMap((group): readonly Case[] => group.cases);
const [VALID, REJECTED] = [CASES.filter(isValid), CASES.filter((one) => !isValid(one))].map(
  (cases) => cases.map((one) => requestOf(one)).filter(({ length }) => length < LONGEST),
);

// prettier-ignore
const ODD = [
  '\r', '\n', '\r\n', '\r\n\r\n', '\0', ' ', '\t', '\x0b', ':', ';', ',', '=', '"', '\\',
  '%', '#', '/', '0', '1', 'f', '\x7f', '\x80', '\xff', 'HTTP/1.1', 'GET ',
];
const WRONG_LINE_ENDS = ['\n', '\r', '\r\r\n', '\r\n ', '\r\n\r\n'];

function oneCase(random: Random): string {
  return random.oneOf((random.onceIn(8) ? REJECTED : VALID) ?? []);
}

/** @returns the text with one thing wrong: something is lost, inserted, replaced, doubled
 * or moved, or the end is missing */
function damage(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const end = at + random.below(random.oneOf([2, 8, 200]));
  const [before, slice, after] = [text.slice(0, at), text.slice(at, end), text.slice(end)];
  switch (random.below(7)) {
    case 0:
      return before + after;
    case 1:
      return before + random.oneOf(ODD) + text.slice(at);
    case 2:
      return before + random.oneOf(ODD) + text.slice(at + 1);
    case 3:
      return before + String.fromCharCode(random.below(256)) + text.slice(at + 1);
    case 4:
      return before + slice + slice + after;
    case 5:
      return slice + before + after;
    default:
      return random.onceIn(4)
        ? before
        : text.replace('\r\n', random.oneOf(WRONG_LINE_ENDS));
  }
}

export function stream(random: Random): Buffer {
  let text = Array.from({ length: 1 + random.below(3) }, () => oneCase(random)).join('');
  const times = random.onceIn(2) ? 0 : 1 + random.below(3);
  for (let count = 0; count < times; count += 1) text = damage(random, text);
  return Buffer.from(text, 'latin1');
}
