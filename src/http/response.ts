/** Turns responses into messages, a character for each byte. */
import { equalsIgnoreCase, trimOws } from './grammar';
import { REASON_PHRASES, type Field, type Response } from './message';
import type { ReceivedRequest, Rejected } from './outcome';

/** The interim response that asks for the content (9110 §15.2.1). */
export const CONTINUE_MESSAGE = 'HTTP/1.1 100 Continue\r\n\r\n';

/** status-line = HTTP-version SP status-code SP [ reason-phrase ]                 (9112 §4) */
const STATUS_LINES = new Map<unknown, string>(
  Object.entries(REASON_PHRASES).map(([status, phrase]) => [
    Number(status),
    `HTTP/1.1 ${status} ${phrase}\r\n`,
  ]),
);

/** The fields that are decided here, even if only by not writing them: a service must not
 * send them. Connection would have to name the last two (9110 §7.6.1, §7.8). */
// prettier-ignore
const OWN_FIELDS = [
  'Content-Type', 'Content-Length', 'Transfer-Encoding', 'Trailer', 'Date', 'Connection',
  'Keep-Alive', 'Upgrade',
];

/** Why a response of the service cannot be sent. */
export class UnsendableResponse extends Error {
  /** The place where it is thrown is of no use to the author of the service. */
  override readonly stack = '';

  override toString(): string {
    return this.message;
  }
}

/** What a service may leave out. With it, all properties of a response are its own: what a
 * program adds to Object.prototype cannot spoil it. */
const JSON_ALONE = { contentType: 'application/json', headers: [], trailers: [] };

/** What a client gets if the service, or its response, is at fault. */
export const INTERNAL_ERROR: Response = {
  ...JSON_ALONE,
  status: 500,
  body: JSON.stringify({ error: 'The service failed to respond to this request' }),
};

/** What the message depends on of the request that it answers. */
export type Asked = Pick<ReceivedRequest, 'method' | 'minorVersion'>;

/** Writes a response from top to bottom (9112 §4): the status line, the fields, an empty
 * line, and the content. A program in JavaScript may return anything as a response, so
 * each part is checked where it is written, and the trailers before the field that names them.
 * @param connectionOption the value of the Connection field, if the response has one
 * @param date the line of the Date field
 * @returns the whole message, each character one byte, to be written at once
 * @throws UnsendableResponse, or whatever a getter of the response throws */
export function writeResponse(
  { status, body, contentType, headers = [], trailers = [] }: Response,
  { method, minorVersion }: Asked,
  connectionOption: string | undefined,
  date: string,
): string {
  let message = statusLine(status);

  // These statuses have no content (9110 §15.3.5, §15.3.6, §15.4.5).
  const isEmpty = status === 204 || status === 205 || status === 304;
  if (!isEmpty) message += contentTypeLine(contentType);
  checkBody(body);
  const trailerLines = fieldLines(trailers);
  if (isEmpty && (body !== '' || trailerLines.length > 0)) {
    throw new UnsendableResponse(`a response with status ${status} has no content`);
  }
  // The message ends with its fields here, whatever they say of content (9112 §6.3, rules
  // 1 and 2). So none of them says how long it is: to HEAD, that would have to be what GET
  // gets (9110 §8.6).
  const isTunnel = method === 'CONNECT' && status < 300;
  const endsWithFields = status === 204 || status === 304 || method === 'HEAD' || isTunnel;
  // HTTP/1.0 knows no chunks (9112 §6.1). Trailer fields may be dropped (9110 §6.5.1).
  const isChunked = trailerLines.length > 0 && minorVersion > 0;
  if (isChunked && !endsWithFields) {
    const names = trailerLines.map((line) => line.slice(0, line.indexOf(':'))).join(', ');
    message += `Transfer-Encoding: chunked\r\nTrailer: ${names}\r\n`;
  } else if (!endsWithFields) {
    message += `Content-Length: ${body.length}\r\n`;
  }
  message += date;
  if (connectionOption !== undefined) message += `Connection: ${connectionOption}\r\n`;
  for (const line of fieldLines(headers)) message += line;

  message += '\r\n';
  if (endsWithFields) return message;
  if (!isChunked) return message + body;
  if (body !== '') message += `${body.length.toString(16)}\r\n${body}\r\n`;
  return `${message}0\r\n${trailerLines.join('')}\r\n`;
}

