/** What the RFC asks of the responses that the cases bring about. */
import type { ReceivedResponse } from '../response-reader';
import type { Conversation } from './conversation';

export interface ResponseRule {
  readonly name: string;
  /** The RFC and its section: "9110 15.5.6". */
  readonly section: string;
  /** What a server does that breaks it. */
  readonly what: string;
  /** Whether it is certain that a rule is broken. Only a server with a clock has to send
   * Date, and nobody sees whether it has one. */
  readonly isCertain: boolean;
  readonly isBroken: (request: string, conversation: Conversation) => boolean;
}

const rule = (
  name: string,
  section: string,
  what: string,
  isBroken: ResponseRule['isBroken'],
  isCertain = true,
): ResponseRule => ({ name, section, what, isBroken, isCertain });

const has = (fields: ReceivedResponse['fields'], name: string): boolean =>
  fields.some((field) => field.name.toLowerCase() === name);

export const RESPONSE_RULES: readonly ResponseRule[] = [
  rule('allow', '9110 15.5.6', 'A 405 response without Allow', (_, { responses }) =>
    responses.some(({ status, fields }) => status === 405 && !has(fields, 'allow')),
  ),
  rule(
    'head-content',
    '9110 9.3.2',
    'Content after the response to HEAD',
    (request, { responses, garbage }) =>
      request.startsWith('HEAD ') && responses.length === 1 && garbage !== undefined,
  ),
  rule(
    '204-content',
    '9110 15.3.5',
    'Content after a 204 response',
    (_, { responses, garbage }) =>
      responses.at(-1)?.status === 204 && garbage !== undefined,
  ),
  rule('204-length', '9110 8.6', 'Content-Length in a 204 response', (_, { responses }) =>
    responses.some(({ status, fields }) => status === 204 && has(fields, 'content-length')),
  ),
  rule(
    '204-coding',
    '9112 6.1',
    'Transfer-Encoding in a 204 response',
    (_, { responses }) =>
      responses.some(
        ({ status, fields }) => status === 204 && has(fields, 'transfer-encoding'),
      ),
  ),
  rule(
    'interim-1-0',
    '9110 15.2',
    'An interim response (1xx) to an HTTP/1.0 client',
    (request, { interim }) => interim > 0 && /^\S+ \S+ HTTP\/1\.0\r\n/.test(request),
  ),
  rule(
    'date',
    '9110 6.6.1',
    'A response without Date, which a server with a clock has to send',
    (_, { responses }) =>
      responses.some(
        ({ status, fields }) => status >= 200 && status < 500 && !has(fields, 'date'),
      ),
    false,
  ),
];

/** @returns the names of the rules that a server has broken in a conversation */
export function findFaults(request: string, conversation: Conversation): string[] {
  return RESPONSE_RULES.filter(({ isBroken }) => isBroken(request, conversation)).map(
    ({ name }) => name,
  );
}
