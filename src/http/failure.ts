/**
 * What is told to a client whose octets are no well-formed request: the rule that was broken, where it is written, and where it was broken.
 * A failure is a value. The client's mistake is never an exception, and our own is never a failure.
 */
import type { Status } from './message';

export class Failure {
  readonly kind = 'failure';

  /**
   * @param section the RFC and its section, as "9112 5.1"
   * @param sentence what is wrong, without a full stop
   * @param offset of the first wrong octet, counted in the request from 0
   * @param hint what to do about it, if that is not plain
   */
  constructor(
    readonly status: Status,
    readonly section: string,
    readonly sentence: string,
    readonly offset: number,
    readonly hint = '',
  ) {}

  /** The failure as the client reads it. */
  get text(): string {
    return `${this.sentence} (${inWords(this.section)}), at byte ${this.offset}${this.hint && `; ${this.hint}`}`;
  }
}

/** @returns "RFC 9112 section 5.1" for "9112 5.1" */
export function inWords(section: string): string {
  return `RFC ${section.replace(' ', ' section ')}`;
}

/** 9112 §2.2 would let a recipient take a lone LF for a line end. We do not: two readings of one message is how requests are smuggled. */
export function bareLf(offset: number): Failure {
  return new Failure(400, '9112 2.2', 'A line ends with LF alone, not with CRLF', offset, 'a terminal sends LF alone (nc -C sends CRLF)');
}

/** 9112 §2.2: a CR that no LF follows is invalid outside content. */
export function bareCr(offset: number): Failure {
  return new Failure(400, '9112 2.2', 'A CR is not followed by LF', offset);
}
