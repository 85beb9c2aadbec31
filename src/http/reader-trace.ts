/** Tells a trace what the reader and the parsers find, step by step. */
import type { ChunkLine } from './chunk-line';
import type { ControlFields } from './control-fields';
import type { Framing } from './framing';
import type { FieldLine } from './message';
import {
  chunkParts,
  controlFieldParts,
  crlfBefore,
  fieldLineParts,
  partsBefore,
  partsFrom,
  requestLineParts,
  type LineKind,
  type Part,
} from './parts';
import type { Persistence } from './persistence';
import type { Excerpt, Line } from './receive-buffer';
import type { RequestLine } from './request-line';
import type { RequestTarget } from './request-target';

/** The type is the verb of its line in the trace. The `parts` are those of the bytes that
 * the decision is about, if there are any. */
export type ReaderEvent = Readonly<
  // An empty line before the request line, which is ignored.
  | { type: 'parse'; part: 'empty line'; parts?: readonly Part[] }
  | {
      type: 'parse';
      part: 'request line';
      method: string;
      target: RequestTarget;
      version: string; // as it was sent, such as "HTTP/1.1"
      parts?: readonly Part[];
    }
  | {
      type: 'parse';
      part: 'field line';
      section: 'header' | 'trailer';
      line: FieldLine;
      parts?: readonly Part[];
    }
  | {
      type: 'parse';
      part: 'header section';
      lines: readonly FieldLine[];
      host: string | undefined;
      form: RequestTarget['form'];
      parts?: readonly Part[]; // the empty line, and values with a grammar of their own
    }
  | { type: 'frame'; framing: Framing }
  | { type: 'keep'; persistence: Persistence }
  | { type: 'expect'; ignoredBecause: string | undefined }
  // Content by length: the bytes that it has, though they may not have arrived.
  | { type: 'parse'; part: 'content'; parts?: readonly Part[] }
  | {
      type: 'parse';
      part: 'chunk';
      number: number;
      size: number;
      digits: string; // the size as it was sent
      extensions: number; // how many bytes of extensions are dropped
      offset: number; // of its data
      parts?: readonly Part[]; // of its line, and the data, which may not have arrived
    }
  // The CRLF after the data of a chunk.
  | { type: 'parse'; part: 'chunk end'; number: number; parts?: readonly Part[] }
  | {
      type: 'parse';
      part: 'last chunk';
      chunks: number;
      size: number; // of the whole content
      extensions: number;
      offset: number; // of its line
      parts?: readonly Part[];
    }
  | {
      type: 'parse';
      part: 'trailer section';
      lines: readonly FieldLine[];
      end: number;
      parts?: readonly Part[]; // the empty line
    }
  // The request is complete.
  | {
      type: 'parse';
      part: 'request';
      number: number; // on its connection, from 1
      length: number; // all its bytes
      unread: number; // how many bytes have arrived after it
      next: string; // the beginning of those: of one line, at most 1,024 bytes
    }
  // What was being read when the request was rejected, and its parts before the wrong byte.
  // The empty line is one of them: it was read before the fields are judged.
  | {
      type: 'parse';
      part: 'rejected line';
      kind: LineKind;
      parts?: readonly Part[];
    }
>;

type Told = Extract<ReaderEvent, { type: 'parse' }>;

/** What is read after a part has been told, where that changes. */
const NEXT: { readonly [Part in Told['part']]?: LineKind } = {
  'request line': 'header field line',
  content: 'content',
  chunk: 'chunk data',
  'chunk end': 'chunk line',
  'last chunk': 'trailer field line',
  'trailer section': 'end of the trailer section',
  request: 'request line',
};

/** How much is told of what follows a request. */
const NEXT_SHOWN = 1024;

/** Takes what the parsers return, and tells a sink. A reader has one only if there is a
 * trace. A sink may keep what it gets and write into it, so it gets copies of all that the
 * server goes on with. */
export class ReaderTrace {
  /** What is being read: what follows the part told last, or what begin() noted. */
  private kind: LineKind = 'request line';
  /** The empty line after the fields, until it is told with what they say. */
  private untold: readonly Part[] = [];
  /** How many requests were complete. */
  private requests = 0;

  constructor(private readonly sink: (event: ReaderEvent) => void) {}

