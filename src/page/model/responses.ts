/** What a client reads in the bytes that were written to it. Pure: it knows no page. */
import type { LineParts } from '../../http/parts';
import { ResponseReader } from '../../study/response-reader';

/** An interim response, or what comes after those. */
export interface Written {
  readonly text: string;
  /** Where it starts in all that was written. */
  readonly from: number;
  readonly status: string;
  /** Its lines, and the names of those that are fields. */
  readonly lines: readonly (LineParts & { readonly field: string })[];
}

/** @param text a character for each byte
 * @param methods of the requests that await a response */
export function readWritten(text: string, methods: readonly string[]): Written[] {
  const lines: LineParts[] = [];
  const describe = (line: LineParts): void => void lines.push(line);
  const reader = new ResponseReader({ methods, describe });
  reader.push(text);
  const starts = [0];
  for (let read = reader.next(); read.kind === 'response'; read = reader.next())
    if (read.isInterim) starts.push(read.offset + read.bytes.length);
  return starts
    .filter((from, index) => index === 0 || from < text.length)
    .map((from, index) => {
      const to = starts[index + 1] ?? text.length;
      const own = text.slice(from, to);
      const [, status = '??? no status line'] = /^\s*HTTP\/\S+ +([^\r\n]*)/.exec(own) ?? [];
      const moved = lines.flatMap(({ kind, parts: all }) => {
        const parts = all
          .filter(({ offset }) => offset >= from && offset < to)
          .map((part) => ({ ...part, offset: part.offset - from }));
        const [name] = parts.filter((part) => part.name === 'field-name');
        const field = name ? own.slice(name.offset, name.offset + name.length) : '';
        return parts.length === 0 ? [] : { kind, parts, field };
      });
      return { text: own, from, status, lines: moved };
    });
}
