/** What all connections together hold for requests that have no response yet: header and
 * trailer sections, content, and bytes that arrived behind a request.
 *
 * A connection is allowed a number of bytes, and is charged the memory that they take. How
 * much memory a request takes depends on how the network cut it, and that must not decide
 * whether the request is accepted. */
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
    return requestBytes <= FREE_BYTES || requestBytes <= this.room; // nearly always the first
  }

  /** How many bytes of requests the connection may hold: what the others leave of the
   * budget, and those that are free. */
  get room(): number {
    const { budget, charged } = this;
    return FREE_BYTES + Math.max(0, budget.limit - (budget.held - charged));
  }

  /** @param memoryBytes how much memory the connection holds now */
  set(memoryBytes: number): void {
    if (memoryBytes <= FREE_BYTES && this.charged === 0) return; // nearly always
    const charge = Math.max(0, memoryBytes - FREE_BYTES);
    this.budget.held += charge - this.charged;
    this.charged = charge;
  }
}

/** @param offset of the first byte for which the budget has no room */
export function overBudget(offset: number): ProtocolError {
  const reason =
    'The requests of all connections together exceed what this server can hold';
  return ourChoice('9110 15.6.4', offset, reason, { status: 503 });
}
