/** All cases, and their requests as bytes. */
import { expand } from '../bytes';
import { unescape } from '../shell';
import type { Case, Group, ValidCase } from './case';
import { REJECTED_GROUPS } from './rejected-cases';
import { VALID_GROUPS } from './valid-cases';

export type { Case, Group, RejectedCase } from './case';

export const GROUPS: readonly Group[] = [...REJECTED_GROUPS, ...VALID_GROUPS];

/** What ‹chunked› and ‹next› stand for. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  chunked: String.raw`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`,
  next: String.raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`,
};
const ABBREVIATION = /‹(\w+)›/g;
const ENOUGH = '¦';

export const isValid = (one: Case): one is ValidCase => !('authority' in one);

/** @param host goes in place of the host "a" */
export function requestOf({ request }: Case, host = 'a'): string {
  const whole = abbreviationsOut(request.replace(ENOUGH, ''));
  return unescape(expand(whole)).replaceAll('Host: a\r\n', `Host: ${host}\r\n`);
}

/** The part of a request after which this server does not wait for more: all of it by
 * default. */
export function rejectedPartOf({ request }: Case): string {
  const [part = ''] = request.split(ENOUGH);
  return unescape(expand(abbreviationsOut(part)));
}

/** A request as a command that prints it, for a shell such as bash or zsh. */
export function toShell(one: Case, host = 'a'): string {
  const whole = abbreviationsOut(one.request.replace(ENOUGH, '')).replaceAll(
    String.raw`Host: a\r\n`,
    String.raw`Host: ${host}\r\n`,
  );
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

const abbreviationsOut = (text: string): string =>
  text.replace(ABBREVIATION, (_, name: string) => ABBREVIATIONS[name] ?? '');
