/**
 * The reading machine: octets in, requests and refusals out. No socket, no clock.
 *
 * A step reads one part of the message (the files beside this one know how) and leaves every octet that it did not use. So it does not
 * matter how the octets are cut: what was read stays read, and reading goes on at the octet where it stopped.
 */
import { readFraming, type Framing } from './body-length';
import { ChunkedBody, type ChunkEvent } from './chunked';
import { Content, CONTENT_LIMIT } from './content';
import { readExpectation } from './expectation';
import { bareCr, Failure } from './failure';
import { FieldSection } from './field-line';
import { readSteering } from './field-list';
import { wrongHost } from './host';
import { Input, type Excerpt } from './input';
import type { FieldLine, Request } from './message';
import { Octet } from './octets';
import { PERSISTENT, readPersistence, type Persistence } from './persistence';
import { readMethod, readTargetOctets, readVersion, RequestLine } from './request-line';
import type { Form } from './request-target';

/** The states, and to which each may lead. Wherever octets are read, more may be needed. */
export const READING = {
  emptyLine: ['method', 'refused'],
  method: ['target', 'refused'],
  target: ['version', 'refused'],
  version: ['fieldLines', 'refused'],
  fieldLines: ['expectation', 'content', 'chunked', 'complete', 'refused'],
  expectation: ['content', 'chunked'],
  content: ['complete', 'refused'],
  chunked: ['complete', 'refused'],
  complete: ['emptyLine'],
  refused: [],
} as const;

export type ReadingState = keyof typeof READING;
type Active = Exclude<ReadingState, 'complete' | 'refused'>;
type After<S extends Active> = Exclude<(typeof READING)[S][number], 'refused'> | 'needMore' | Failure;

/** What `next` found. */
export type Reading =
  /** The octets end inside a request, or before one. */
  | { readonly kind: 'needMore' }
  /** The client waits for 100 (Continue) before it sends its content. */
  | { readonly kind: 'continue' }
  | { readonly kind: 'request'; readonly request: Request; readonly persistence: Persistence }
  /** What stands here is no well-formed request, and nothing after it is read. */
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** The client sends no more, and everything that it sent was read. */
  | { readonly kind: 'finished' };

const NEED_MORE: Reading = { kind: 'needMore' };
const CONTINUE: Reading = { kind: 'continue' };
const FINISHED: Reading = { kind: 'finished' };

/** What the reader tells to somebody who follows it, as it happens. */
export type ReadingEvent =
  | ChunkEvent
  | { readonly type: 'request line'; readonly method: string; readonly form: Form; readonly path: string; readonly version: string }
  | { readonly type: 'header section'; readonly lines: readonly FieldLine[]; readonly host: string | undefined }
  | { readonly type: 'framing'; readonly framing: Framing }
  | { readonly type: 'persistence'; readonly persistence: Persistence }
  | { readonly type: 'expectation' }
  | { readonly type: 'wait'; readonly missing: string; readonly section: string };

/** A request whose content is still to come. */
type Draft = { -readonly [K in keyof Request]: Request[K] };

export class RequestReader {
  private state: ReadingState = 'emptyLine';
  private readonly input = new Input();
  private readonly line = new RequestLine();
  private readonly fields = new FieldSection();
  /** The request, from the end of its header section on. */
  private request: Draft | undefined;
  private persistence = PERSISTENT;
  private content = new Content();
  /** Octets of content by Content-Length that are still to come. */
  private left = 0;
  private chunked: ChunkedBody | undefined;
  private ended = false;

  /** @param tell hears what is decided, as it is decided */
  constructor(private readonly tell?: (event: ReadingEvent) => void) {}

  /** How many octets have come that are not read yet. */
  get unread(): number {
    return this.input.unread;
  }

  /** How many octets have come since the request began. */
  get received(): number {
    return this.input.offset + this.input.unread;
  }

  /** Whether a request has begun and is not complete. An empty line begins none. */
  get inRequest(): boolean {
    return this.state !== 'emptyLine' && this.state !== 'complete' && this.received > this.line.start;
  }

  /** Whether it is as a new one would be: not even an empty line has come. */
  get isFresh(): boolean {
    return this.state === 'emptyLine' && this.unread === 0;
  }

