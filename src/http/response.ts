/** Responses in, bytes out (9112 §4, §6; 9110 §6.6.1, §8.6). */
import { constants } from 'node:buffer';
import { equalsIgnoreCase, skipToken, trimOws } from './grammar';
import type { Field, Response } from './message';
import type { ProtocolError } from './protocol-error';
import { REASON_PHRASES, type Status } from './status';

/** The interim response that asks for the content (9110 §15.2.1). */
export const CONTINUE_MESSAGE = 'HTTP/1.1 100 Continue\r\n\r\n';

/** Why a response of the service cannot be sent. */
export class UnsendableResponse extends Error {
  override toString(): string {
    return this.message;
  }
}

/** The fields that are decided here, even if only by not writing them: a service must not
 * send them. Connection would have to name the last two (9110 §7.6.1, §7.8). */
const OWN_FIELDS = [
  'Content-Type',
  'Content-Length',
  'Transfer-Encoding',
  'Date',
  'Connection',
  'Keep-Alive',
  'Upgrade',
];
const JSON_TYPE = 'application/json';
const NO_FIELDS: readonly string[] = [];
/** The most messages that are kept. */
const KEPT_MESSAGES = 64;
/** The most bytes of the body of a message that is kept. */
const SHORT_BODY = 1024;

/** A response that can be sent. The program can no longer change anything in it. */
export interface CheckedResponse {
  readonly status: Status;
  readonly body: string;
  readonly contentType: string;
  /** Further field lines, without their line ends. */
  readonly fieldLines: readonly string[];
  /** Whether the service gave nothing but a body, and status 200. */
  readonly isPlain: boolean;
}

/** The most characters that a response of the service may have. The whole message is one
 * string, and the status line and our own fields need some of its length. */
const LONGEST = constants.MAX_STRING_LENGTH - 160;

/** What a client gets if the service, or its response, is at fault. All its properties are
 * its own: what a program adds to Object.prototype cannot spoil it. */
export const INTERNAL_ERROR: CheckedResponse = {
  status: 500,
  body: JSON.stringify({ error: 'The service failed to respond to this request' }),
  contentType: JSON_TYPE,
  fieldLines: NO_FIELDS,
  isPlain: false,
};

export class ResponseSerializer {
  private second = NaN;
  private date = '';
  /** This second's plain messages, by body. Most services send a few of them, over and
   * over, and keeping these makes pipelining a third cheaper. */
  private readonly plain = new Map<string, string>();

  /** @param clock milliseconds since 1970, as Date.now() gives them */
  constructor(private readonly clock: () => number) {}

  /** Checks what a service returned. It reads each property once, because a getter could
   * give something else the next time.
   * @throws UnsendableResponse, or whatever a getter of the response throws */
  check(response: Response): CheckedResponse {
    if (response === undefined || response === null) {
      throw new UnsendableResponse(`the response is ${String(response)}`);
    }
    const { status, body, contentType, headers } = response;
    const isPlain = status === 200 && contentType === undefined && headers === undefined;
    if (isPlain && this.plain.has(body)) {
      return { status, body, contentType: JSON_TYPE, fieldLines: NO_FIELDS, isPlain };
    }
    return { ...checkParts(status, body, contentType, headers), isPlain };
  }

  /** @param connectionOption the value of the Connection field, if the response has one
   * @returns the whole message, each character one byte, to be written at once */
  serialize(response: CheckedResponse, method: string, connectionOption?: string): string {
    const { body, isPlain } = response;
    this.updateDate();
    const mayBeKept = isPlain && method !== 'HEAD' && connectionOption === undefined;
    const kept = mayBeKept ? this.plain.get(body) : undefined;
    if (kept !== undefined) return kept;

    const message = makeMessage(response, method, this.date, connectionOption);
    if (mayBeKept && body.length <= SHORT_BODY && this.plain.size < KEPT_MESSAGES) {
      this.plain.set(body, message);
    }
    return message;
  }

  /** The response to a rejected request, after which the connection closes. */
  serializeError(error: ProtocolError, method: string): string {
    // In an object, JSON.stringify() would call a toJSON() that a program may have added.
    const body = `{"error":${JSON.stringify(error.message)}}`;
    return this.serialize(
      { ...INTERNAL_ERROR, status: error.status, body },
      method,
      'close',
    );
  }

