import { RequestReader } from '../../src/http/request-reader';

/** @returns how many bytes had been received, one at a time, when each request was
 * complete */
export function requestEnds(whole: Buffer): number[] {
  const reader = new RequestReader();
  const found: number[] = [];
  for (let at = 0; at < whole.length; at += 1) {
    reader.push(whole.subarray(at, at + 1));
    for (let { kind } = reader.next(); kind !== 'wait'; { kind } = reader.next()) {
      if (kind === 'request') found.push(at + 1);
      if (kind === 'rejected') return found;
    }
  }
  return found;
}
