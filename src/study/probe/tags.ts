/** Words for --only that choose cases by what an attacker does with them. */
import { findRisk } from '../../naive/risk';
import { hasAnother, isValid, requestOf, type Case } from '../cases';

/** The statuses by which this server defends its memory and its time. */
const FLOODED: readonly number[] = [408, 413, 414, 431, 503];

export const TAGS: Readonly<Record<string, (one: Case) => boolean>> = {
  /** A reader with a known mistake ends the request elsewhere, or it holds another one. */
  smuggling: (one) => hasAnother(one) || findRisk(requestOf(one), undefined) !== undefined,
  flooding: (one) => !isValid(one) && FLOODED.includes(one.status),
  // A tab is no such character, nor are the CR and LF of a line end.
  injection: (one) => /[\0-\x08\x0b\x0c\x0e-\x1f]|\r(?!\n)/.test(requestOf(one)),
};
