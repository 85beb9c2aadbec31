/** All cases, and their requests as bytes. */
import { expand } from '../bytes';
import { unescape } from '../shell';
import type { Case, Group, ValidCase } from './case';
import { REJECTED_GROUPS } from './rejected-cases';
import { VALID_GROUPS } from './valid-cases';

export type { Case, Group, RejectedCase } from './case';

export const GROUPS: readonly Group[] = [...REJECTED_GROUPS, ...VALID_GROUPS];

/** What ‹chunked›, ‹next› and ‹inner› stand for. The last is for content: its length does
 * not depend on the name of the server. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  chunked: String.raw`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`,
  next: String.raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`,
  inner: String.raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`,
};
const ABBREVIATION = /‹(\w+)›/g;
const ENOUGH = '¦';

export const isValid = (one: Case): one is ValidCase => !('authority' in one);

/** @param host goes in place of the host "a", but for content
 * @returns a character for each byte */
export function requestOf({ request }: Case, host = 'a'): string {
  return unescape(expand(toPrintf(request.replace(ENOUGH, ''), host)));
}

/** The part of a request after which this server does not wait for more: all of it by
 * default. */
export function rejectedPartOf({ request }: Case, host = 'a'): string {
  const [part = ''] = request.split(ENOUGH);
  return unescape(expand(toPrintf(part, host)));
}

/** A request as a command that prints it, for a shell such as bash or zsh. */
export function toShell(one: Case, host = 'a'): string {
  const whole = toPrintf(one.request.replace(ENOUGH, ''), host);
  const parts = whole.split(/(‹.* × \d+›)/).filter((part) => part !== '');
  const words = parts.map((part) => {
    const [, text, count] = /^‹(.*) × (\d+)›$/.exec(part) ?? [];
    if (text === undefined) return quote(part);
    // The shell takes seconds to count to a million, so one character is repeated in
    // another way.
    if (text.length === 1)
      return `"$(head -c ${count} /dev/zero | tr '\\0' ${quote(text)})"`;
    // The inner printf undoes one level of escapes, and repeats its text for each argument.
    const doubled = expand(text).replaceAll('\\', String.raw`\\`);
    return `"$(printf ${quote(`${doubled}%.0s`)} $(seq ${count}))"`;
  });
  return `printf '%b' ${words.join('')}`;
}

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Writes out the abbreviations, and says who is asked: in each Host field, and not in
 * content. */
function toPrintf(request: string, host: string): string {
  const named = (text: string): string =>
    text.replaceAll(String.raw`Host: a\r\n`, String.raw`Host: ${host}\r\n`);
  return named(request).replace(ABBREVIATION, (_, name: string) => {
    const text = ABBREVIATIONS[name] ?? '';
    return name === 'inner' ? text : named(text);
  });
}
