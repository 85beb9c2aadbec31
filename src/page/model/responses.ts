/** What a client reads in the bytes that were written to it. Pure: it knows no page. */
import type { LineParts } from '../../http/parts';
import { ResponseReader } from '../../study/response-reader';
import type { PartData, ResponseData } from './page-data';

/** A response, or a part of one that is written by hand. */
export interface Write extends Pick<ResponseData, 'isSent' | 'length'> {
  readonly step: number;
  /** All of it, or its beginning. */
  readonly text: string;
  readonly isPart: boolean;
  /** How many of its last bytes were never sent, at most: that shows only later. */
  unsent: number;
}

/** @param writes to a request, in their order
 * @param method of that */
export function readResponses(writes: readonly Write[], method: string): ResponseData[] {
  if (writes[0]?.isPart === true) return read(writes, [method]);
  // A client may have written another response into one: that is read as the next.
  return writes.flatMap((one) => read([one], [method, 'GET']));
}

/** @returns each interim response, and what comes after them */
function read(writes: readonly Write[], methods: readonly string[]): ResponseData[] {
  const text = writes.map((one) => one.text).join('');
  const last = writes.at(-1);
  if (last === undefined) return [];
  const missing = writes.reduce((sum, one) => sum + one.length, 0) - text.length;
  let end = 0;
  const arrivals = writes.map(({ step, text: { length } }) => {
    end += length;
    return [step, end] as const;
  });
  const lines: LineParts[] = [];
  const describe = (line: LineParts): void => void lines.push(line);
  const reader = new ResponseReader({ methods, describe });
  reader.push(text);
  const starts = [0];
  for (let found = reader.next(); found.kind === 'response'; found = reader.next())
    if (found.isInterim) starts.push(found.offset + found.bytes.length);
  const froms = starts.filter((from) => from === 0 || from < text.length);

  return froms.map((from, index): ResponseData => {
    const to = froms[index + 1] ?? text.length;
    const own = text.slice(from, to);
    const arrived = arrivals
      .filter(([, until], at) => until > from && (arrivals[at - 1]?.[1] ?? 0) < to)
      .map(([step, until]) => [step, Math.min(until, to) - from] as const);
    const parts = lines.flatMap(({ kind, parts: all }): PartData[] => {
      const named = all.filter(({ offset }) => offset >= from && offset < to);
      const { length = 0, offset: at = 0 } =
        named.find(({ name }) => name === 'field-name') ?? {};
      return named.map(({ length: size, name, offset: start }) => {
        const arrival = arrivals.find(([, until]) => until >= start + size);
        return {
          name,
          offset: start - from,
          length: size,
          line: kind,
          step: arrival?.[0] ?? last.step,
          field: name === 'field-value' ? text.slice(at, at + length) : undefined,
        };
      });
    });
    const [, status = '??? no status line'] = /^\s*HTTP\/\S+ +([^\r\n]*)/.exec(own) ?? [];
    const length = own.length + (to === text.length ? missing : 0);
    const { isSent, unsent } = last;
    const about = { status, length, isSent, unsent };
    return { ...about, text: own, from: 0, arrivals: arrived, parts };
  });
}
