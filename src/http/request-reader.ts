/** Reads requests from the bytes of one connection, as 9112 §2.2 describes it: "read the
 * start-line into a structure, read each header field line into a hash table by field name
 * until the empty line, and then use the parsed data to determine if a message body is
 * expected."
 *
 * `readRequest` does that, from top to bottom, but keeps the field lines in a list. Where
 * bytes are missing, it yields what they are needed for, and goes on there when more have
 * arrived, wherever the bytes were split. The caller pushes the bytes and calls next(), which
 * resumes it: a reader knows no connection. */
import { Content } from './content';
import { expectsContinue, findControlFields } from './control-fields';
import { FieldSection } from './field-line';
import { determineFraming, type ContentFraming } from './framing';
import { Byte, skipLineChars, skipToken } from './grammar';
import { hintOnEnd, hintOnRequestBefore, hintOnTimeout, type RequestBefore } from './hints';
import { checkHost } from './host';
import type { Field } from './message';
import {
  WAIT_FOR_REQUEST,
  waitFor,
  type Complete,
  type Outcome,
  type ReceivedRequest,
  type Rejected,
  type Waiting,
} from './outcome';
import { determinePersistence, type Persistence } from './persistence';
import { allowedBy, ourChoice, ProtocolError } from './protocol-error';
import type { Observer } from './observer';
import { ReceiveBuffer, type Excerpt } from './receive-buffer';
import { parseRequestLine, REQUEST_LINE_LIMIT, type RequestLine } from './request-line';

const { SP } = Byte;

const AFTER_EMPTY_LINE = waitFor('a request line after the empty line', '9112 2.2', false);
const IN_REQUEST_LINE = waitFor('the end of the request line', '9112 3');
const CONTINUE: Waiting = { ...waitFor('the content', '9110 10.1.1'), kind: 'continue' };
const FINISHED: Outcome = { kind: 'finished' };

const PROXY_2_HINT =
  'only one is ignored (the PROXY protocol, version 2, begins with two, but this port does ' +
  'not speak it)';

/** What all connections together hold for requests that have no response yet: header and
 * trailer sections, content, and bytes that arrived behind a request.
 *
 * Bytes are counted as they arrive, and not the memory that they take: that depends on how
 * the network cut them, which must not decide whether a request is accepted. */
export class ByteBudget {
  /** How many bytes are charged to all connections now. */
  charged = 0;

  /** @param limit the most bytes that may be charged */
  constructor(readonly limit: number) {}
}

/** A connection may always hold this many bytes, even if others have used up the budget. */
const FREE_BYTES = 4096;

/** What one connection is charged: the bytes that it holds, but for those that are free. */
class Account {
  private charged = 0;

  constructor(private readonly budget: ByteBudget) {}

  /** How many bytes it may hold: the free ones, and what the others leave. */
  get limit(): number {
    const others = this.budget.charged - this.charged;
    return FREE_BYTES + Math.max(0, this.budget.limit - others);
  }

  /** @param held how many bytes it holds now */
  charge(held: number): void {
    const charged = Math.max(0, held - FREE_BYTES);
    this.budget.charged += charged - this.charged;
    this.charged = charged;
  }
}

export class RequestReader {
  private readonly trace: Observer | undefined;
  private readonly buffer = new ReceiveBuffer();
  private readonly account: Account;
  /** readRequest(), which waits where it last yielded; made at the first byte. */
  private reading: Generator<Waiting, Complete> | undefined = undefined;
  /** What the missing bytes are needed for. */
  private waiting = WAIT_FOR_REQUEST;
  /** The method of the request that is being read, once it is known. */
  private method = '';
  /** Its content, until the request has its response. */
  private content: Content | undefined = undefined;
  /** The length of a complete request until it has its response, or 0. */
  private completeBytes = 0;
  /** How many bytes were not kept: those for which the budget had no room, and all after
   * them. */
  private bytesOverBudget = 0;
  /** The last request, if it may explain why what follows is not a request. */
  private requestBefore: RequestBefore | undefined = undefined;
  private hasEnded = false;
  private hasRejected = false;

  constructor(options: { budget?: ByteBudget; trace?: Observer | undefined } = {}) {
    this.trace = options.trace;
    this.account = new Account(options.budget ?? new ByteBudget(Infinity));
  }

  get unread(): number {
    return this.buffer.unread + this.bytesOverBudget;
  }

  /** The number of bytes that have arrived since the request began. */
  get received(): number {
    return this.buffer.received + this.bytesOverBudget;
  }

  /** The bytes that count: all of a complete request until it has its response, even the
   * chunk lines, which are dropped, and all that arrived after it and were kept. The memory
   * that they take may be twice that, and the objects of 100 field lines more. */
  private get held(): number {
    return this.completeBytes + this.buffer.received;
  }

  /** Takes bytes, but only the first of them if the budget has no room for all.
   * @param bytes the reader keeps them, so do not modify them */
  push(bytes: Buffer): void {
    const { account, held } = this;
    const room = this.bytesOverBudget > 0 ? 0 : Math.max(0, account.limit - held);
    const kept = Math.min(bytes.length, room);
    // A copy, because part of a buffer would keep all of it.
    this.buffer.push(kept === bytes.length ? bytes : Buffer.from(bytes.subarray(0, kept)));
    this.bytesOverBudget += bytes.length - kept;
    account.charge(held + kept);
  }

