/** Why a request is rejected: which rule or limit it broke, on whose authority, and at which byte.
 * Thrown anywhere in this folder and caught once, in RequestReader.next(). */
import type { Status } from './response';

/** Not an Error: nobody reads its stack, and taking one is most of the cost of a rejection. */
export class ProtocolError {
  constructor(
    readonly status: Status,
    readonly authority: 'required by' | 'allowed by' | 'our choice',
    readonly section: string,
    readonly reason: string,
    readonly offset: number,
    readonly hint: string,
  ) {}

  /** The reason, and who draws the line: "No colon ... (allowed by RFC 9112 section 5)". */
  get ruling(): string {
    const rfc = cite(this.section);
    const rule = this.authority === 'our choice' ? `: ${rfc} would allow it` : ` ${rfc}`;
    return `${this.reason} (${this.authority}${rule})`;
  }

  /** What the client reads. */
  get message(): string {
    return `${this.ruling}, at byte ${this.offset}${this.hint && `; ${this.hint}`}`;
  }
}

/** @returns "RFC 9112 section 5.1" for "9112 5.1" */
export const cite = (section: string): string => `RFC ${section.replace(' ', ' section ')}`;

/** The status, 400 by default; and a hint: the likeliest cause, and what to do. */
type Options = { readonly status?: Status; readonly hint?: string };
/** Makes a function that makes errors. It takes the RFC and its section, such as "9112 5.1"; the
 * offset of the first wrong byte; and what is wrong, without a full stop. */
const rejection =
  (authority: ProtocolError['authority']) =>
  (section: string, offset: number, reason: string, { status = 400, hint = '' }: Options = {}) =>
    new ProtocolError(status, authority, section, reason, offset, hint);
/** The RFC has a MUST for the recipient, or it defines a status for exactly this mistake. */
export const requiredBy = rejection('required by');
/** The bytes break the grammar, or the RFC says SHOULD or MAY: another recipient may go on. */
export const allowedBy = rejection('allowed by');
/** The RFC allows it: this is a limit of this server, or a rule stricter than the RFC's. */
export const ourChoice = rejection('our choice');
/** A way in which a text can be wrong. What the pattern matches ends before the wrong byte. */
export type Fault = readonly [RegExp, typeof allowedBy, section: string, reason: string, Options?];

/** @returns an error for the first fault that a text has, if any; `offset` is that of the text */
export function findFault(faults: readonly Fault[], text: string, offset: number) {
  for (const [pattern, reject, section, reason, options] of faults) {
    const match = pattern.exec(text);
    if (match !== null) return reject(section, offset + match[0].length, reason, options);
  }
  return undefined;
}
