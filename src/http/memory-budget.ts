/** What all connections together hold for requests that have no response yet: header and
 * trailer sections, content, and bytes that arrived behind a request.
 *
 * Bytes are counted as they arrive, and not the memory that they take: that depends on how
 * the network cut them, which must not decide whether a request is accepted. */
export class MemoryBudget {
  /** How many bytes count as held now. Each reader counts its own up and down. */
  held = 0;

  /** @param limit the most bytes that may be held */
  constructor(readonly limit: number) {}
}
