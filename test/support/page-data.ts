/** Events as the page of a trace has them. */
import type { TraceEvent } from '../../src/index';
import { Conversation } from '../../src/page/model/conversation';
import type { GlossaryEntry, PageData } from '../../src/page/model/page-data';
import { TraceRecorder } from '../../src/trace/recorder';

/** @returns the lines of their file */
export function linesOf(events: Iterable<TraceEvent>): string[] {
  const recorder = new TraceRecorder();
  for (const event of events) recorder.record(event);
  return [...recorder.linesAfter(0)];
}

/** @param now the time of the server, on a live page */
export function dataOf(events: Iterable<TraceEvent>, now?: number): PageData {
  return Conversation.of(linesOf(events)).describe(now);
}

/** @returns what is explained of the parts of all messages, each once */
export function glossaryOf({ exchanges }: PageData): GlossaryEntry[] {
  const messages = exchanges.flatMap(({ request, responses }) => [request, ...responses]);
  return [...new Set(messages.flatMap(({ parts }) => parts.map(([entry]) => entry)))];
}
