/** Adds to a trace what careless recipients would read differently: after each rejection,
 * and before the end of each request. It reads the bytes of the events again, with the
 * mistakes of src/naive. */
import { BYTES_LIMIT, findRisk } from '../naive/risk';
import { experimentOf } from '../study/experiments';
import type { TraceEvent } from './events';

type Sink = (event: TraceEvent) => unknown;

/** @param bytes of a request and of what followed it, a character for each
 * @param end where this server ends the request, or undefined if it rejects it
 * @returns a risk, and the number of the lab's experiment that shows it, if one does */
export function riskIn(bytes: string, end: number | undefined) {
  const risk = findRisk(bytes, end);
  const [experiment] = risk?.mistakes.flatMap((one) => experimentOf(one) ?? []) ?? [];
  const seeLab = experiment === undefined ? '' : ` (lab ${experiment})`;
  return risk && { ...risk, summary: risk.summary + seeLab, experiment };
}

/** @returns a sink that passes on every event, and each risk: before the event that ends its
 * request, but behind a rejection */
export function withRisk(sink: Sink): Sink {
  /** What has arrived on a connection since the request began that is being read: undefined
   * where that is too much, or was not seen from its beginning. */
  const inputs = new Map<number, string | undefined>();
  const see = (event: TraceEvent) => {
    const { connection, type } = event;
    const input = inputs.has(connection) ? inputs.get(connection) : '';
    if (type === 'read') {
      const isNext = input?.length === event.offset;
      const isKept = event.offset + event.bytes.length <= BYTES_LIMIT;
      inputs.set(connection, isNext && isKept ? input + event.bytes : undefined);
    } else if (type === 'parse' && event.part === 'request') {
      const { length, unread } = event;
      const isWhole = input?.length === length + unread;
      if (unread === 0) inputs.delete(connection);
      else inputs.set(connection, isWhole ? input.slice(length) : undefined);
      return input === undefined ? undefined : riskIn(input, length);
    } else if (type === 'reject' || type === 'gone') {
      inputs.delete(connection);
      if (type === 'reject' && input !== undefined) return riskIn(input, undefined);
    }
    return undefined;
  };
  return (event) => {
    const { at, connection } = event;
    const risk = see(event); // first, because the sink may change the event
    if (risk === undefined) return sink(event);
    const both = [{ at, connection, type: 'risk', ...risk } as const, event];
    if (event.type === 'reject') both.reverse();
    return Promise.all(both.map(sink));
  };
}
