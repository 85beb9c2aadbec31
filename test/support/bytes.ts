/** Bytes as a test writes them. */
import { unescape } from '../../src/study/shell';

/** Tags text in which a backslash is a backslash: raw`\r\n` has four characters. */
export const { raw } = String;

/** Each byte once, a character for each. */
export const EVERY_BYTE = String.fromCharCode(...Array(256).keys());

/** Reads the escapes that printf has: \r \n \t \v \f \0 \\ and \xNN. Write the text with
 * `raw`. A line break of the source is left out, so a message may take several lines. */
export function bytes(text: string): Buffer {
  return Buffer.from(textOf(text), 'latin1');
}

/** @returns the same bytes, a character for each */
export function textOf(text: string): string {
  return unescape(text.replace(/\n/g, ''));
}

/** @returns the escape for one byte, such as \x0a */
export function escapeByte(byte: number): string {
  return raw`\x${byte.toString(16).padStart(2, '0')}`;
}

/** Cuts bytes into pieces of one length; the last one may be shorter. */
export function cut(whole: Buffer, length: number): Buffer[] {
  const count = Math.ceil(whole.length / length);
  return Array.from({ length: count }, (_, at) =>
    whole.subarray(at * length, (at + 1) * length),
  );
}

/** Every cut that is worth a try: the whole, two pieces at each position (at 100 of them
 * where there are more than 200), and single bytes.
 * @param step 3 for two pieces at each third position */
export function* cuts(whole: Buffer, step = 1): Generator<Buffer[]> {
  yield [whole];
  const many = whole.length > 200 ? Math.ceil(whole.length / 100) : 1;
  for (let at = 1; at < whole.length; at += step * many)
    yield [whole.subarray(0, at), whole.subarray(at)];
  yield cut(whole, 1);
}
