/** @returns how many octets an object keeps from being freed: storage, text and numbers, as far as its properties lead */
export function held(root: object): number {
  const seen = new Set<unknown>();
  const found: unknown[] = [root];
  let octets = 0;
  for (const value of found) {
    if (typeof value === 'string') octets += value.length;
    if (typeof value === 'number') octets += 8;
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    // A view keeps the whole of what it looks at.
    if (ArrayBuffer.isView(value)) found.push(value.buffer);
    else if (value instanceof ArrayBuffer) octets += value.byteLength;
    else found.push(...Object.values(value));
  }
  return octets;
}
