/** Reads requests from the bytes of one connection, as 9112 §2.2 describes it: "read the start-line
 * into a structure, read each header field line into a hash table by field name until the empty
 * line, and then use the parsed data to determine if a message body is expected."
 *
 * `readRequests` says just that, from top to bottom. It is a generator: where bytes are missing it
 * yields, and it continues there when more have arrived, however they are cut. */
import { Content, type ContentBudget } from './content';
import { FieldSection, findControlFields } from './field-line';
import { determineFraming } from './framing';
import { TCHAR } from './grammar';
import { checkHost } from './host';
import type { FieldLine, Request } from './message';
import { waitFor, type Outcome, type ReaderEvent, type Rejected, type Steps } from './outcome';
import { determinePersistence, expectsContinue } from './persistence';
import { allowedBy, ourChoice, ProtocolError } from './protocol-error';
import { ReceiveBuffer, type Line } from './receive-buffer';
import { parseMethod, parseTarget, parseVersion, REQUEST_LINE_LIMIT } from './request-line';

const BETWEEN_REQUESTS = waitFor('a request', '9112 2.1', false);
const AFTER_EMPTY_LINE = waitFor('a request line after the empty line', '9112 2.2', false);
const AFTER_CONTINUE = waitFor('the content that 100 (Continue) asks for', '9110 10.1.1');
const FINISHED: Outcome = { kind: 'finished' };
/** A method is known once SP follows it, though its line is not complete. */
const METHOD = new RegExp(`^(${TCHAR}+) `);

type ReaderOptions = { budget?: ContentBudget; trace?: ((event: ReaderEvent) => void) | undefined };

export class RequestReader {
  private readonly buffer = new ReceiveBuffer();
  private readonly steps = this.readRequests();
  private waiting = BETWEEN_REQUESTS;
  private method = ''; // of the request that is being read, once it is known
  private content: Content | undefined; // of the last request that had any
  private ended = false;
  private rejected = false;
  constructor(private readonly options: ReaderOptions = {}) {}

  /** @param bytes must not be changed afterwards */
  push(bytes: Buffer): void {
    this.buffer.push(bytes);
  }
  /** The client sends nothing more. */
  end(): void {
    this.ended = true;
  }

  /** Reads on, at most to the end of one request. The next call continues after it. */
  next(): Outcome {
    if (this.rejected) return FINISHED;
    try {
      // With nothing unread, the answer is known without resuming the procedure.
      if (this.buffer.unread > 0) {
        const { value } = this.steps.next();
        if (value.kind !== 'wait') return value;
        this.waiting = value;
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      // A CR or LF where the grammar wants something else is a line end gone wrong.
      const { lineEndError } = this.buffer;
      return this.reject(lineEndError?.offset === error.offset ? lineEndError : error);
    }
    if (!this.ended) return this.waiting;
    if (!this.waiting.inRequest) return FINISHED;
    return this.giveUp('The client closed its sending side mid-request', 400);
  }

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
      const host = fields.host[0]?.value;
      trace?.({ type: 'parse', part: 'header section', lines: headers, host, form: target.form });

      const framing = determineFraming(version, fields);
      trace?.({ type: 'frame', framing });
      const awaitsContinue = expectsContinue(version, fields.expect);
      const persistence = determinePersistence(version, method, fields.connection);
      trace?.({ type: 'keep', persistence });

      let content: Content | undefined;
      if (framing.kind !== 'none') {
        buffer.discardRead(); // The head is judged: from here on, only content is held.
        content = this.content = new Content(buffer, budget, trace);
        if (!content.takeWhole(framing)) {
          if (awaitsContinue && buffer.unread === 0 && !this.ended) {
            content.allowContinue(framing);
            this.waiting = AFTER_CONTINUE;
            yield { kind: 'continue' };
          }
          yield* content.read(framing);
        }
      }

      // What follows belongs to the next request, even while this one waits for its turn.
      buffer.startRequest();
      this.waiting = BETWEEN_REQUESTS;
      this.method = '';
      const request = new ReceivedRequest(method, target.path, headers, content);
      yield { kind: 'request', request, persistence };
    }
  }

  /** Ignores one empty line before it: some clients send one too many (9112 §2.2). */
  private takeRequestLine(): Line | undefined {
    const line = this.buffer.takeLine(REQUEST_LINE_LIMIT);
    if (line === undefined || line.end > line.start) return line;
    const offset = line.offsetOf(line.start);
    if (offset === 0) return this.takeRequestLine();
    // 9112 §2.2 asks to ignore at least one. Ignoring them all, we could be kept reading forever.
    throw allowedBy('9112 2.2', offset, 'More than one empty line before the request line');
  }

  private get missingRequestLine() {
    if (this.buffer.hasBegunLine) return waitFor('the end of the request line', '9112 3');
    return this.buffer.offset > 0 ? AFTER_EMPTY_LINE : BETWEEN_REQUESTS;
  }

  /** Rejects a request that is not complete, and says what is still missing. */
  giveUp(reason: string, status: 400 | 408): Rejected {
    const { buffer, received, waiting } = this;
    const line = buffer.excerpt(buffer.offset).bytes.toString('latin1');
    if (this.method === '') this.method = METHOD.exec(line)?.[1] ?? '';
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
  /** Whether the client sends nothing more, and at most an empty line is unread (9112 §2.2). */
  get isFinished(): boolean {
    const {
      buffer: { position, unread },
      ended,
    } = this;
    return ended && unread <= 2 && '\r\n'.startsWith(this.buffer.text(position, position + unread));
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
