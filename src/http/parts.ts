/** The parts of a message: what each of its bytes is. They are named only for a trace. */
import { Byte, skipHexDigits, skipToken } from './grammar';
import type { Excerpt } from './receive-buffer';

const { COLON, SP } = Byte;

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

type Named = readonly [name: PartName, length: number];

/** Names bytes that follow each other.
 * @param offset of the first of them
 * @param lengths a part of no bytes is left out */
export function partsFrom(offset: number, ...lengths: readonly Named[]): Part[] {
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

/** The first parts of a rejected line, if they end before the wrong byte. Each is whole:
 * another byte follows it.
 * @param wrong the offset of the wrong byte */
export function partsBefore(wrong: number, kind: LineKind, excerpt: Excerpt): Part[] {
  const { bytes, offset } = excerpt;
  const skip = kind === 'chunk line' ? skipHexDigits : skipToken;
  const end = skip(bytes, 0, bytes.length);
  const next = bytes[end];
  if (next === undefined) return [];
  const first: Named[] = [];
  if (kind === 'chunk line') first.push(['chunk-size', end]);
  else if (kind === 'request line' && next === SP) first.push(['method', end], ['SP', 1]);
  else if (kind === 'header field line' || kind === 'trailer field line')
    first.push(['field-name', end], ['colon', next === COLON ? 1 : 0]);
  return partsFrom(offset, ...first).filter((part) => part.offset + part.length <= wrong);
}
