/** The parts of a response: as ResponseSerializer writes them (9112 §4), or as a client reads
 * what somebody has written by hand. */
import { partsFrom, type LineKind, type LineParts, type PartName } from '../../http/parts';
import { ResponseReader } from '../../study/response-reader';

/** A message in what was written by hand. */
export interface Written {
  readonly text: string;
  /** Where it starts in all that was written. */
  readonly from: number;
  readonly status: string;
  /** Its lines, and the names of those that are fields. */
  readonly lines: readonly (LineParts & { readonly name: string })[];
}

/** @param text a character for each byte
 * @param method of the request
 * @returns each interim response, and what comes after them */
export function readReply(text: string, method: string): Written[] {
  const lines: LineParts[] = [];
  const describe = (line: LineParts): void => void lines.push(line);
  const reader = new ResponseReader({ methods: [method], describe });
  reader.push(text);
  const starts = [0];
  for (let read = reader.next(); read.kind === 'response'; read = reader.next())
    if (read.isInterim) starts.push(read.offset + read.bytes.length);
  return starts
    .filter((from, index) => index === 0 || from < text.length)
    .map((from, index) => {
      const to = starts[index + 1] ?? text.length;
      const own = text.slice(from, to);
      const [, status = '??? no status line'] = /^\s*HTTP\/\S+ +([^\r\n]*)/.exec(own) ?? [];
      const isOwn = ({ parts: [first] }: LineParts): boolean =>
        first !== undefined && first.offset >= from && first.offset < to;
      const moved = lines.filter(isOwn).map(({ kind, parts }) => {
        const name = parts.find((part) => part.name === 'field-name');
        const { length = 0, offset = 0 } = name ?? {};
        return {
          kind,
          name: text.slice(offset, offset + length),
          parts: parts.map((part) => ({ ...part, offset: part.offset - from })),
        };
      });
      return { text: own, from, status, lines: moved };
    });
}

/** @param message a message that the server wrote; where a service could end it, there is
 * another one in it
 * @param from the offset of its first byte
 * @returns the parts of each line, and of the content */
export function responseParts(message: string, from = 0): LineParts[] {
  const described: LineParts[] = [];
  let offset = from;
  const describe = (kind: LineKind, ...parts: [name: PartName, length: number][]): void => {
    const own = partsFrom(offset, ...parts);
    for (const [, length] of parts) offset += length;
    if (own.length > 0) described.push({ kind, parts: own });
  };

  const headLength = message.indexOf('\r\n\r\n');
  const [statusLine = '', ...fieldLines] = message.slice(0, headLength).split('\r\n');
  describe(
    'status line',
    ['HTTP-version', 'HTTP/1.1'.length],
    ['SP', 1],
    ['status-code', 3],
    ['SP', 1],
    ['reason-phrase', statusLine.length - 'HTTP/1.1 200 '.length],
    ['CRLF', 2],
  );
  for (const line of fieldLines) {
    const colon = line.indexOf(':');
    describe(
      'header field line',
      ['field-name', colon],
      ['colon', 1],
      ['OWS', 1],
      ['field-value', line.length - colon - 2],
      ['CRLF', 2],
    );
  }
  describe('end of the header section', ['CRLF', 2]);
  const rest = message.slice(headLength + '\r\n\r\n'.length);
  const [, digits = '0'] =
    /\r\nContent-Length: (\d+)\r\n/i.exec(message.slice(0, headLength + 2)) ?? [];
  const next = rest.slice(Number(digits));
  if (!/^HTTP\/1\.1 \d{3} [^]*\r\n\r\n/.test(next)) {
    describe('content', ['content', rest.length]);
    return described;
  }
  describe('content', ['content', rest.length - next.length]);
  return [...described, ...responseParts(next, offset)];
}