  /** Notes that the client sends nothing more. */
  end(): void {
    this.hasEnded = true;
  }

  /** Reads on, at most to the end of one request. Call it again only once that request has
   * its response: the next call gives back to the budget what the request held. */
  next(): Outcome {
    if (this.hasRejected) return FINISHED;
    if (!this.inRequest) {
      // The last request, if there was one, has its response.
      this.method = '';
      this.content = undefined;
      this.completeBytes = 0;
      this.account.charge(this.held);
    }
    // With nothing new, it waits for the same bytes, unless it has just asked for them.
    const hasNothingNew = this.buffer.unread === 0 && this.waiting.kind === 'wait';
    const outcome = hasNothingNew ? this.waiting : this.step();
    if (outcome.kind !== 'wait') return outcome;

    // More bytes are needed: can they still come?
    // All that arrived before the bytes over the budget has been read.
    if (this.bytesOverBudget > 0) return this.reject(overBudget(this.buffer.received));
    if (!this.hasEnded) return outcome;
    return this.inRequest ? this.rejectEnd() : FINISHED;
  }

  /** Reads on to the next wait, or to the end of the request. */
  private step(): Outcome {
    this.reading ??= this.readRequest();
    try {
      const { done, value } = this.reading.next();
      this.waiting = done === true ? WAIT_FOR_REQUEST : value;
      if (done === true) this.reading = undefined;
      return value;
    } catch (error) {
      if (error instanceof ProtocolError) return this.reject(error);
      throw error;
    }
  }

  /** 9112 §2.2, from top to bottom. */
  private *readRequest(): Generator<Waiting, Complete> {
    const { buffer, trace } = this;
    let requestLine = this.takeRequestLine();
    while (requestLine === undefined) {
      yield this.missingRequestLine;
      requestLine = this.takeRequestLine();
    }
    const { method, minorVersion, target } = requestLine;

    const header = new FieldSection('header', buffer, trace);
    while (!header.takeLines()) yield header.missing;

    trace?.beginJudging(buffer.offset);
    const fields = findControlFields(header.lines);
    const hostNamesTarget =
      target.form === 'origin-form' || target.form === 'asterisk-form';
    checkHost(minorVersion, hostNamesTarget, fields.host, buffer.offset);
    trace?.headerSection(header.lines, fields, target.form);
    const framing = determineFraming(minorVersion, fields);
    trace?.decision({ type: 'frame', framing });
    const isContinueExpected = expectsContinue(fields.expect);
    const persistence = determinePersistence(minorVersion, method, fields.connection);
    trace?.decision({ type: 'keep', persistence });

    if (framing.kind !== 'none') this.content = this.beginContent(framing);
    if (isContinueExpected && this.decideContinue(minorVersion)) yield CONTINUE;
    if (this.content !== undefined) yield* this.content.read();
    return this.complete(requestLine, header.lines, persistence);
  }

  /** Takes the request line. It ignores one empty line before it, because some clients send
   * one too many (9112 §2.2). */
  private takeRequestLine(): RequestLine | undefined {
    const line = this.buffer.takeLine(REQUEST_LINE_LIMIT);
    if (line === undefined) return undefined;
    if (line.start === line.end && line.ending === 'CRLF') {
      const offset = line.offsetOf(line.start);
      // If we ignored them all, a client could keep us reading forever.
      if (offset > 0) {
        const reason = 'More than one empty line before the request line';
        const hint = this.requestBefore === undefined ? PROXY_2_HINT : '';
        const expected =
          'the request line. HTTP/1.1 forbids an empty line before it; this server ignores one';
        throw allowedBy('9112 2.2', offset, reason, { hint, expected, fault: 'wrong' });
      }
      this.trace?.emptyLine(this.buffer.offset);
      return this.takeRequestLine();
    }
    const requestLine = parseRequestLine(line);
    this.method = requestLine.method;
    this.trace?.requestLine(line, requestLine);
    this.requestBefore = undefined; // it explains nothing from here on
    return requestLine;
  }

  private get missingRequestLine(): Waiting {
    if (this.buffer.hasBegunLine) return IN_REQUEST_LINE;
    return this.buffer.offset > 0 ? AFTER_EMPTY_LINE : WAIT_FOR_REQUEST;
  }

  private beginContent(framing: ContentFraming): Content {
    const { buffer, trace } = this;
    buffer.discardRead(); // the header section has been checked
    if (framing.kind === 'length') trace?.content(buffer.offset, framing.length);
    else trace?.begin('chunk line');
    return new Content(framing, buffer, trace);
  }

