/** What the page shows of a trace: conversation.ts makes it, and the view draws it. Steps
 * are named by their index. */
import type { LineKind, Part } from '../../http/parts';
import type { Fault } from '../../http/protocol-error';
import type { TraceEvent } from '../../trace/events';
import type { EventOf } from '../../trace/explain';
import type { ProxyLine } from '../../trace/proxy-events';

export interface PageData {
  /** In the order in which they began. What the server does by itself comes last. */
  readonly exchanges: readonly ExchangeData[];
  /** Every decision of the server, in their order. */
  readonly steps: readonly StepData[];
  /** What the proxy did, if there is one. */
  readonly proxy: readonly ProxyLine[];
  /** What the page has no room for, or ''. */
  readonly leftOut: string;
  /** On a live page, the time of the server, in milliseconds: it goes on. */
  now?: number | undefined;
  /** Whether it was live, and nobody can tell any more what happens. */
  readonly isLost?: boolean;
}

/** A request and its response. Where nothing was sent, or nothing responded, the rest. */
export interface ExchangeData {
  /** 0 for what the server does by itself. */
  readonly connection: number;
  /** Which request of its connection it is, from 1; 0 without a request. */
  readonly number: number;
  /** Its address, or '' if it was gone already; undefined where that is left out. */
  readonly remote: string | undefined;
  /** What the lanes call it: the request line without the version, or what is there. */
  readonly title: string;
  readonly request: MessageData;
  /** How many bytes the request has, where it is complete. */
  readonly length: number | undefined;
  /** 100 (Continue), if there is one, and the response. */
  readonly responses: readonly ResponseData[];
  /** Which request it is in the log of the server, if it was handled. */
  readonly turn: number | undefined;
  readonly rejection: RejectionData | undefined;
  /** Where careless recipients would end the request, if elsewhere. */
  readonly other: OtherReadings | undefined;
  /** Why there is no response, or ''. */
  readonly outcome: string;
  /** The steps that are about it. A step may be about several exchanges. */
  readonly steps: readonly number[];
}

/** One decision of the server. */
export interface StepData {
  /** Milliseconds since the server started. */
  readonly at: number;
  /** 0 for the server itself. */
  readonly connection: number;
  readonly verb: TraceEvent['type'];
  readonly lines: readonly string[];
  /** A wait may take this many seconds, from this step on: it may have begun before. */
  readonly limit?: { readonly seconds: number; readonly from: number } | undefined;
}

export interface MessageData {
  /** Its bytes, a character for each, and the offset of the first: those before it are
   * left out. */
  readonly text: string;
  readonly from: number;
  /** At which step how many bytes had arrived or were sent. */
  readonly arrivals: readonly (readonly [step: number, end: number])[];
  /** In the order in which they were read: a later one says more about the same bytes. */
  readonly parts: readonly PartData[];
}

/** Bytes that were read as one, and the step in which they were. */
export interface PartData extends Part {
  readonly line: LineKind;
  readonly step: number;
  /** The name of the field whose value this is, if it is a field-value. */
  readonly field: string | undefined;
}

export interface ResponseData extends MessageData {
  readonly status: string;
  /** How many bytes it has: more than `text` where it is too long for the page. */
  readonly length: number;
  readonly isSent: boolean;
  /** How many of its last bytes were never sent, at most. */
  readonly unsent: number;
}

/** Why the request was rejected. */
export type RejectionData = Omit<EventOf<'reject'>['error'], 'fault'> & {
  readonly step: number;
  /** Also whether something is missing before the byte, or no byte arrived there. */
  readonly fault: Fault | 'missing' | 'nothing';
  /** What was being read. */
  readonly line: LineKind;
};

/** How careless recipients would read the bytes of a request, and what would follow. */
export interface OtherReadings extends Omit<EventOf<'risk'>, 'type' | 'at' | 'connection'> {
  /** From which step on there is a verdict to compare that with. */
  readonly step: number;
  /** The offset after the last byte that they read: what had come after the request, too. */
  readonly end: number;
}
