/** What the page holds, as JSON: made by conversation.ts, shown by the code in `browser`.
 * Steps, messages and glossary entries are named by their index. */

export interface PageData {
  /** The connections, in the order in which they opened. */
  readonly connections: readonly ConnectionData[];
  readonly messages: readonly MessageData[];
  readonly steps: readonly StepData[];
  /** Who joins the queue (+1) and who leaves it (-1), at which step. */
  readonly queue: readonly (readonly [step: number, connection: number, change: 1 | -1])[];
  readonly glossary: readonly GlossaryEntry[];
  /** What each kind of line is, and its rule. */
  readonly lines: { readonly [line: string]: LineData };
  readonly verbs: { readonly [verb: string]: string };
  readonly authorities: { readonly [authority: string]: Authority };
  /** What the signs and the names in the rules mean. */
  readonly signs: readonly (readonly [sign: string, text: string])[];
  /** The step that is shown first. */
  readonly start: number;
}

export interface LineData {
  readonly text: string;
  readonly rule: string;
  /** What follows such a line in a message without a mistake, if that is known. */
  readonly next?: string;
}

/** On whose authority a request is rejected: what is said before the section, and after it. */
export interface Authority {
  readonly before: string;
  readonly after: string;
}

export interface ConnectionData {
  readonly number: number;
  readonly remote: string;
}

/** One decision of the server. */
export interface StepData {
  /** Milliseconds since the server started. */
  readonly at: number;
  /** 0 for the server itself. */
  readonly connection: number;
  readonly verb: string;
  readonly lines: readonly string[];
  /** The message whose bytes are shown, or -1; and the request that it is about, or -1. */
  readonly message: number;
  readonly request: number;
  /** The time limit of a wait that goes on: of how many seconds, and at which step it began. */
  readonly limit?: TimeLimit | undefined;
}

export interface TimeLimit {
  readonly seconds: number;
  readonly step: number;
}

/** The bytes of a request, or those that the server wrote at once: a response, or
 * several. */
export interface MessageData {
  readonly connection: number;
  readonly isRequest: boolean;
  readonly title: string;
  /** Its bytes in base64, and the offset of the first: those before it are left out. */
  readonly bytes: string;
  readonly from: number;
  /** At which step how many bytes had arrived or were sent. */
  readonly arrivals: readonly (readonly [step: number, end: number])[];
  /** In the order in which they were read: a later one says more about the same bytes. */
  readonly parts: readonly PartData[];
  readonly rejection: RejectionData | undefined;
}

export type PartData = readonly [
  entry: number,
  offset: number,
  length: number,
  step: number,
];

export interface RejectionData {
  readonly step: number;
  readonly offset: number;
  /** What was being read. */
  readonly line: string;
  readonly status: number;
  /** What the status says: "Bad Request: a mistake of the client". */
  readonly meaning: string;
  readonly reason: string;
  readonly authority: string;
  readonly section: string;
  readonly hint: string;
  /** What would be right at the wrong byte, or ''. */
  readonly expected: string;
  /** The size that the chunk before the wrong byte announced, if there is one. */
  readonly announced: AnnouncedSize | undefined;
}

export interface AnnouncedSize {
  /** Where the size stands, and as which digits. */
  readonly offset: number;
  readonly length: number;
  readonly digits: string;
  /** How many bytes it announces. */
  readonly size: number;
  /** Where the data begins. */
  readonly data: number;
  /** Where the next line end is, if it is known: the data may have been meant to end there. */
  readonly lineEnd: number | undefined;
}

/** A part of a message, explained. */
export interface GlossaryEntry {
  readonly name: string;
  /** The name in plain words, if it is an abbreviation. */
  readonly plain?: string;
  /** The line that it is in. */
  readonly line: string;
  /** Parts of one kind have one colour. */
  readonly kind: string;
  readonly text: string;
  /** The rule of the grammar, and where it stands: "9112 3". */
  readonly rule: string;
  readonly section: string;
}