  /** Whether the client sends no more, and nothing that needs an answer is unread: nothing at all, or what there is of an empty line (9112 §2.2). */
  get isFinished(): boolean {
    const { ended, unread, input } = this;
    return ended && (unread === 0 || (unread <= 2 && input.peek() === Octet.CR && (unread === 1 || input.peek(1) === Octet.LF)));
  }

  /** The method of the request that is being read, as far as it has come. */
  get method(): string {
    return this.request?.method ?? this.input.text(this.line.start, this.line.methodEnd);
  }

  /** Takes octets in. They must not be changed afterwards. */
  push(octets: Buffer): void {
    this.input.push(octets);
  }

  /** The client sends no more. */
  end(): void {
    this.ended = true;
  }

  /** Reads as far as the octets go, at most to the end of one request. The next call begins behind it. */
  next(): Reading {
    if (this.state === 'refused') return FINISHED;
    let state = this.state === 'complete' ? this.begin() : this.state;
    for (;;) {
      const after = this.step(state);
      if (after === 'needMore') return this.needMore();
      if (typeof after !== 'string') return this.refuse(after);
      this.state = after;
      if (after === 'complete') return this.complete();
      if (after === 'expectation') {
        this.tell?.({ type: 'expectation' });
        return CONTINUE;
      }
      state = after;
    }
  }

  /** Gives a request up that is not complete. @param sentence why, which is not in its octets */
  abandon(status: 400 | 408, section: string, sentence: string): Failure {
    return new Failure(status, section, `${sentence}: still missing is ${this.missing.missing}`, this.received);
  }

  /** @returns the line around an offset, for whoever wants to see what was wrong with it */
  excerpt(offset: number): Excerpt {
    return this.input.line(offset);
  }

  private begin(): 'emptyLine' {
    this.input.begin();
    this.line.begin(0);
    this.chunked = this.request = undefined;
    this.state = 'emptyLine';
    return this.state;
  }

  private complete(): Reading {
    const { request, persistence } = this;
    return request === undefined ? FINISHED : { kind: 'request', request, persistence };
  }

  private needMore(): Reading {
    if (this.inRequest) {
      if (this.ended) return this.refuse(this.abandon(400, '9112 8', 'The client closed its side in mid-request'));
      this.tell?.({ type: 'wait', ...this.missing });
    }
    return this.ended ? FINISHED : NEED_MORE;
  }

  private refuse(failure: Failure): Reading {
    this.state = 'refused';
    return { kind: 'refused', failure };
  }

  /** What a request that is not complete lacks next, and the section that wants it. */
  private get missing(): { readonly missing: string; readonly section: string } {
    const lacking: { readonly [S in ReadingState]?: readonly [missing: string, section: string] } = {
      method: ['the SP after the method', '9112 3'],
      target: ['the SP after the request-target', '9112 3'],
      version: ['the CRLF after the HTTP-version', '9112 3'],
      fieldLines: ['the empty line after the field lines', '9112 2.1'],
      expectation: ['the content that 100 (Continue) asked for', '9110 10.1.1'],
      content: [`${this.left} octets of the content`, '9112 6.2'],
      chunked: [this.chunked?.missing ?? '', '9112 7.1'],
    };
    const [missing, section] = lacking[this.state] ?? ['the request line', '9112 3'];
    return { missing, section };
  }

  /** One step a state. An edge that READING does not draw does not compile. */
  private step(state: Active): After<Active> {
    const { input, line } = this;
    switch (state) {
      case 'emptyLine':
        return this.readEmptyLine() satisfies After<'emptyLine'>;
      case 'method':
        return readMethod(input, line) satisfies After<'method'>;
      case 'target':
        return readTargetOctets(input, line) satisfies After<'target'>;
      case 'version':
        return this.readVersion() satisfies After<'version'>;
      case 'fieldLines':
        return this.readFieldLines() satisfies After<'fieldLines'>;
      case 'expectation':
        return (input.unread === 0 ? 'needMore' : this.chunked === undefined ? 'content' : 'chunked') satisfies After<'expectation'>;
      case 'content':
        return this.readContent() satisfies After<'content'>;
      case 'chunked':
        return this.readChunked() satisfies After<'chunked'>;
    }
  }

