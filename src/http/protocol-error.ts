/** Why a request is rejected: which rule or limit it broke, on whose authority, and at
 * which byte. The parsers of this folder throw it, and RequestReader catches it; only
 * Content catches it earlier, to add a hint. */
import type { Status } from './message';

export type Authority = 'required by' | 'allowed by' | 'our choice';

/** What is at the byte, where the bytes alone do not tell: what is wrong there, or beside
 * another value; the first byte beyond a limit, or for which there is no room; or content
 * that is too large. */
export type Fault = 'wrong' | 'beside' | 'limit' | 'room' | 'large';

/** The statuses of limits that no RFC sets. We cite the section that defines the status. */
const DEFINED_BY_SECTION: ReadonlySet<Status> = new Set<Status>([408, 413, 431, 503]);

/** Not an Error: nobody reads its stack, and capturing one would be most of the cost of a
 * rejection. */
export class ProtocolError {
  readonly status: Status;
  /** The likeliest cause and what to do about it, or ''. */
  readonly hint: string;
  /** What would be right at that byte, without a capital or a full stop. Only the page of a
   * trace shows it. */
  readonly expected: string;
  readonly fault: Fault | undefined;
  /** The reason, and whose rule it is: "No colon ... (allowed by RFC 9112 section 5)". */
  readonly ruling: string;
  /** The sentence that the client reads. */
  readonly message: string;

  /** @param section the RFC and the section of the rule, such as "9112 5.1"
   * @param offset of the byte of the request that the reason is about
   * @param reason what is wrong, without a full stop */
  constructor(
    readonly authority: Authority,
    readonly section: string,
    readonly offset: number,
    readonly reason: string,
    options: Options,
  ) {
    const { status, hint = '', expected, fault } = { ...DEFAULTS, ...options };
    this.status = status;
    this.hint = hint;
    this.expected = expected;
    this.fault = fault;
    this.ruling = `${reason} (${rulerOf(authority, section, status)})`;
    const advice = hint === '' ? '' : `; ${hint}`;
    this.message = `${this.ruling}, at byte ${offset}${advice}`;
  }

  withHint(hint: string): ProtocolError {
    const { authority, expected, fault, offset, reason, section, status } = this;
    const options = { status, hint, expected, fault };
    return new ProtocolError(authority, section, offset, reason, options);
  }
}

function rulerOf(authority: Authority, section: string, status: Status): string {
  if (authority !== 'our choice') return `${authority} ${cite(section)}`;
  const what = DEFINED_BY_SECTION.has(status) ? 'defines the status' : 'would allow it';
  return `our choice: ${cite(section)} ${what}`;
}

/** @returns "RFC 9112 section 5.1" for "9112 5.1" */
export function cite(section: string): string {
  return `RFC ${section.replace(' ', ' section ')}`;
}

interface Options {
  readonly status?: Status;
  readonly hint?: string | undefined;
  readonly expected?: string;
  readonly fault?: Fault | undefined;
}

/** What is expected where a limit is exceeded. */
export const WITHIN_LIMIT = {
  expected: 'less of it: up to here, the limit was kept',
  fault: 'limit',
} as const;

/** With these, all options are properties of the object itself: what a program adds to
 * Object.prototype cannot spoil a rejection. */
const DEFAULTS: Required<Options> = {
  status: 400,
  hint: '',
  expected: '',
  fault: undefined,
};

/** @returns a function whose parameters are those of ProtocolError after the authority */
function madeBy(authority: Authority) {
  return (
    section: string,
    offset: number,
    reason: string,
    options: Options = {},
  ): ProtocolError => new ProtocolError(authority, section, offset, reason, options);
}

/** The RFC has a MUST for the recipient. It is not enough for the RFC to define a
 * status. */
export const requiredBy = madeBy('required by');
/** The bytes break the grammar, or the RFC says SHOULD or MAY: another recipient may go
 * on. */
export const allowedBy = madeBy('allowed by');
/** The RFC allows it: this is a limit of ours, or a rule that is stricter than the
 * RFC's. */
export const ourChoice = madeBy('our choice');