/** A longer body takes longer to look up than to write. */
const SHORT_BODY = 512;
const KEPT_MESSAGES = 64;

/** Writes the responses of a server, with the Date of the moment (9110 §6.6.1). Most services
 * send a few of them over and over. Those that follow from a short body alone are written
 * once a second, which makes a pipelined request a tenth cheaper. */
export class ResponseWriter {
  /** This second, since 1970, and the line of its Date field. */
  private second = NaN;
  private date = '';
  /** The messages of this second, by body: KEPT_MESSAGES at most. */
  private readonly kept = new Map<string, string>();

  /** @param clock milliseconds since 1970, as Date.now() gives them */
  constructor(private readonly clock: () => number) {}

  /** @returns what writeResponse() returns */
  write(
    { status, body, contentType, headers, trailers }: Response,
    asked: Asked,
    connectionOption: string | undefined,
  ): string {
    const second = Math.floor(this.clock() / 1000);
    if (second !== this.second) this.beginSecond(second);

    const { method } = asked;
    const isShort = typeof body === 'string' && body.length <= SHORT_BODY;
    const hasFields =
      contentType !== undefined || headers !== undefined || trailers !== undefined;
    const isUsual = status === 200 && method !== 'HEAD' && method !== 'CONNECT';
    const mayBeKept = isShort && isUsual && !hasFields && connectionOption === undefined;
    const kept = mayBeKept ? this.kept.get(body) : undefined;
    if (kept !== undefined) return kept;

    // A copy, because a getter of the response could give something else the next time.
    const response = { status, body, contentType, headers, trailers };
    const message = writeResponse(response, asked, connectionOption, this.date);
    const isKept = mayBeKept && this.kept.size < KEPT_MESSAGES;
    if (isKept) this.kept.set(copyOf(body), copyOf(message));
    return message;
  }

  private beginSecond(second: number): void {
    this.second = second;
    this.date = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
    this.kept.clear();
  }

  /** The response to a rejected request, after which the connection closes. */
  writeRejection({ error, method }: Rejected): string {
    // In an object, JSON.stringify() would call a toJSON() that a program may have added.
    const body = `{"error":${JSON.stringify(error.message)}}`;
    const response = { ...JSON_ALONE, status: error.status, body };
    return this.write(response, { method, minorVersion: 1 }, 'close');
  }
}

/** @returns the same text by itself: part of a longer one would keep all of that */
function copyOf(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

function statusLine(status: unknown): string {
  const line = STATUS_LINES.get(status);
  if (line !== undefined) return line;
  const shown = typeof status === 'string' ? JSON.stringify(status) : String(status);
  throw new UnsendableResponse(`status ${shown} has no phrase`);
}

function checkBody(body: unknown): void {
  if (typeof body !== 'string') throw new UnsendableResponse('the body is not a string');
  if (!/[^\0-\xff]/.test(body)) return;
  const problem = 'the body has a character above U+00FF, which is not one byte';
  throw new UnsendableResponse(problem);
}

function contentTypeLine(contentType: unknown): string {
  if (contentType === undefined) return 'Content-Type: application/json\r\n';
  if (isFieldValue(contentType) && trimOws(contentType) !== '') {
    return `Content-Type: ${contentType}\r\n`;
  }
  throw new UnsendableResponse('the content type is empty, or not a field value');
}

function fieldLines(fields: readonly Field[]): string[] {
  if (!Array.isArray(fields)) throw new UnsendableResponse('the fields are not a list');
  const lines: string[] = [];
  for (const { name, value } of fields) lines.push(fieldLine(name, value));
  return lines;
}

/** field-line = field-name ":" OWS field-value OWS                             (9112 §5) */
function fieldLine(name: unknown, value: unknown): string {
  if (!isToken(name)) throw new UnsendableResponse('a field name is not a token');
  if (!isFieldValue(value)) {
    throw new UnsendableResponse(`the value of ${name} is not a field value`);
  }
  const own = OWN_FIELDS.find((field) => equalsIgnoreCase(name, field));
  if (own === undefined) return `${name}: ${value}\r\n`;
  throw new UnsendableResponse(`${own} is not for a service to send`);
}

function isToken(name: unknown): name is string {
  return typeof name === 'string' && /^[!#$%&'*+.^_`|~\w-]+$/.test(name);
}

/** The characters of a field value (9110 §5.5). */
function isFieldValue(value: unknown): value is string {
  return typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}
