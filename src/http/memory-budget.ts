/** What all connections together hold for requests that have no response yet: header and
 * trailer sections, content, and bytes that arrived behind a request.
 *
 * Bytes are counted as they arrive, and not the memory that they take: that depends on how
 * the network cut them, which must not decide whether a request is accepted. */
import { ourChoice, type ProtocolError } from './protocol-error';

/** A connection may always hold this many bytes, even if others have used up the budget. */
const FREE_BYTES = 4096;

export class MemoryBudget {
  /** How many bytes count as held now: the sum of all shares. */
  held = 0;

  /** @param most the most bytes that may be held; a function is called when the limit
   * first matters */
  constructor(private most: number | (() => number)) {}

  /** The most bytes that may be held. */
  get limit(): number {
    if (typeof this.most === 'function') this.most = this.most();
    return this.most;
  }
}

/** One connection's share of the budget. It is set to what the connection holds, so that no
 * code has to count up and down. A share that is never set back to 0 stays charged. */
export class BudgetShare {
  private charged = 0;

  constructor(private readonly budget: MemoryBudget) {}

  /** Whether the connection may hold this many bytes of requests. */
  allows(requestBytes: number): boolean {
    return requestBytes <= FREE_BYTES || requestBytes <= this.room;
  }

  /** How many bytes of requests the connection may hold: what the others leave of the
   * budget, and those that are free. */
  get room(): number {
    const { budget, charged } = this;
    return FREE_BYTES + Math.max(0, budget.limit - (budget.held - charged));
  }

  /** @param requestBytes how many bytes of requests the connection holds now */
  set(requestBytes: number): void {
    if (requestBytes <= FREE_BYTES && this.charged === 0) return; // the usual case
    const charge = Math.max(0, requestBytes - FREE_BYTES);
    this.budget.held += charge - this.charged;
    this.charged = charge;
  }
}

/** @param offset of the first byte for which the budget has no room */
export function overBudget(offset: number): ProtocolError {
  const reason =
    'The requests of all connections together exceed what this server can hold';
  const expected = 'the request may be right: the server may have room for it later';
  return ourChoice('9110 15.6.4', offset, reason, { status: 503, expected });
}
