/** Expect = #expectation, of which one is defined: 100-continue (9110 §10.1.1). */
import { equalsIgnoreCase } from './grammar';
import { listElements } from './header-fields';
import type { FieldLine } from './message';
import { allowedBy } from './protocol-error';
import type { Version } from './request-line';

/**
 * @returns whether the client waits for 100 (Continue) before it sends its content; HTTP/1.0 has no
 * interim responses
 * @throws ProtocolError where the client expects anything else
 */
export function expectsContinue(version: Version, expect: readonly FieldLine[]): boolean {
  if (expect.length === 0) return false;
  const members = listElements(expect);
  const unknown = members.find(({ text }) => !equalsIgnoreCase(text, '100-continue'));
  if (unknown === undefined) return members.length > 0 && version === 'HTTP/1.1';
  const reason = 'An expectation other than 100-continue';
  throw allowedBy('9110 10.1.1', unknown.offset, reason, { status: 417 });
}
