/** Expect = #expectation, of which one is defined: 100-continue (9110 §10.1.1). */
import { Failure } from './failure';
import { listElements } from './field-list';
import type { FieldLine } from './message';
import { isNamed } from './octets';

/** @returns whether the client waits for 100 (Continue): HTTP/1.0 knows no interim response, so there it does not */
export function readExpectation(version: string, expect: readonly FieldLine[]): boolean | Failure {
  if (expect.length === 0) return false;
  const members = listElements(expect);
  const unknown = members.find(({ text }) => !isNamed(text, '100-continue'));
  if (unknown !== undefined) return new Failure(417, '9110 10.1.1', 'An expectation other than 100-continue', unknown.offset);
  return members.length > 0 && version === 'HTTP/1.1';
}