  private tell(event: Told): void {
    this.sink(event);
    this.kind = NEXT[event.part] ?? this.kind;
  }

  /** Notes what is read next, where the part that was told last does not say it. */
  begin(kind: LineKind): void {
    this.kind = kind;
  }

  /** What the header section says is judged.
   * @param end the offset after the empty line */
  beginJudging(end: number): void {
    this.begin('end of the header section');
    this.untold = crlfBefore(end);
  }

  emptyLine(end: number): void {
    this.tell({ type: 'parse', part: 'empty line', parts: crlfBefore(end) });
  }

  requestLine(line: Line, { method, minorVersion, ...own }: RequestLine): void {
    const target = { ...own.target };
    const version = `HTTP/1.${minorVersion}`;
    const parts = requestLineParts(line, method);
    this.tell({ type: 'parse', part: 'request line', method, target, version, parts });
  }

  fieldLine(section: 'header' | 'trailer', line: Line, fieldLine: FieldLine): void {
    const parts = fieldLineParts(line, fieldLine);
    const copy = { ...fieldLine };
    this.tell({ type: 'parse', part: 'field line', section, line: copy, parts });
  }

  headerSection(
    lines: readonly FieldLine[],
    fields: ControlFields,
    form: RequestTarget['form'],
  ): void {
    const parts = [...this.untold, ...controlFieldParts(fields)];
    this.untold = [];
    const host = fields.host[0]?.value;
    const part = 'header section';
    this.tell({ type: 'parse', part, lines: copiesOf(lines), host, form, parts });
  }

  framing(framing: Framing): void {
    this.sink({ type: 'frame', framing: { ...framing } });
  }

  persistence(persistence: Persistence): void {
    this.sink({ type: 'keep', persistence: { ...persistence } });
  }

  /** @param ignoredBecause why the client does not get the 100 (Continue) it expects */
  expect(ignoredBecause: string | undefined): void {
    this.sink({ type: 'expect', ignoredBecause });
  }

  content(offset: number, length: number): void {
    const parts = partsFrom(offset, ['content', length]);
    this.tell({ type: 'parse', part: 'content', parts });
  }

  chunk(number: number, line: Line, chunk: ChunkLine): void {
    const { extensions, size } = chunk;
    const parts = chunkParts(line, chunk);
    const digits = line.text(line.start, line.end - extensions);
    const offset = line.offsetOf(line.end) + '\r\n'.length;
    this.tell({
      type: 'parse',
      part: 'chunk',
      number,
      size,
      digits,
      extensions,
      offset,
      parts,
    });
  }

  /** @param end the offset after the CRLF that follows the data */
  chunkEnd(number: number, end: number): void {
    this.tell({ type: 'parse', part: 'chunk end', number, parts: crlfBefore(end) });
  }

  /** @param chunks how many there were before it
   * @param size of the whole content */
  lastChunk(chunks: number, size: number, line: Line, chunk: ChunkLine): void {
    const { extensions } = chunk;
    const offset = line.offsetOf(line.start);
    const parts = chunkParts(line, chunk);
    this.tell({
      type: 'parse',
      part: 'last chunk',
      chunks,
      size,
      extensions,
      offset,
      parts,
    });
  }

  /** @param end the offset after the empty line */
  trailerSection(lines: readonly FieldLine[], end: number): void {
    const parts = crlfBefore(end);
    const copies = copiesOf(lines);
    this.tell({ type: 'parse', part: 'trailer section', lines: copies, end, parts });
  }

  /** @param unread how many bytes have arrived after it
   * @param excerpt the first line of those */
  request(length: number, unread: number, { bytes }: Excerpt): void {
    this.requests += 1;
    const next = bytes.toString('latin1', 0, NEXT_SHOWN);
    const { requests: number } = this;
    this.tell({ type: 'parse', part: 'request', number, length, unread, next });
  }

  /** @param wrong the offset of the wrong byte
   * @param excerpt what has arrived of the line that it is in */
  rejected(wrong: number, excerpt: Excerpt): void {
    const parts = [...this.untold, ...partsBefore(wrong, this.kind, excerpt)];
    this.tell({ type: 'parse', part: 'rejected line', kind: this.kind, parts });
  }
}

function copiesOf(lines: readonly FieldLine[]): FieldLine[] {
  return lines.map((line) => ({ ...line }));
}
