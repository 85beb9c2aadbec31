/** The labels below the bytes of a message at a step. Pure: it knows no page. */
import { nameOf } from './glossary';
import { FAULTS, type MessageAt } from './message';
import type { Readers } from './readers';
import { isIn, relationsOf, type Span } from './relations';
import { timeBetween } from './times';
import { milliseconds } from '../../text/text';

/** Between more pieces than these there is no room to say what each wait was for. */
const MOST_PIECES = 4;
/** A label; below what the server waits for where the offset is -1. */
export type Label = readonly [
  offset: number,
  text: string,
  kind: 'wrong' | 'cut' | 'later' | 'begins' | 'also' | 'name',
];

/** @param chosen the byte that is marked
 * @returns the labels, and the spans that belong with that byte */
export function labelsOf(
  when: MessageAt,
  readers: Readers,
  chosen: number | undefined,
): { readonly labels: readonly Label[]; readonly also: readonly Span[] } {
  const { rejection } = when;
  const relations = relationsOf(when);
  const labels: Label[] = [];
  if (rejection !== undefined) {
    const also = relations.flat().find(({ offset }) => offset === rejection.offset)?.says;
    const isTooMuch = ['limit', 'large', 'room'].includes(rejection.fault);
    const more = also === undefined || isTooMuch ? '' : `, ${also}`;
    labels.push([rejection.offset, `${FAULTS[rejection.fault].is}${more}`, 'wrong']);
  }
  labels.push(...cutLabels(when));
  for (const [offset, says] of readers.begins)
    labels.push([offset, `${says} here`, 'begins']);
  const groups = relations.filter((group) => group.some((span) => isIn(span, chosen)));
  for (const { offset, says } of groups.flat())
    if (offset !== rejection?.offset) labels.push([offset, says, 'also']);
  const part = chosen === undefined ? undefined : when.part(chosen);
  if (part && groups.length === 0 && rejection?.offset !== part.offset)
    labels.push([part.offset, nameOf(part), 'name']);
  return { labels, also: groups.flat() };
}

/** What is between two reads, and what the server waits for. */
function cutLabels({ message, step: now }: MessageAt): Label[] {
  const { arrivals } = message.message;
  const { steps } = message.data;
  const waitAt = (step: number): string =>
    steps[step]?.lines[0]?.replace(/ \(RFC.*/, '') ?? '';
  const cuts = arrivals.slice(1).flatMap(([step], index): Label[] => {
    const [before = 0, end = 0] = arrivals[index] ?? [];
    if (step > now) return [];
    const isWait = (at: number): boolean =>
      at > before && at < step && steps[at]?.verb === 'wait';
    const wait = message.exchange.steps.filter(isWait).at(-1);
    const isTold = wait !== undefined && arrivals.length <= MOST_PIECES;
    const time = milliseconds(timeBetween(message.data, isTold ? wait : before, step));
    const says = isTold ? `waited ${time} ${waitAt(wait)}` : `${time} later`;
    return [[end, says, isTold ? 'cut' : 'later']];
  });
  return [...cuts, [-1, `waits ${waitAt(now)}`, 'cut']];
}
