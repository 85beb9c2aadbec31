/** Reads requests from the bytes of one connection, as 9112 §2.2 describes it: "read the start-line
 * into a structure, read each header field line into a hash table by field name until the empty
 * line, and then use the parsed data to determine if a message body is expected."
 *
 * `readRequests` says just that, from top to bottom. It is a generator: where bytes are missing it
 * yields, and it continues there when more have arrived. So it does not matter how they are cut. No
 * socket, no clock. */
import { Content, type ContentBudget } from './content';
import { FieldSection } from './field-line';
import { determineFraming } from './framing';
import { Byte } from './grammar';
import { findControlFields } from './header-fields';
import { checkHost } from './host';
import type { FieldLine, Request } from './message';
import {
  AFTER_EMPTY_LINE, BETWEEN_REQUESTS, FINISHED, waitFor,
  type Outcome, type ReaderEvent, type Rejected, type Steps, type Waiting,
} from './outcome';
import { determinePersistence, expectsContinue } from './persistence';
import { allowedBy, ourChoice, ProtocolError } from './protocol-error';
import { ReceiveBuffer, type Line } from './receive-buffer';
import { parseMethod, parseTarget, parseVersion, REQUEST_LINE_LIMIT } from './request-line';

interface ReaderOptions {
  /** What the content of all readers together may hold; no limit by default. */
  readonly budget?: ContentBudget;
  readonly trace?: ((event: ReaderEvent) => void) | undefined;
}

export class RequestReader {
  private readonly buffer = new ReceiveBuffer();
  private readonly steps = this.readRequests();
  private waiting: Waiting = BETWEEN_REQUESTS;
  private method = ''; // of the request that is being read, once it is known
  private skippedEmptyLine = false;
  private content: Content | undefined; // of the last request that had any
  private canContinue = false; // bytes have arrived since the procedure asked for more
  private ended = false;
  private rejected = false;

  constructor(private readonly options: ReaderOptions = {}) {}

  /** 9112 §2.2, from top to bottom. Yields where bytes are missing, and after each request. */
  private *readRequests(): Steps<never> {
    const { buffer } = this;
    const { budget = { left: Infinity }, trace } = this.options;
    for (;;) {
      let line: Line | undefined;
      while ((line = this.takeRequestLine()) === undefined) yield this.missingRequestLine;
      const method = (this.method = parseMethod(line));
      const version = parseVersion(line, method);
      const target = parseTarget(line, method);
      trace?.({ type: 'parse', part: 'request line', method, target, version });

      const header = new FieldSection('header', buffer);
      while (!header.take()) yield header.missing;
      const headers = header.lines;
      const fields = findControlFields(headers);
      checkHost(version, target, fields.host, buffer);
      const { length: lines } = headers;
      const host = fields.host[0]?.value;
      trace?.({ type: 'parse', part: 'header section', lines, host, form: target.form });

      const framing = determineFraming(version, fields);
      trace?.({ type: 'frame', framing });
      const awaitsContinue = expectsContinue(version, fields.expect);
      const persistence = determinePersistence(version, method, fields.connection);
      trace?.({ type: 'keep', persistence });
      buffer.discardRead(); // The head is judged: from here on, only content is held.

      let content: Content | undefined;
      if (framing.kind !== 'none') {
        content = this.content = new Content(buffer, budget, trace);
        const asks = awaitsContinue && buffer.unread === 0 && !this.ended;
        if (!content.takeWhole(framing)) yield* content.read(framing, asks);
      }

      // What follows belongs to the next request, even while this one waits for its turn.
      buffer.startRequest();
      this.waiting = BETWEEN_REQUESTS;
      this.skippedEmptyLine = false;
      this.method = '';
      const request = new ReceivedRequest(method, target.path, headers, content);
      yield { kind: 'request', request, persistence };
    }
  }

