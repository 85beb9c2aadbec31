/** Bytes that belong together: what measures and what it measures, and what contradicts
 * each other. Pure: it knows no page. */
import type { PartName } from '../../http/parts';
import type { PartData } from './page-data';
import type { MessageAt } from './message';
import { count, printable } from '../../text/text';

export interface Span {
  readonly offset: number;
  readonly length: number;
  /** What stands below it. */
  readonly says: string;
  /** Whether it says how long something is. */
  readonly measures?: true;
}

export function isIn({ offset, length }: Span, at: number | undefined): boolean {
  return at !== undefined && offset <= at && at < offset + length;
}

/** A trailer field does not say how the content is framed. */
const HEADER = 'header field line';

/** @returns groups of spans, each in the order of the bytes */
export function relationsOf(when: MessageAt): (readonly Span[])[] {
  const { message, rejection, step } = when;
  const parts = message.message.parts.filter((part) => part.step <= step);
  const named = (name: PartName): PartData[] => parts.filter((part) => part.name === name);
  const values = (wanted: string): Span[] =>
    named('field-value')
      .filter(({ field = '', line }) => line === HEADER && field.toLowerCase() === wanted)
      .map(({ length, offset }) => ({ offset, length, says: '' }));
  const lengths = values('content-length').map((value) => says(when, value));
  const codings = values('transfer-encoding').map((span) => {
    const coding = message.slice(span.offset, span.length);
    const what = /^chunked$/i.test(coding) ? 'chunks' : coding;
    return { ...span, says: `says ${what}`, measures: true as const };
  });
  const hosts = values('host').map((host, index) => ({
    ...host,
    says: index === 0 ? 'first Host' : 'another Host',
  }));
  const content = named('content').map(({ length, offset }) => {
    const isLimited = rejection?.fault === 'large' && rejection.offset === offset;
    const text = isLimited ? 'the content' : held(when, offset, length);
    return { offset, length, says: text };
  });
  // A server that reads both goes by one of them.
  const ignored =
    named('chunk-size').length > 0 ? lengths : content.length > 0 ? codings : [];
  const framing = [...lengths, ...codings].map((span) =>
    ignored.includes(span) ? { ...span, says: `${span.says}, ignored` } : span,
  );
  const groups = [
    framing.length > 1 ? framing : [...framing, ...content],
    hosts,
    ...chunks(when, named('chunk-size'), named('chunk-data')),
  ];
  return groups
    .filter((group) => group.length > 1)
    .map((group) => [...group].sort(byOffset));
}

const byOffset = (one: Span, other: Span): number => one.offset - other.offset;

/** A number of more digits would be rounded. */
const NUMBER = /^\d{1,15}$/;

function says({ message }: MessageAt, { offset, length }: Span): Span {
  const value = message.slice(offset, length);
  const what = NUMBER.test(value) ? count(Number(value), 'byte') : printable(value);
  return { offset, length, says: `says ${what}`, measures: true };
}

/** How many bytes have arrived of what was announced. */
function held({ arrived }: MessageAt, offset: number, length: number): string {
  const all = count(length, 'byte');
  return arrived < offset + length ? `${Math.max(0, arrived - offset)} of ${all}` : all;
}

/** Each size with the data that it announces. The data that has no end where the size says
 * is told with its size, too. */
function chunks(
  when: MessageAt,
  sizes: readonly PartData[],
  data: readonly PartData[],
): Span[][] {
  const { message, rejection } = when;
  return data.flatMap(({ length, offset }) => {
    const size = sizes.filter((one) => one.offset < offset).at(-1);
    if (size === undefined) return [];
    const bytes = parseInt(message.slice(size.offset, size.length), 16);
    const announced = `says ${count(bytes, 'byte')}`;
    const group: Span[] = [
      { offset: size.offset, length: size.length, says: announced, measures: true },
      { offset, length, says: held(when, offset, length) },
    ];
    if (rejection?.offset === offset + length)
      group.push({ offset: rejection.offset, length: 1, says: 'no CRLF' });
    return [group];
  });
}
