import { RequestReader } from '../../src/http/request-reader';

/** @returns behind which octet each request is complete, when the octets come one at a time */
export function ends(whole: Buffer): number[] {
  const reader = new RequestReader();
  const found: number[] = [];
  for (let at = 0; at < whole.length; at += 1) {
    reader.push(whole.subarray(at, at + 1));
    for (let { kind } = reader.next(); kind !== 'needMore'; { kind } = reader.next()) {
      if (kind === 'request') found.push(at + 1);
      if (kind === 'refused') return found;
    }
  }
  return found;
}