  /** One empty line before it is ignored: some clients send one too many (9112 §2.2). */
  private takeRequestLine(): Line | undefined {
    const line = this.buffer.takeLine(REQUEST_LINE_LIMIT);
    if (line === undefined || line.end > line.start) return line;
    if (this.skippedEmptyLine) {
      // 9112 §2.2 asks to ignore at least one. Ignoring them all, we could be kept reading forever.
      const reason = 'More than one empty line before the request line';
      throw allowedBy('9112 2.2', line.offsetOf(line.start), reason);
    }
    this.skippedEmptyLine = true;
    return this.takeRequestLine();
  }

  private get missingRequestLine(): Waiting {
    const hasBegun = this.buffer.unread > 0 && this.buffer.peek() !== Byte.CR;
    if (hasBegun) return waitFor('the end of the request line', '9112 3');
    return this.skippedEmptyLine ? AFTER_EMPTY_LINE : BETWEEN_REQUESTS;
  }

  /** @param bytes must not be changed afterwards */
  push(bytes: Buffer): void {
    this.buffer.push(bytes);
    this.canContinue = true;
  }

  /** The client sends nothing more. */
  end(): void {
    this.ended = true;
  }

  /** Reads on, at most to the end of one request. The next call continues after it. */
  next(): Outcome {
    if (this.rejected) return FINISHED;
    if (!this.canContinue) return this.ended ? this.finish() : this.waiting;
    try {
      const { value } = this.steps.next();
      if (value.kind === 'wait') {
        this.waiting = value;
        this.canContinue = false;
        return this.ended ? this.finish() : value;
      }
      // With nothing unread, an answer is ready without resuming the procedure.
      if (value.kind === 'request') this.canContinue = this.buffer.unread > 0;
      return value;
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      // A CR or LF where the grammar wants something else is a line end gone wrong.
      const { lineEndError } = this.buffer;
      return this.reject(lineEndError?.offset === error.offset ? lineEndError : error);
    }
  }

  private finish(): Outcome {
    if (!this.waiting.inRequest) return FINISHED;
    return this.giveUp('The client closed its sending side mid-request', 400);
  }

  /** Rejects a request that is not complete, and says what is still missing. */
  giveUp(reason: string, status: 400 | 408): Rejected {
    const { buffer, received, waiting } = this;
    const line = buffer.excerpt(buffer.offset).bytes.toString('latin1');
    if (this.method === '') [, this.method = ''] = /^(\S+) /.exec(line) ?? [];
    const text = `${reason}; still missing: ${waiting.missing}`;
    if (status === 400) return this.reject(allowedBy('9112 8', received, text));
    return this.reject(ourChoice('9110 15.5.9', received, text, { status }));
  }

  private reject(error: ProtocolError): Rejected {
    this.rejected = true;
    const excerpt = this.buffer.excerpt(error.offset);
    const unread = Math.max(0, this.received - error.offset - 1);
    return { kind: 'rejected', error, method: this.method, excerpt, unread };
  }

  /** How many bytes have arrived that are not read yet, and how many since the request began. */
  get unread(): number {
    return this.buffer.unread;
  }
  get received(): number {
    return this.buffer.offset + this.buffer.unread;
  }

  /** Whether a request has begun and is not complete. */
  get inRequest(): boolean {
    return this.waiting.inRequest;
  }

  /** Whether a new reader would do as well: no byte of a next request is here. */
  get isFresh(): boolean {
    return !this.waiting.inRequest && !this.skippedEmptyLine && this.buffer.unread === 0;
  }

  /** Whether the client sends nothing more, and at most an empty line is unread (9112 §2.2). */
  get isFinished(): boolean {
    const { buffer, ended } = this;
    const isEmptyLine =
      buffer.unread <= 2 && buffer.peek() === Byte.CR && (buffer.peek(1) ?? Byte.LF) === Byte.LF;
    return ended && (buffer.unread === 0 || isEmptyLine);
  }

  /** The content of the last request is not needed any more. */
  releaseContent(): void {
    this.content?.release();
    this.content = undefined;
  }
}

/** Content is decoded when a service asks for it, which the tasks never do. */
class ReceivedRequest implements Request {
  constructor(
    readonly method: string,
    readonly path: string,
    readonly headers: readonly FieldLine[],
    private readonly content: Content | undefined,
  ) {}

  get body(): string {
    return this.content?.text ?? '';
  }
}
