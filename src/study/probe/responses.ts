/** Reads the responses in the bytes that a server sent. It is lenient, because the probe is
 * about what the server reads, not about what it writes. */

export interface ReceivedResponse {
  readonly status: number;
  /** Nothing follows on this connection: it says "close", or is HTTP/1.0 without
   * "keep-alive". */
  readonly closes: boolean;
  /** The value of its Server field. */
  readonly server: string;
}

export interface Received {
  /** The final responses that are complete, in order. */
  readonly responses: readonly ReceivedResponse[];
  /** How many interim responses (1xx) there were. */
  readonly interim: number;
  /** The bytes from where something begins that is not an HTTP/1.x response. */
  readonly garbage: string | undefined;
}

/** Some servers repeat the version of the request, whatever it is. */
const STATUS_LINE = /^HTTP\/\d\.(\d) (\d{3})(?= |\r?\n)/;

/** @param text one character for each byte
 * @param isHead whether the first request has the method HEAD, so its response has no
 * content
 * @param hasEnded whether the server has closed its side */
export function readResponses(text: string, isHead: boolean, hasEnded: boolean): Received {
  const responses: ReceivedResponse[] = [];
  let interim = 0;
  let at = 0;
  while (at < text.length) {
    const [, minor, code] = STATUS_LINE.exec(text.slice(at, at + 64)) ?? [];
    if (code === undefined) {
      const rest = text.slice(at);
      // The beginning of a status line may be all that has arrived so far.
      const isPart =
        rest.length < 'HTTP/1.1 200 '.length && 'HTTP/'.startsWith(rest.slice(0, 5));
      return { responses, interim, garbage: isPart && !hasEnded ? undefined : rest };
    }
    const headEnd = findEmptyLineEnd(text, at);
    if (headEnd < 0) break;
    const head = text.slice(at, headEnd);
    const status = Number(code);
    if (status < 200 && status !== 101) {
      interim += 1;
      at = headEnd;
      continue;
    }
    const hasContent = status >= 200 && status !== 204 && status !== 304;
    const isForHead = isHead && responses.length === 0;
    const end = hasContent && !isForHead ? findContentEnd(text, head, headEnd) : headEnd;
    // Content without a length ends with the connection.
    const isComplete = end <= text.length || (end === Infinity && hasEnded);
    if (!isComplete) break;
    const connection = fieldOf(head, 'connection').toLowerCase();
    const isPersistent = minor !== '0' || connection.includes('keep-alive');
    responses.push({
      status,
      closes: end === Infinity || connection.includes('close') || !isPersistent,
      server: fieldOf(head, 'server'),
    });
    at = end;
  }
  return { responses, interim, garbage: undefined };
}

/** @returns the index after the next empty line, or -1 */
function findEmptyLineEnd(text: string, from: number): number {
  for (let end = text.indexOf('\n', from); end >= 0; end = text.indexOf('\n', end + 1)) {
    if (text[end + 1] === '\n') return end + 2;
    if (text[end + 1] === '\r' && text[end + 2] === '\n') return end + 3;
  }
  return -1;
}

/** @returns the index after the content, which may not have arrived; or Infinity */
function findContentEnd(text: string, head: string, from: number): number {
  if (/\bchunked\b/i.test(fieldOf(head, 'transfer-encoding')))
    return findLastChunkEnd(text, from);
  const length = fieldOf(head, 'content-length');
  return /^\d+$/.test(length) ? from + Number(length) : Infinity;
}

function findLastChunkEnd(text: string, from: number): number {
  let at = from;
  for (;;) {
    const end = text.indexOf('\n', at);
    const size = Number.parseInt(text.slice(at, at + 16), 16);
    if (end < 0 || Number.isNaN(size)) return text.length + 1;
    // The trailer section follows the line of the last chunk as field lines follow a status
    // line.
    if (size === 0) {
      const trailerEnd = findEmptyLineEnd(text, end);
      return trailerEnd < 0 ? text.length + 1 : trailerEnd;
    }
    at = end + 1 + size + '\r\n'.length;
  }
}

/** @param name in lower case
 * @returns the value of the first field line with this name, or '' */
function fieldOf(head: string, name: string): string {
  for (const line of head.split('\n')) {
    const colon = line.indexOf(':');
    if (colon === name.length && line.slice(0, colon).toLowerCase() === name) {
      return line.slice(colon + 1).trim();
    }
  }
  return '';
}