  /** @returns whether to ask for the content with 100 (Continue) (9110 §10.1.1) */
  private decideContinue(minorVersion: number): boolean {
    const { content } = this;
    let ignoredBecause: string | undefined;
    if (content === undefined || content.isEmpty) {
      ignoredBecause = 'the request has no content';
    } else if (minorVersion === 0) ignoredBecause = 'HTTP/1.0 has no interim responses';
    else if (this.unread > 0) ignoredBecause = 'content has arrived already';
    else if (this.hasEnded) ignoredBecause = 'the client sends nothing more';
    else content.checkAnnounced(); // what is too long is not asked for
    this.trace?.decision({ type: 'expect', ignoredBecause });
    return ignoredBecause === undefined;
  }

  /** Ends a request. The next byte belongs to the next one, even while this one waits for
   * its turn. */
  private complete(
    { method, minorVersion, target: { path, query } }: RequestLine,
    headers: readonly Field[],
    persistence: Persistence,
  ): Complete {
    const { buffer, content } = this;
    const usuallyHasContent = method === 'POST' || method === 'PUT' || method === 'PATCH';
    if (content !== undefined) this.requestBefore = content.summary;
    else if (usuallyHasContent) this.requestBefore = { framing: 'none', size: 0 };
    const bytes = buffer.offset;
    this.completeBytes = bytes;
    buffer.startRequest();
    this.trace?.request(bytes, this.unread, buffer.excerpt(0));
    const request = new LazyRequest(method, path, query, minorVersion, headers, content);
    return { kind: 'request', request, bytes, persistence };
  }

  /** Rejects a request that the client has not completed, and says what is missing. */
  private rejectEnd(): Rejected {
    const rest = 'the rest of the request, before the input ends';
    const { announced, expected = rest, missing } = this.waiting;
    const reason = `The input ended mid-request; still missing: ${missing}`;
    const options = { hint: announced && hintOnEnd(announced), expected };
    return this.reject(allowedBy('9112 8', this.received, reason, options));
  }

  /** The same for a request whose time is up.
   * @param reason why, without what is missing */
  giveUp(reason: string): Rejected {
    if (this.bytesOverBudget > 0) return this.reject(overBudget(this.buffer.received));
    const rest = 'the rest of the request, before the time is over';
    const { announced, expected = rest, missing } = this.waiting;
    const text = `${reason}; still missing: ${missing}`;
    const hint = announced && hintOnTimeout(announced);
    const options = { status: 408, hint, expected } as const;
    return this.reject(ourChoice('9110 15.5.9', this.received, text, options));
  }

  private reject(error: ProtocolError): Rejected {
    this.hasRejected = true;
    const { buffer, received } = this;
    const excerpt = buffer.excerpt(error.offset);
    const method = this.method || methodOf(excerpt.bytes);
    this.trace?.rejected(error.offset, excerpt);
    const bytesAfter = Math.max(0, received - error.offset - 1);
    const hinted = this.withHint(error, excerpt);
    return { kind: 'rejected', error: hinted, method, excerpt, bytesAfter };
  }

  /** What came before may explain why a line is not a request line. */
  private withHint(error: ProtocolError, { bytes }: Excerpt): ProtocolError {
    const { requestBefore } = this;
    // 503 is about the budget, and not about this line.
    if (requestBefore === undefined || error.status === 503) return error;
    // Only up to the byte that ends the line: what follows it may not have arrived.
    const end = skipLineChars(bytes, 0, Math.min(bytes.length, REQUEST_LINE_LIMIT));
    const text = bytes.toString('latin1', 0, end + 1);
    return error.withHint(hintOnRequestBefore(requestBefore, text, error));
  }

  /** Whether a new reader could take its place, as long as the client may still send. */
  get isAsNew(): boolean {
    return this.received === 0 && this.requestBefore === undefined;
  }

  /** Whether a request has begun and is not complete. */
  get inRequest(): boolean {
    return this.waiting.inRequest;
  }

  /** Whether no request can follow: the client sends nothing more, and what is unread is at
   * most an empty line and the start of another (9112 §2.2). */
  get clientHasFinished(): boolean {
    return this.hasEnded && this.bytesOverBudget === 0 && this.buffer.holdsAtMostEmptyLine;
  }

  /** Gives back to the budget what is held. The reader cannot be used afterwards. */
  release(): void {
    this.account.charge(0);
  }
}

/** @param offset of the first byte for which the budget has no room */
function overBudget(offset: number): ProtocolError {
  const reason =
    'The requests of all connections together exceed what this server can hold';
  const expected = 'the request may be right: the server may have room for it later';
  const options = { status: 503, expected, fault: 'room' } as const;
  return ourChoice('9110 15.6.4', offset, reason, options);
}

/** @param line of the request line, what has arrived
 * @returns the method, which is known once SP follows it, or '' */
function methodOf(line: Buffer): string {
  const end = skipToken(line, 0, line.length);
  return line[end] === SP ? line.toString('latin1', 0, end) : '';
}

/** A request whose content is decoded only when a service asks for it. */
class LazyRequest implements ReceivedRequest {
  constructor(
    readonly method: string,
    readonly path: string,
    readonly query: string | undefined,
    readonly minorVersion: number,
    readonly headers: readonly Field[],
    private readonly content: Content | undefined,
  ) {}

  get body(): string {
    return this.content?.text ?? '';
  }
}
