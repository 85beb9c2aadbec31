/** How the probe and the naive proxy find the end of a response (9112 §6.3). The reader is
 * lenient: both programs are about how a server reads, not about how it writes. */

export interface NaiveResponse {
  readonly kind: 'response';
  readonly status: number;
  /** Its status code and its reason phrase, such as "200 OK". */
  readonly statusText: string;
  /** The first value of each field, by its name in lower case. */
  readonly fields: ReadonlyMap<string, string>;
  /** Whether the final response is still to come (9110 §15.2). */
  readonly isInterim: boolean;
  /** Nothing follows on this connection: it says "close", is HTTP/1.0 without "keep-alive",
   * or ends with the connection. */
  readonly closes: boolean;
  /** The index after it. It is Infinity where only the end of the connection ends it. */
  readonly end: number;
}

/** - part: the end of the response is still to come
 *  - garbage: it is no HTTP/1.x response, as the reason says */
export type NaiveOutcome =
  | NaiveResponse
  | { readonly kind: 'part'; readonly size: number }
  | { readonly kind: 'garbage'; readonly reason: string };

/** Some servers repeat the version of the request, whatever it is. */
const STATUS_LINE = /^HTTP\/\d\.(\d) ((\d{3})(?: [^\r\n]*)?)\r?\n/;
const START = 'HTTP/1.1 200';

/** Reads the response that begins at an index.
 * @param text one character for each byte
 * @param isToHead whether the request has the method HEAD, so that there is no content */
export function readResponse(text: string, at: number, isToHead: boolean): NaiveOutcome {
  const part: NaiveOutcome = { kind: 'part', size: text.length - at };
  const lineEnd = text.indexOf('\n', at) + 1;
  const line = text.slice(at, lineEnd === 0 ? at + START.length : lineEnd);
  const isStatusLine =
    'HTTP/'.startsWith(line.slice(0, 5)) && !/^HTTP\/\d?[^\d.]/.test(line);
  if (!isStatusLine) return { kind: 'garbage', reason: 'something other than a response' };
  if (lineEnd === 0) return part;
  const [, minor, statusText = '', code] = STATUS_LINE.exec(line) ?? [];
  if (code === undefined) return { kind: 'garbage', reason: 'a malformed status line' };
  const contentStart = findEmptyLineEnd(text, lineEnd - 1);
  if (contentStart < 0) return part;

  const fields = readFields(text.slice(lineEnd, contentStart));
  const status = Number(code);
  const isInterim = status < 200 && status !== 101;
  const hasContent = status >= 200 && status !== 204 && status !== 304 && !isToHead;
  const end = hasContent ? findContentEnd(text, contentStart, fields) : contentStart;
  if (Number.isNaN(end)) return { kind: 'garbage', reason: 'a malformed chunk line' };
  if (end > text.length && end !== Infinity) return { kind: 'part', size: end - at };
  const connection = (fields.get('connection') ?? '').toLowerCase();
  const persists = minor !== '0' || connection.includes('keep-alive');
  const closes = end === Infinity || connection.includes('close') || !persists;
  return { kind: 'response', status, statusText, fields, isInterim, closes, end };
}

/** @returns the index after the next empty line, or -1 */
function findEmptyLineEnd(text: string, from: number): number {
  for (let end = text.indexOf('\n', from); end >= 0; end = text.indexOf('\n', end + 1)) {
    if (text[end + 1] === '\n') return end + 2;
    if (text[end + 1] === '\r' && text[end + 2] === '\n') return end + 3;
  }
  return -1;
}

function readFields(section: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const line of section.split('\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    if (!fields.has(name)) fields.set(name, line.slice(colon + 1).trim());
  }
  return fields;
}

/** @returns the index after the content, which may not have arrived; Infinity where it ends
 * with the connection; or NaN where it is malformed */
function findContentEnd(
  text: string,
  from: number,
  fields: ReadonlyMap<string, string>,
): number {
  if (/\bchunked\b/i.test(fields.get('transfer-encoding') ?? '')) {
    return findLastChunkEnd(text, from);
  }
  const length = fields.get('content-length') ?? '';
  return /^\d+$/.test(length) ? from + Number(length) : Infinity;
}

function findLastChunkEnd(text: string, from: number): number {
  const missing = text.length + 1;
  for (let at = from; at < text.length;) {
    const lineEnd = text.indexOf('\n', at);
    if (!/^[\da-f]/i.test(text.slice(at, at + 1))) return NaN;
    if (lineEnd < 0) return missing;
    const size = Number.parseInt(text.slice(at, at + 16), 16);
    // The trailer section follows the line of the last chunk as field lines follow a status
    // line.
    if (size === 0) {
      const trailerEnd = findEmptyLineEnd(text, lineEnd);
      return trailerEnd < 0 ? missing : trailerEnd;
    }
    at = lineEnd + 1 + size + '\r\n'.length;
    if (at > text.length) return at;
  }
  return missing;
}
