/** What all connections together hold for requests that have no response yet. It is not
 * content alone: heads, trailers and pipelined bytes could use up the memory, too. */

/** A connection's first bytes are not counted, so that small requests get their responses
 * even if others have used up the budget. */
const FREE_BYTES = 4096;

export class MemoryBudget {
  /** The most bytes that may be held. */
  readonly limit: number;
  /** How many bytes count as held now: the sum of all shares. */
  held = 0;

  constructor(limit: number) {
    this.limit = limit;
  }
}

/** One connection's share of the budget. It is set to what the connection holds, so nobody
 * has to count up and down. A share that is not set to 0 in the end stays charged. */
export class BudgetShare {
  private readonly budget: MemoryBudget;
  private charged = 0;

  constructor(budget: MemoryBudget) {
    this.budget = budget;
  }

  /** @param held how many bytes the connection holds now
   * @returns false, and changes nothing, if the budget does not allow it */
  set(held: number): boolean {
    const { budget, charged } = this;
    if (held <= FREE_BYTES && charged === 0) return true; // nearly always
    const charge = Math.max(0, held - FREE_BYTES);
    const total = budget.held - charged + charge;
    if (total > budget.limit) return false;
    budget.held = total;
    this.charged = charge;
    return true;
  }
}
