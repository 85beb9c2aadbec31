/** Hints about the most common mistake of all: content whose length is wrong, or missing.
 * The server then reads the rest of the content as a request, or part of the next request
 * as content. */
import type { Framing } from './framing';
import { Byte } from './grammar';

/** A request whose content may go on where it should have ended. */
export interface RequestBefore {
  readonly framing: Framing['kind'];
  /** How many bytes of content it had. */
  readonly size: number;
}

/** @returns what to remember of a request, if its content may go on */
export function beforeNext(
  method: string,
  { kind: framing }: Framing,
  size: number,
): RequestBefore | undefined {
  const usuallyHasContent = method === 'POST' || method === 'PUT' || method === 'PATCH';
  return framing !== 'none' || usuallyHasContent ? { framing, size } : undefined;
}

/** @param text what cannot be a request line, up to the byte that ends it if that has
 * arrived
 * @param hint the one that the error has already, or ''
 * @returns what may have happened, or '' if nothing is likely */
export function hintOnRequestBefore(
  before: RequestBefore,
  text: string,
  hint: string,
): string {
  // Behind content, a LF alone is the end of a text file rather than a line of a terminal.
  const isEndOfFile = text === '\n' && before.framing === 'length';
  if (hint !== '' && !isEndOfFile) return hint;
  const line = isEndOfFile ? text : text.replace(/[\r\n]$/, '');
  if (line === '' || isNearlyRequestLine(line)) return '';
  if (before.framing === 'none') {
    return 'this may be the content of the previous request, which had no Content-Length';
  }
  const isLength = before.framing === 'length';
  const ended = `the request before ended after ${count(before.size)} of content`;
  const why = isLength ? 'as its Content-Length said' : 'with its last chunk';
  if (isEndOfLine(line)) return `${ended}, ${why}: did it have fewer?`;
  const unit = isLength ? ', counted in bytes and not in characters' : '';
  return `${ended}, ${why}: did it have more${unit}?`;
}

/** Whether this starts as a request line does: with a method in capitals, or a word and a
 * target. */
function isNearlyRequestLine(line: string): boolean {
  return /^(?:[A-Z][A-Z-]* |[A-Za-z][A-Za-z-]* (?:[/*]|https?:))/.test(line);
}

/** Whether this may be the end of a request line, such as "P/1.1" or "/tasks HTTP/1.1", or
 * of a field line, such as ": a": what is left where content has taken the bytes before
 * it. */
function isEndOfLine(line: string): boolean {
  const isEndOfRequestLine = /^(?: ?[^ ]+ )?(?: ?HTTP|TTP|TP|P)?\/\d\.\d$/.test(line);
  return isEndOfRequestLine || /^[\w-]*: /.test(line);
}

/** @param left how many bytes of content are missing */
export function hintOnMissingContent(size: number, left: number): string {
  return `its Content-Length said ${count(size)}: did it have ${fewer(size - left)}?`;
}

/** @param left how many bytes of the data are missing */
export function hintOnMissingData(size: number, left: number): string {
  return `the size of this chunk said ${countInHex(size)}: did it have ${fewer(size - left)}?`;
}

function fewer(bytes: number): string {
  return bytes === 0 ? 'none' : `only ${bytes}`;
}

/** @param data of a chunk, after which its CRLF is not where it should be */
export function hintOnChunk(data: Buffer): string {
  const more = mayHoldItsEnd(data) ? 'fewer' : 'more';
  return `the size of this chunk said ${countInHex(data.length)}: did it have ${more}?`;
}

/** Whether the CRLF after the data may have arrived earlier, so that the server took it, or
 * its CR, for data. */
export function mayHoldItsEnd(data: Buffer): boolean {
  return data.includes('\r\n') || data.at(-1) === Byte.CR;
}

/** @param line what cannot be a chunk line
 * @param data of the chunk before it: where its size is wrong, this line is a part of the
 * data, or it follows what the server took for data */
export function hintOnChunkBefore(line: string, data: Buffer): string {
  if (data.length === 0 || isNearlyChunkLine(line)) return '';
  // Before these, it is more likely that the last chunk is missing.
  const isAfterContent = line === '' || isNearlyRequestLine(line);
  if (isAfterContent && !mayHoldItsEnd(data)) return '';
  return `the size of the chunk before said ${countInHex(data.length)}: was that right?`;
}

/** Whether only the way in which the size is written is wrong. */
function isNearlyChunkLine(line: string): boolean {
  return /^[ \t]*[+-]?(?:0x)?[\da-f][\da-f_]*[ \t]*(?:;|$)/i.test(line);
}

function count(bytes: number): string {
  return bytes === 1 ? '1 byte' : `${bytes} bytes`;
}

function countInHex(bytes: number): string {
  return bytes < 10
    ? count(bytes)
    : `${count(bytes)}, ${bytes.toString(16)} in hexadecimal`;
}
