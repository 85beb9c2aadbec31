/** Hints about the most common mistake of all: content whose length is wrong, or missing.
 * The server then reads the rest of the content as a request, or part of the next request
 * as content. */
import { count } from '../text/text';
import type { Framing } from './framing';
import { Byte } from './grammar';
import type { Announced } from './outcome';
import type { ProtocolError } from './protocol-error';

/** A request whose content may go on where it should have ended. */
export interface RequestBefore {
  readonly framing: Framing['kind'];
  /** How many bytes of content it had. */
  readonly size: number;
}

/** What starts as a request line does: with a method in capitals, or a word and a target. */
const NEARLY_REQUEST_LINE = /^(?:[A-Z][A-Z-]* |[A-Za-z][A-Za-z-]* (?:[/*]|https?:))/;
/** What may be the end of a request line, such as "P/1.1" or "/tasks HTTP/1.1", or of a field
 * line, such as ": a": what is left where content has taken the bytes before it. */
const END_OF_LINE = /^(?:(?: ?[^ ]+ )?(?: ?HTTP|TTP|TP|P)?\/\d\.\d$|[\w-]*: )/;
/** What would be a chunk line if its size were written in another way. */
const NEARLY_CHUNK_LINE = /^[ \t]*[+-]?(?:0x)?[\da-f][\da-f_]*[ \t]*(?:;|$)/i;

/** @param text what cannot be a request line, up to the byte that ends it if that has
 * arrived
 * @param error its hint is kept, unless this one is likelier. That of a 408 asks nothing,
 * because a client that is still sending is slow, and has made no mistake
 * @returns what may have happened, or '' if nothing is likely */
export function hintOnRequestBefore(
  { framing, size }: RequestBefore,
  text: string,
  { hint, status }: ProtocolError,
): string {
  // Behind content, a LF alone is the end of a text file rather than a line of a terminal.
  const isEndOfFile = text === '\n' && framing === 'length';
  if (hint !== '' && !isEndOfFile) return hint;
  const line = isEndOfFile ? text : text.replace(/[\r\n]$/, '');
  if (line === '' || NEARLY_REQUEST_LINE.test(line)) return '';
  if (framing === 'none') {
    return 'this may be the content of the previous request, which had no Content-Length';
  }
  const isLength = framing === 'length';
  const why = isLength ? 'as its Content-Length said' : 'with its last chunk';
  const ended = `the request before ended after ${count(size)} of content, ${why}`;
  if (status === 408) return ended;
  if (END_OF_LINE.test(line)) return `${ended}: did it have fewer?`;
  const unit = isLength ? ', counted in bytes and not in characters' : '';
  return `${ended}: did it have more${unit}?`;
}

/** The hint for a client that ends before all that it has announced has arrived. */
export function hintOnEnd({ by, size, arrived }: Announced): string {
  const fewer = arrived === 0 ? 'none' : `only ${arrived}`;
  return `${by} said ${countOf(by, size)}: did it have ${fewer}?`;
}

/** The hint for a client that is slow: it states facts. */
export function hintOnTimeout({ by, size, arrived }: Announced): string {
  const have = arrived === 1 ? 'has' : 'have';
  return `${by} announced ${countOf(by, size)}, and ${arrived || 'none'} ${have} arrived`;
}

/** @param data of a chunk, after which its CRLF is not where it should be */
export function hintOnChunk(data: Buffer): string {
  const more = mayHoldItsEnd(data) ? 'fewer' : 'more';
  const said = countOf('the size of this chunk', data.length);
  return `the size of this chunk said ${said}: did it have ${more}?`;
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
  if (data.length === 0 || NEARLY_CHUNK_LINE.test(line)) return '';
  // Before these, it is more likely that the last chunk is missing.
  const isAfterContent = line === '' || NEARLY_REQUEST_LINE.test(line);
  if (isAfterContent && !mayHoldItsEnd(data)) return '';
  const said = countOf('the size of this chunk', data.length);
  return `the size of the chunk before said ${said}: was that right?`;
}

/** The size of a chunk is hexadecimal on the wire. */
function countOf(by: Announced['by'], size: number): string {
  const isHex = by === 'the size of this chunk' && size >= 10;
  return isHex ? `${count(size)}, ${size.toString(16)} in hexadecimal` : count(size);
}
