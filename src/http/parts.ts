/** The parts of a message: what each of its bytes is. They are named here, and only for a
 * trace: from what the parsers return, and those of a rejected line from its bytes. */
import type { ChunkLine } from './chunk-line';
import type { ControlFields } from './control-fields';
import { Byte, hexValue, skipToken } from './grammar';
import type { FieldLine } from './message';
import type { Excerpt, Line } from './receive-buffer';

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

export function requestLineParts(line: Line, method: string): Part[] {
  const around = method.length + ' '.length + ' HTTP/1.1'.length;
  return partsFrom(
    line.offsetOf(line.start),
    ['method', method.length],
    ['SP', 1],
    ['request-target', line.end - line.start - around],
    ['SP', 1],
    ['HTTP-version', 'HTTP/1.1'.length],
    ['CRLF', 2],
  );
}

export function fieldLineParts(line: Line, { name, value, offset }: FieldLine): Part[] {
  const start = line.offsetOf(line.start);
  const before = offset - start - name.length - ':'.length;
  const after = line.offsetOf(line.end) - offset - value.length;
  return partsFrom(
    start,
    ['field-name', name.length],
    ['colon', 1],
    ['OWS', before],
    ['field-value', value.length],
    ['OWS', after],
    ['CRLF', 2],
  );
}

/** Values that have a grammar of their own. They are parts of field lines, too. */
export function controlFieldParts(fields: ControlFields): Part[] {
  const named = [
    ['Host', fields.host],
    ['Connection', fields.connection],
    ['Content-Length', fields.contentLength],
    ['Transfer-Encoding', fields.transferEncoding],
    ['Expect', fields.expect],
  ] as const;
  return named.flatMap(([name, lines]) =>
    lines.flatMap(({ value, offset }) => partsFrom(offset, [name, value.length])),
  );
}

/** The parts of a chunk line and of the data after it, which may not have arrived. */
export function chunkParts(line: Line, { size, extensions }: ChunkLine): Part[] {
  return partsFrom(
    line.offsetOf(line.start),
    ['chunk-size', line.end - line.start - extensions],
    ['chunk-ext', extensions],
    ['CRLF', 2],
    ['chunk-data', size],
  );
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
