/** What the RFC asks of the responses that the cases bring about. */
import type { Conversation } from './conversation';

export interface ResponseRule {
  readonly name: string;
  /** The RFC and its section: "9110 15.5.6". */
  readonly section: string;
  /** What a server does that breaks it. */
  readonly what: string;
}

type Response = Conversation['responses'][number];

const has = ({ fields }: Response, name: string): boolean =>
  fields.some((field) => field.name.toLowerCase() === name);
const some =
  (isWrong: (response: Response) => boolean) =>
  (_: string, { responses }: Conversation): boolean =>
    responses.some(isWrong);

// prettier-ignore
const RULES: readonly (readonly [
  name: string, section: string, what: string,
  isBroken: (request: string, conversation: Conversation) => boolean,
])[] = [
  ['allow', '9110 15.5.6', 'A 405 response without Allow',
    some((one) => one.status === 405 && !has(one, 'allow'))],
  ['head-content', '9110 9.3.2', 'Content after the response to HEAD',
    (request, { responses, garbage }) =>
      request.startsWith('HEAD ') && responses.length === 1 && garbage !== undefined],
  ['204-content', '9110 15.3.5', 'Content after a 204 response',
    (_, { responses, garbage }) => responses.at(-1)?.status === 204 && garbage !== undefined],
  ['204-length', '9110 8.6', 'Content-Length in a 204 response',
    some((one) => one.status === 204 && has(one, 'content-length'))],
  ['204-coding', '9112 6.1', 'Transfer-Encoding in a 204 response',
    some((one) => one.status === 204 && has(one, 'transfer-encoding'))],
  ['interim-1-0', '9110 15.2', 'An interim response (1xx) to an HTTP/1.0 client',
    (request, { interim }) => interim > 0 && /^\S+ \S+ HTTP\/1\.0\r\n/.test(request)],
  ['date', '9110 6.6.1', 'A response without Date, which a server with a clock has to send',
    some((one) => one.status >= 200 && one.status < 500 && !has(one, 'date'))],
];

export const RESPONSE_RULES: readonly ResponseRule[] = RULES.map(
  ([name, section, what]) => ({ name, section, what }),
);

/** Whether it is certain that a rule is broken. Only a server with a clock has to send Date,
 * and nobody sees whether it has one. */
export function isCertain({ name }: ResponseRule): boolean {
  return name !== 'date';
}

/** @returns the names of the rules that a server has broken in a conversation */
export function findFaults(request: string, conversation: Conversation): string[] {
  return RULES.filter(([, , , isBroken]) => isBroken(request, conversation)).map(
    ([name]) => name,
  );
}
