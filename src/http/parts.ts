/** The parts of a message: what each of its bytes is. They are named only for a trace. */
import { Byte, hexValue, skipToken } from './grammar';
import type { Excerpt } from './receive-buffer';

const { COLON, SP } = Byte;

/** A name of the grammar (9112, 9110), or of a field whose value has a grammar of its
 * own. */
export type PartName =
  | 'method'
  | 'SP'
  | 'request-target'
  | 'HTTP-version'
  | 'status-code'
  | 'reason-phrase'
  | 'CRLF'
  | 'field-name'
  | 'colon'
  | 'OWS'
  | 'field-value'
  | 'Host'
  | 'Connection'
  | 'Content-Length'
  | 'Transfer-Encoding'
  | 'Expect'
  | 'chunk-size'
  | 'chunk-ext'
  | 'chunk-data'
  | 'content';

/** `offset` counts the bytes of the message from 0. */
export interface Part {
  readonly name: PartName;
  readonly offset: number;
  readonly length: number;
}

/** What is read as one: a line, or the bytes between two lines. */
export type LineKind =
  | 'empty line before the request line'
  | 'request line'
  | 'status line'
  | 'header field line'
  | 'end of the header section'
  | 'chunk line'
  | 'chunk data'
  | 'end of the chunk'
  | 'last chunk'
  | 'trailer field line'
  | 'end of the trailer section'
  | 'content';

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

/** The parts of a rejected line that end before the wrong byte.
 * @param wrong the offset of that byte */
export function partsBefore(wrong: number, kind: LineKind, excerpt: Excerpt): Part[] {
  const { bytes, offset } = excerpt;
  switch (kind) {
    case 'request line': {
      const method = skipToken(bytes, 0, bytes.length);
      if (bytes[method] !== SP || offset + method >= wrong) return [];
      return partsFrom(offset, ['method', method], ['SP', 1]);
    }
    case 'header field line':
    case 'trailer field line': {
      const name = skipToken(bytes, 0, bytes.length);
      if (offset + name > wrong || name === bytes.length) return [];
      const isColonRight = bytes[name] === COLON && offset + name < wrong;
      return partsFrom(offset, ['field-name', name], ['colon', isColonRight ? 1 : 0]);
    }
    case 'chunk line': {
      let size = 0;
      while (hexValue(bytes[size]) >= 0) size += 1;
      if (offset + size > wrong || size === bytes.length) return [];
      return partsFrom(offset, ['chunk-size', size]);
    }
    default:
      return [];
  }
}
