/** Rules of the grammar, for people who never read one. Pure: it knows no page. */
import { SIGNS } from './glossary';

/** Names stand for rules, and quoted text for itself. */
const WORDS = /"[^"]*"|\d*\*|\d+(?=[A-Z])|[A-Za-z][\w-]*|[^\s\w]/g;

/** @returns the signs and names that a rule has, in the order in which they stand in it,
 * and what they mean */
export function signsOf(rule: string): (readonly [sign: string, text: string])[] {
  const words = Array.from(rule.matchAll(WORDS), ([word]) => PAIRS[word[0] ?? ''] ?? word);
  return [...new Set(words)].flatMap((word) => SIGNS.filter(([sign]) => sign === word));
}

/** Signs that come in pairs, by the first of them. */
const PAIRS: { readonly [opening: string]: string } = {
  '"': '" "',
  '(': '( )',
  '[': '[ ]',
};

/** A bracket stays on the line of what it is around. */
export function keepTogether(rule: string): string {
  return rule.replace(/([[(]) /g, '$1\u00a0').replace(/ ([\])])/g, '\u00a0$1');
}
