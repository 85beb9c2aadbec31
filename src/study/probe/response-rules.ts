/** What the RFC asks of the responses that the cases bring about. */
import type { Conversation } from './conversation';

type Response = Conversation['responses'][number];
type Test = (request: string, conversation: Conversation) => boolean;

/** @param section the RFC and its section: "9110 15.5.6"
 * @param what what a server does that breaks the rule */
const rule = (name: string, section: string, what: string, isBroken: Test) => ({
  name,
  section,
  what,
  isBroken,
});
const has = ({ fields }: Response, name: string): boolean =>
  fields.some((field) => field.name.toLowerCase() === name);
const some =
  (isWrong: (response: Response) => boolean): Test =>
  (_, { responses }) =>
    responses.some(isWrong);

// prettier-ignore
export const RESPONSE_RULES = [
  rule('allow', '9110 15.5.6', 'A 405 response without Allow',
    some((one) => one.status === 405 && !has(one, 'allow'))),
  rule('head-content', '9110 9.3.2', 'Content after the response to HEAD',
    (request, { responses, garbage }) =>
      request.startsWith('HEAD ') && responses.length === 1 && garbage !== undefined),
  rule('204-content', '9110 15.3.5', 'Content after a 204 response',
    (_, { responses, garbage }) => responses.at(-1)?.status === 204 && garbage !== undefined),
  rule('204-length', '9110 8.6', 'Content-Length in a 204 response',
    some((one) => one.status === 204 && has(one, 'content-length'))),
  rule('204-coding', '9112 6.1', 'Transfer-Encoding in a 204 response',
    some((one) => one.status === 204 && has(one, 'transfer-encoding'))),
  rule('interim-1-0', '9110 15.2', 'An interim response (1xx) to an HTTP/1.0 client',
    (request, { interim }) => interim > 0 && /^\S+ \S+ HTTP\/1\.0\r\n/.test(request)),
  rule('date', '9110 6.6.1', 'A response without Date, which a server with a clock has to send',
    some((one) => one.status >= 200 && one.status < 500 && !has(one, 'date'))),
];

/** @returns the names of the rules that a server has broken in a conversation */
export function findFaults(request: string, conversation: Conversation): string[] {
  const broken = RESPONSE_RULES.filter(({ isBroken }) => isBroken(request, conversation));
  return broken.map(({ name }) => name);
}
