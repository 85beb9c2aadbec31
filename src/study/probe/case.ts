/** A case is a request together with what HTTP says about it. The probe sends the cases,
 * the tests play them, and the tables of the conformance page are written from them. */
import type { Authority } from '../../http/protocol-error';
import type { ServerOptions } from '../../server/server-options';

interface CaseBase {
  /** For the command line: lower case, and unique. */
  readonly name: string;
  /** The RFC and its section: "9112 5.1". */
  readonly section: string;
  /** The bytes, with the escapes of printf. ‹text × 5› repeats a text, ‹chunked›, ‹next› and
   * ‹inner› stand for the texts in ABBREVIATIONS, and at ¦ this server has seen enough to
   * reject the request. */
  readonly request: string;
}

/** A request that this server rejects. */
export interface RejectedCase extends CaseBase {
  readonly status: number;
  readonly authority: Authority;
  /** The sentence of the rejection, with … for a part that is known only when it is
   * made. */
  readonly what: string;
  /** What the case needs besides its bytes. */
  readonly condition?: Condition;
}

/** A request that is valid by the RFC. */
export interface ValidCase extends CaseBase {
  readonly what: string;
  /** How many requests the bytes hold: 1 by default. */
  readonly requests?: number;
  /** The RFC gives the server a reason to respond with these instead. */
  readonly alsoRight?: readonly number[];
}

export type Case = RejectedCase | ValidCase;

export interface Group<Member extends Case = Case> {
  /** A heading of the conformance page. */
  readonly title: string;
  readonly cases: readonly Member[];
}

export interface Condition {
  /** How `--show` says it. */
  readonly text: string;
  /** Options that only this server has, so the case is not sent to another one. */
  readonly options?: Partial<ServerOptions>;
  /** The client closes its sending side after the request. */
  readonly ends?: true;
}