  /** Sets Date to what the clock says now (9110 §6.6.1). */
  private updateDate(): void {
    const second = Math.floor(this.clock() / 1000);
    if (second === this.second) return;
    this.second = second;
    this.date = new Date(second * 1000).toUTCString();
    this.plain.clear();
  }
}

/** A status line, the field lines, an empty line, and the content.
 * @param method of the request: HEAD gets no content, and no Content-Length, which would
 * have to be that of GET (9110 §8.6, §9.3.2) */
function makeMessage(
  { status, body, contentType, fieldLines }: CheckedResponse,
  method: string,
  date: string,
  connectionOption: string | undefined,
): string {
  // What follows the fields of a 2xx to CONNECT would be the tunnel's (9110 §9.3.6).
  const isTunnel = method === 'CONNECT' && status < 300;
  const omitBody = status === 204 || method === 'HEAD' || isTunnel;
  const lines = [`HTTP/1.1 ${status} ${REASON_PHRASES[status]}`];
  if (status !== 204) lines.push(`Content-Type: ${contentType}`);
  if (!omitBody) lines.push(`Content-Length: ${body.length}`);
  lines.push(`Date: ${date}`);
  if (connectionOption !== undefined) lines.push(`Connection: ${connectionOption}`);
  // Not with push(...): as its arguments, very many field lines would overflow the stack.
  return lines.concat(fieldLines, '', omitBody ? '' : body).join('\r\n');
}

// A program in JavaScript may return anything, so nothing is taken for granted here.

function checkParts(
  status: Status,
  body: string,
  contentType: string | undefined,
  headers: Iterable<Field> | undefined,
): Omit<CheckedResponse, 'isPlain'> {
  checkStatus(status);
  checkBody(body, status);
  const type = checkContentType(contentType);
  const fieldLines =
    headers === undefined
      ? NO_FIELDS
      : [...headers].map(({ name, value }) => fieldLine(name, value));
  const lengths = [body, type, ...fieldLines].map((text) => text.length + '\r\n'.length);
  if (lengths.reduce((sum, length) => sum + length) > LONGEST) {
    throw new UnsendableResponse('the response is too long for a string');
  }
  return { status, body, contentType: type, fieldLines };
}

const STATUSES: ReadonlySet<unknown> = new Set(Object.keys(REASON_PHRASES).map(Number));

function checkStatus(status: unknown): void {
  if (STATUSES.has(status)) return;
  throw new UnsendableResponse(`status ${describe(status)} has no phrase`);
}

/** @returns a string in quotes, and anything else as JavaScript writes it: NaN, 5n,
 * Symbol(a) */
function describe(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

function checkBody(body: unknown, status: Status): void {
  if (typeof body !== 'string') throw new UnsendableResponse('the body is not a string');
  if (/[^\0-\xff]/.test(body)) {
    throw new UnsendableResponse(
      'the body has a character above U+00FF, which is not one byte',
    );
  }
  if (status === 204 && body !== '') {
    throw new UnsendableResponse('a response with status 204 has no content');
  }
}

function checkContentType(contentType: unknown): string {
  if (contentType === undefined) return JSON_TYPE;
  if (isFieldValue(contentType) && trimOws(contentType) !== '') return contentType;
  throw new UnsendableResponse('the content type is empty, or not a field value');
}

function fieldLine(name: unknown, value: unknown): string {
  if (!isToken(name)) throw new UnsendableResponse('a field name is not a token');
  if (!isFieldValue(value)) {
    throw new UnsendableResponse(`the value of ${name} is not a field value`);
  }
  const own = OWN_FIELDS.find((field) => equalsIgnoreCase(name, field));
  if (own !== undefined) {
    throw new UnsendableResponse(`${own} is not for a service to send`);
  }
  return `${name}: ${value}`;
}

function isToken(name: unknown): name is string {
  if (!isFieldValue(name) || name === '') return false;
  return skipToken(Buffer.from(name, 'latin1'), 0, name.length) === name.length;
}

/** The characters of a field value (9110 §5.5). */
function isFieldValue(value: unknown): value is string {
  return typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}
