/** Tells of a mistake of the program, in one warning, whatever was thrown. */
export function warn(what: string, thrown: unknown): void {
  let text = 'a value that has no text';
  try {
    text = String(thrown);
  } catch {
    // It stays without.
  }
  process.emitWarning(`${what}: ${text}`);
}