  /** One empty line before a request line is passed over: some clients send one too many after a content (9112 §2.2). */
  private readEmptyLine(): After<'emptyLine'> {
    const { input, line } = this;
    const first = input.peek();
    if (first === Octet.NONE) return 'needMore';
    if (first === Octet.CR) {
      const lf = input.peek(1);
      if (lf === Octet.NONE) return 'needMore';
      if (lf !== Octet.LF) return bareCr(input.offset);
      input.at += 2;
    }
    line.begin(input.offset);
    return 'method';
  }

  private readVersion(): After<'version'> {
    const { input, line } = this;
    const after = readVersion(input, line);
    if (after !== 'fieldLines') return after;
    this.fields.begin(input.offset);
    if (this.tell !== undefined) {
      const text = input.text(line.start, input.offset);
      this.tell({ type: 'request line', method: line.method(text), form: line.target?.form ?? 'origin-form', path: line.path(text), version: line.version });
    }
    return after;
  }

  private readFieldLines(): After<'fieldLines'> {
    const after = this.fields.read(this.input);
    return after === 'end' ? this.judge() : after;
  }

  /** The header section is whole: the request is cut from its text, then Host, framing and Expect are judged, in this order. */
  private judge(): After<'fieldLines'> {
    const { input, line } = this;
    const { version } = line;
    const text = input.text(line.start, input.offset);
    const method = line.method(text);
    const headers = this.fields.cut(input, text, line.start);
    this.request = { method, path: line.path(text), headers, body: '' };

    const steering = readSteering(headers);
    const end = input.offset - 2;
    const failure = wrongHost(version, steering.host, input, end);
    if (failure !== undefined) return failure;
    this.tell?.({ type: 'header section', lines: headers, host: steering.host[0]?.value });

    const framing = readFraming(version, steering);
    if (framing.kind === 'failure') return framing;
    this.tell?.({ type: 'framing', framing });

    const expected = readExpectation(version, steering.expect);
    if (typeof expected !== 'boolean') return expected;
    this.persistence = readPersistence(version, method, steering.connection);
    this.tell?.({ type: 'persistence', persistence: this.persistence });

    input.release();
    return framing.kind === 'none' ? 'complete' : this.beginContent(framing, expected);
  }

  /** Content is announced. It is waited for, asked for where the client expects that, or empty. */
  private beginContent(framing: Exclude<Framing, { kind: 'none' }>, expected: boolean): After<'fieldLines'> {
    const { input } = this;
    const waits = expected && input.unread === 0 && !this.ended;
    if (framing.kind === 'chunked') {
      this.chunked = new ChunkedBody(input.offset, this.tell);
      return waits ? 'expectation' : 'chunked';
    }
    this.left = framing.length;
    if (framing.length === 0) return 'complete';
    if (waits && framing.length > CONTENT_LIMIT) return this.tooLarge();
    return waits ? 'expectation' : 'content';
  }

  /** Content by Content-Length (9112 §6.2). One that is too large is refused when its first octet shows that it will come. */
  private readContent(): After<'content'> {
    const { input, content, left } = this;
    if (input.unread === 0) return 'needMore';
    if (left > CONTENT_LIMIT) return this.tooLarge();
    if (content.length === 0 && input.unread >= left) {
      const text = input.text(input.offset, input.offset + left);
      input.at += left;
      return this.finish(text);
    }
    this.left -= content.take(input, left);
    input.release();
    if (this.left > 0) return 'needMore';
    this.content = new Content();
    return this.finish(content.text());
  }

  private readChunked(): After<'chunked'> {
    const after = this.chunked?.read(this.input) ?? 'needMore';
    return after === 'end' ? this.finish(this.chunked?.content.text() ?? '') : after;
  }

  private finish(body: string): 'complete' {
    if (this.request !== undefined) this.request.body = body;
    return 'complete';
  }

  private tooLarge(): Failure {
    return new Failure(413, '9110 15.5.14', `The content is longer than ${CONTENT_LIMIT} octets`, this.input.offset);
  }
}
