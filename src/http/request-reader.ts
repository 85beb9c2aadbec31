/**
 * Reads requests from the bytes of one connection, as 9112 §2.2 describes it: "read the start-line
 * into a structure, read each header field line into a hash table by field name until the empty
 * line, and then use the parsed data to determine if a message body is expected."
 *
 * `readRequests` says just that, from top to bottom. It is a generator: where bytes are missing it
 * yields, and it continues there when more have arrived. So it does not matter how they are cut. No
 * socket, no clock.
 */
import { Content, NO_CONTENT, type ContentBudget, type ContentBytes } from './content';
import { expectsContinue } from './expectation';
import { FieldSection } from './field-line';
import { determineFraming } from './framing';
import { Byte } from './grammar';
import { findControlFields, type ControlFields } from './header-fields';
import { checkHost } from './host';
import type { FieldLine, Request } from './message';
import {
  AFTER_EMPTY_LINE, BETWEEN_REQUESTS, FINISHED, waitFor,
  type Outcome, type ReaderEvent, type Steps, type Waiting,
} from './outcome';
import { determinePersistence } from './persistence';
import { allowedBy, ourChoice, ProtocolError } from './protocol-error';
import { ReceiveBuffer, type Excerpt, type Line } from './receive-buffer';
import { parseMethod, parseRequestLine, REQUEST_LINE_LIMIT } from './request-line';
import type { RequestTarget } from './request-target';

interface ReaderOptions {
  /** What the content of all readers together may hold; no limit by default. */
  readonly budget?: ContentBudget;
  readonly trace?: ((event: ReaderEvent) => void) | undefined;
}

export class RequestReader {
  private readonly buffer = new ReceiveBuffer();
  private readonly steps = this.readRequests();
  private waiting: Waiting = BETWEEN_REQUESTS;
  private skippedEmptyLine = false;
  /** Of the last request that has any. */
  private content: Content | undefined;
  /** Whether the procedure could get further than it did. */
  private canContinue = false;
  private ended = false;
  private rejected = false;
  /** Of the request that is being read, once it is known: a response to HEAD has no content. */
  method = '';

  constructor(private readonly options: ReaderOptions = {}) {}

  /** How many bytes have arrived that are not read yet. */
  get unread(): number {
    return this.buffer.unread;
  }

  /** How many bytes have arrived since the request began. */
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

  /**
   * @param reason why the request is given up before it is complete
   * @returns the error, which also says what is still missing
   */
  incompleteError(reason: string, status: 400 | 408): ProtocolError {
    const { buffer, received, waiting } = this;
    if (this.method === '') this.method = buffer.firstToken;
    const text = `${reason}; still missing: ${waiting.missing}`;
    return status === 408
      ? ourChoice('9110 15.5.9', received, text, { status })
      : allowedBy('9112 8', received, text);
  }

  /** The line around an offset, to show what is wrong with it. */
  excerpt(offset: number): Excerpt {
    return this.buffer.excerpt(offset);
  }

  /** The content of the last request is not needed any more. */
  releaseContent(): void {
    this.content?.release();
    this.content = undefined;
  }

  private finish(): Outcome {
    if (!this.waiting.inRequest) return FINISHED;
    return this.reject(this.incompleteError('The client closed its sending side mid-request', 400));
  }

  private reject(error: ProtocolError): Outcome {
    this.rejected = true;
    return { kind: 'rejected', error };
  }

  /** 9112 §2.2, from top to bottom. Yields where bytes are missing, and after each request. */
  private *readRequests(): Steps<never> {
    const { buffer } = this;
    const { trace } = this.options;
    for (;;) {
      const line = this.takeRequestLine() ?? (yield* this.waitForRequestLine());
      this.method = parseMethod(line);
      const { method } = this;
      const { target, version } = parseRequestLine(line, method);
      trace?.({ type: 'parse', part: 'request line', method, target, version });

      const header = new FieldSection('header', buffer.offset);
      while (!header.take(buffer)) yield waitFor(...header.missing(buffer));
      const headers = header.lines;
      const fields = findControlFields(headers);
      checkHost(version, target, fields.host, buffer, buffer.offset - 2);
      trace?.(describeHeader(headers, fields, target));

      const framing = determineFraming(version, fields);
      trace?.({ type: 'frame', framing });
      const awaitsContinue = expectsContinue(version, fields.expect);
      const persistence = determinePersistence(version, method, fields.connection);
      trace?.({ type: 'keep', persistence });
      buffer.discardRead();

      let body = NO_CONTENT;
      if (framing.kind !== 'none') {
        const content = (this.content = new Content(buffer, this.options.budget, trace));
        const asks = awaitsContinue && buffer.unread === 0 && !this.ended;
        body = content.takeWhole(framing) ?? (yield* content.read(framing, asks));
      }

      buffer.startRequest();
      this.waiting = BETWEEN_REQUESTS;
      this.skippedEmptyLine = false;
      this.method = '';
      const request = new ReceivedRequest(method, target.path, headers, body);
      yield { kind: 'request', request, persistence };
    }
  }

  /** One empty line before it is ignored: some clients send one too many (9112 §2.2). */
  private takeRequestLine(): Line | undefined {
    const { buffer } = this;
    const { offset } = buffer;
    if (!buffer.takeEmptyLine()) return buffer.takeLine(REQUEST_LINE_LIMIT);
    if (this.skippedEmptyLine) {
      // 9112 §2.2 asks to ignore at least one. A server that ignores all of them reads for ever.
      throw allowedBy('9112 2.2', offset, 'More than one empty line before the request line');
    }
    this.skippedEmptyLine = true;
    return this.takeRequestLine();
  }

  private *waitForRequestLine(): Steps<Line> {
    const { buffer } = this;
    for (;;) {
      const hasBegun = buffer.unread > 0 && buffer.peek() !== Byte.CR;
      yield hasBegun
        ? waitFor('the end of the request line', '9112 3')
        : this.skippedEmptyLine
          ? AFTER_EMPTY_LINE
          : BETWEEN_REQUESTS;
      const line = this.takeRequestLine();
      if (line !== undefined) return line;
    }
  }
}

function describeHeader(
  { length }: readonly FieldLine[],
  { host }: ControlFields,
  { form }: RequestTarget,
): ReaderEvent {
  return { type: 'parse', part: 'header section', lines: length, host: host[0]?.value, form };
}

/** Content is decoded when a service asks for it, which the tasks never do. */
class ReceivedRequest implements Request {
  constructor(
    readonly method: string,
    readonly path: string,
    readonly headers: readonly FieldLine[],
    private readonly content: ContentBytes,
  ) {}

  get body(): string {
    const { bytes, from, to } = this.content;
    return bytes.toString('latin1', from, to);
  }
}
