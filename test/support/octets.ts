/** Octets as a test writes them. */

/**
 * Text with visible escapes, as printf takes it: \r \n \t \0 \\ and \xNN. Give it String.raw.
 * A line break of the source itself is left out, so a message may stand on several lines.
 */
export function octets(text: string): Buffer {
  const plain = text.replace(/\n/g, '').replace(/\\(?:x([0-9a-fA-F]{2})|(.))/g, (_, hex: string | undefined, letter: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    const named: Record<string, string> = { r: '\r', n: '\n', t: '\t', v: '\v', f: '\f', 0: '\0', '\\': '\\' };
    const character = named[letter];
    if (character === undefined) throw new Error(`no such escape: \\${letter}`);
    return character;
  });
  return Buffer.from(plain, 'latin1');
}

/** Every way to cut octets that is worth a try: whole, in two at each position (at 200 positions where there are more), octet by octet. */
export function* cuts(whole: Buffer): Generator<Buffer[]> {
  yield [whole];
  const step = Math.max(1, Math.ceil(whole.length / 200));
  for (let at = 1; at < whole.length; at += step) yield [whole.subarray(0, at), whole.subarray(at)];
  yield Array.from(whole, (_, at) => whole.subarray(at, at + 1));
}
