/** What the reader and the parsers tell, step by step, of what they find. A reader has an
 * observer only if there is a trace. */
import type { ChunkLine } from './chunk-line';
import type { ControlFields } from './control-fields';
import type { Framing } from './framing';
import type { FieldLine } from './message';
import type { Persistence } from './persistence';
import type { Excerpt, Line } from './receive-buffer';
import type { RequestLine } from './request-line';
import type { RequestTarget } from './request-target';

export interface Observer {
  /** An empty line before the request line was ignored. It ends at the offset `end`. */
  emptyLine(end: number): void;
  requestLine(line: Line, requestLine: RequestLine): void;
  fieldLine(section: 'header' | 'trailer', line: Line, fieldLine: FieldLine): void;
  /** The header section is complete, and its fields are judged next. Its empty line ends at
   * the offset `end`. */
  beginJudging(end: number): void;
  headerSection(
    lines: readonly FieldLine[],
    fields: ControlFields,
    form: RequestTarget['form'],
  ): void;
  decision(decision: Decision): void;
  content(offset: number, length: number): void;
  /** What is read next, where the last event does not imply it. */
  begin(next: 'chunk line' | 'end of the chunk'): void;
  /** `number` counts the chunks so far, and `read` the bytes of data before this one. */
  chunkLine(number: number, read: number, line: Line, chunk: ChunkLine): void;
  chunkEnd(number: number, end: number): void;
  trailerSection(lines: readonly FieldLine[], end: number): void;
  /** `unread` bytes have arrived after it; the excerpt is the first line of those. */
  request(length: number, unread: number, excerpt: Excerpt): void;
  /** `wrong` is the offset of the wrong byte; the excerpt is the line that it is in. */
  rejected(wrong: number, excerpt: Excerpt): void;
}

/** The type is the verb of its line in the trace. */
export type Decision =
  | { type: 'frame'; framing: Framing }
  | { type: 'keep'; persistence: Persistence }
  // Why the client does not get the 100 (Continue) that it expects, if it does not.
  | { type: 'expect'; ignoredBecause: string | undefined };
