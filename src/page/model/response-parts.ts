/** The parts of a response, as ResponseSerializer writes them (9112 §4). */
import { partsFrom, type LineKind, type LineParts, type PartName } from '../../http/parts';

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
