/** The parts of a message: what each of its bytes is. They are named only for a trace. */
import type { Excerpt } from './receive-buffer';

/** A name of the grammar (9112, 9110), or of a field whose value has a grammar of its
 * own. */
// prettier-ignore
export type PartName =
  | 'method' | 'SP' | 'request-target' | 'HTTP-version'
  | 'status-code' | 'reason-phrase'
  | 'field-name' | 'colon' | 'OWS' | 'field-value'
  | 'Host' | 'Connection' | 'Content-Length' | 'Transfer-Encoding' | 'Expect'
  | 'chunk-size' | 'chunk-ext' | 'chunk-data' | 'content'
  | 'CRLF';

/** `offset` counts the bytes of the message from 0. */
export interface Part {
  readonly name: PartName;
  readonly offset: number;
  readonly length: number;
}

/** What is read as one: a line, or the bytes between two lines. */
// prettier-ignore
export type LineKind =
  | 'empty line before the request line'
  | 'request line' | 'status line'
  | 'header field line' | 'end of the header section'
  | 'content'
  | 'chunk line' | 'chunk data' | 'end of the chunk' | 'last chunk'
  | 'trailer field line' | 'end of the trailer section';

/** A line that was read or written, and its parts. */
export interface LineParts {
  readonly kind: LineKind;
  readonly parts: readonly Part[];
}

/** Names bytes that follow each other.
 * @param offset of the first of them
 * @param lengths a part of no bytes is left out */
export function partsFrom(
  offset: number,
  ...lengths: readonly (readonly [name: PartName, length: number])[]
): Part[] {
  const parts: Part[] = [];
  let next = offset;
  for (const [name, length] of lengths) {
    if (length > 0) parts.push({ name, offset: next, length });
    next += length;
  }
  return parts;
}

/** @param end the offset after the CRLF */
export function crlfBefore(end: number): Part[] {
  return partsFrom(end - '\r\n'.length, ['CRLF', '\r\n'.length]);
}

const FIELD = /^([!#$%&'*+.^_`|~\w-]*)(?:(:)|[^!#$%&'*+.^_`|~\w-])/;
/** The parts that a line starts with, each whole: another byte follows it. */
const FIRST_PARTS: { readonly [Kind in LineKind]?: readonly [RegExp, ...PartName[]] } = {
  'request line': [/^([!#$%&'*+.^_`|~\w-]*)( )/, 'method', 'SP'],
  'header field line': [FIELD, 'field-name', 'colon'],
  'trailer field line': [FIELD, 'field-name', 'colon'],
  'chunk line': [/^([\da-f]*)[^\da-f]/i, 'chunk-size'],
};

/** The first parts of a rejected line, if they end before the wrong byte.
 * @param wrong the offset of that byte */
export function partsBefore(wrong: number, kind: LineKind, excerpt: Excerpt): Part[] {
  const [pattern = /^/, ...names] = FIRST_PARTS[kind] ?? [];
  const [, ...found] = pattern.exec(excerpt.bytes.toString('latin1')) ?? [];
  const lengths = names.map((name, at) => [name, found[at]?.length ?? 0] as const);
  const parts = partsFrom(excerpt.offset, ...lengths);
  return parts.filter(({ offset, length }) => offset + length <= wrong);
}
