/** The experiments of the lab: each takes a defence away, and sends the same bytes to the
 * server with it and without it. The lab and the workbench play them, the risk line of a
 * trace names them, and src/LAB.md shows them. */
import type { Mistake } from '../naive/naive-request';

const { raw } = String;

/** What the server serves: its tasks, what it received, or a redirect to the path. */
export type ServiceName = 'tasks' | 'echo' | 'redirect';

/** A client, and what it sends on a connection of its own. */
export interface Sender {
  readonly who: 'attacker' | 'victim' | 'client';
  /** In the notation of bytes.ts, with repetitions. */
  readonly bytes: string;
  /** It never reads. */
  readonly isDeaf?: boolean;
  /** It reads when the server has sent what it can, and prints only how often it has received
   * this. */
  readonly counts?: string;
  /** It is curl, which prints the content of a response, or all of it (-i). */
  readonly curl?: 'content' | 'whole';
}

export interface Experiment {
  /** Its place in the list, from 1. */
  readonly number: number;
  readonly title: string;
  readonly service: ServiceName;
  /** The lines that go (-) and come (+) in a file, with lines around them that show where:
   * see diff.ts. */
  readonly defence: string;
  /** The mistake of the proxy in front of the server, and that of the server without its
   * defence, if there is a proxy. */
  readonly mistakes?: readonly [proxy: Mistake, server: Mistake];
  /** Through a proxy, each of them begins when the server has responded to the one before.
   * Without one, all send at the same time. */
  readonly clients: readonly Sender[];
  /** A program that takes the place of the server and its clients: it loads modules with
   * require(), and prints with console.log(). */
  readonly program?: string;
  /** What proxy and server disagree on, and what an attacker gains, in the list of the
   * experiments with a proxy. */
  readonly disagreement?: string;
  readonly gain?: string;
  /** What the clients do, where there is no proxy, in sentences. */
  readonly about?: string;
  /** What happens without the defence: a sentence after "Without it, ". */
  readonly outcome: string;
}

const attacker = (bytes: string): Sender => ({ who: 'attacker', bytes: `${bytes}‖close‖` });

/** The field lines of curl itself, as in Debian 12. The port is that of the proxy. */
export const CURL = 'Host: localhost:8000\nUser-Agent: curl/7.88.1\nAccept: */*\n';

/** @param added field lines */
const victim = (path: string, added = ''): Sender => ({
  who: 'victim',
  bytes: `GET ${path} HTTP/1.1\n${CURL}${added}\n`,
  curl: 'content',
});

/** A request without content: "GET /tasks". */
const plain = (name: string): string => `${name} HTTP/1.1\nHost: localhost\n\n`;
const DELETE = plain('DELETE /tasks/1');
const POST = 'POST /tasks HTTP/1.1\nHost: localhost\n';
const CHUNKED = `${POST}Transfer-Encoding: chunked\n\n`;
/** What the echo service repeats. */
const ECHO = 'POST / HTTP/1.1\nHost: localhost\n';

/** Feeds a line byte by byte to the reader of requests, and counts each look at a byte. */
const LOOKS = `
const grammar = require("./dist/http/grammar.js");
const { RequestReader } = require("./dist/http/request-reader.js");
let looks = 0;
for (const name of ["skipToken", "skipLineChars"]) {
  const skip = grammar[name];
  grammar[name] = (bytes, from, to) => {
    const end = skip(bytes, from, to);
    looks += end - from;
    return end;
  };
}
for (const length of [1000, 2000, 4000]) {
  looks = 0;
  const reader = new RequestReader();
  for (const char of "GET /" + "a".repeat(length - 5)) {
    reader.push(Buffer.from(char));
    reader.next();
  }
  console.log(length, "bytes,", looks, "looks");
}
`;

type Entry = Partial<Experiment> & Pick<Experiment, 'title' | 'defence' | 'outcome'>;

const ENTRIES: readonly Entry[] = [
  {
    title: 'A length and chunks (CL.TE)',
    mistakes: ['content-length', 'transfer-encoding'],
    clients: [
      attacker(`${POST}Content-Length: 50\nTransfer-Encoding: chunked\n\n0\n\n${DELETE}`),
      victim('/tasks/2'),
    ],
    disagreement: 'which length counts',
    gain: 'a method that the proxy forbids',
    outcome:
      'the DELETE that no client may send is handled, and the victim gets the response to it',
    defence: raw`
@@ src/http/framing.ts @@
     throw allowedBy('9112 6.1', coding.offset, reason, { expected, fault: 'wrong' });
   }
-  // 9112 §6.1 would let us ignore Content-Length. A proxy in front of us may not have done
-  // so.
-  if (length !== undefined) {
-    const second = Math.max(coding.offset, length.offset);
-    const reason = 'Transfer-Encoding together with Content-Length';
-    const expected = 'one of the two fields, not both';
-    throw allowedBy('9112 6.1', second, reason, { expected, fault: 'beside' });
-  }
   return parseTransferEncoding(coding, transferEncoding);
`,
  },
  {
    title: 'An overlooked coding (TE.TE)',
    service: 'echo',
    mistakes: ['chunked-word', 'unknown-coding'],
    clients: [
      attacker(
        `${ECHO}Content-Length: 4\nTransfer-Encoding: chunked, identity\n\n` +
          `5c\n${plain('GET /')}${ECHO}Content-Length: 180\n\n\n0\n\n`,
      ),
      victim('/', 'Cookie: session=4711\n'),
      attacker(`GET / HTTP/1.1\nHost: localhost\nX: ${'a'.repeat(60)}\n\n`),
    ],
    disagreement: 'whether there are chunks',
    gain: 'the cookie of another client',
    outcome: "the attacker reads the victim's request, with the cookie in it",
    defence: raw`
@@ src/http/framing.ts @@
 export function determineFraming(minorVersion: number, fields: ControlFields): Framing {
   const { contentLength, transferEncoding } = fields;
-  const coding = transferEncoding[0];
+  const coding = transferEncoding.find(({ value }) => value === 'chunked');
   const length = contentLength[0];
`,
  },
  {
    title: 'White space before the colon',
    service: 'echo',
    mistakes: ['space-before-colon', 'space-in-name'],
    clients: [
      attacker(
        `${ECHO}Content-Length : 84\n\n` +
          `${ECHO}Content-Length: 28\n\nPlease pay to account 4711.¬\n`,
      ),
      victim('/'),
    ],
    disagreement: 'the name of a field',
    gain: "the text of another client's response",
    outcome: 'the victim gets what the attacker wrote',
    defence: raw`
@@ src/http/field-line.ts @@
 
   private parse(line: Line): FieldLine {
-    const { bytes, start, tokenEnd: colon, end } = line;
+    const { bytes, start, end } = line;
+    const colon = start + line.text(start, end).indexOf(':');
     if (colon === start || bytes[colon] !== COLON) {
`,
  },
  {
    title: 'A folded line (obs-fold)',
    mistakes: ['skip-indent', 'join-folds'],
    clients: [
      attacker(`${POST}X: y\n Content-Length: 17\n\nGET / HTTP/1.1\nX`),
      { ...victim('/tasks/2'), curl: 'whole' },
    ],
    disagreement: 'where a field ends',
    gain: 'a 400 for an honest client',
    outcome:
      '`XGET /tasks/2 HTTP/1.1` is a field line without a colon, so the flawless request ' +
      'of the victim is rejected, and the connection that all clients share is closed',
    defence: raw`
@@ src/http/field-line.ts @@
   private parse(line: Line): FieldLine {
     const { bytes, start, tokenEnd: colon, end } = line;
+    const last = isOws(bytes[start]) && line.ending === 'CRLF' ? this.lines.pop() : undefined;
+    if (last) return { ...last, value: last.value + ' ' + line.text(start, end).trim() };
     if (colon === start || bytes[colon] !== COLON) {
`,
  },
  {
    title: 'A chunk-size that overflows',
    mistakes: ['64-bit', '32-bit'],
    clients: [
      attacker(`${CHUNKED}100000000000000\n\n${DELETE}${plain('DELETE /tasks/2')}`),
      victim('/tasks/2'),
    ],
    disagreement: 'a number of 57 bits',
    gain: 'requests that the proxy never looks at',
    outcome: 'everything that the attacker sends from now on goes past the proxy unseen',
    defence: raw`
@@ src/http/chunk-line.ts @@
       throw ourChoice('9112 7.1', line.offsetOf(at), reason, WITHIN_LIMIT);
     }
-    size = size * 16 + hexValue(bytes[at]);
+    size = (size * 16 + hexValue(bytes[at])) >>> 0;
     if (size > Number.MAX_SAFE_INTEGER) {
`,
  },
  {
    title: 'Two bytes after a chunk',
    mistakes: ['bare-lf', 'skip-two'],
    clients: [
      attacker(
        `${CHUNKED}2\n{}¬\n40\n\n` +
          'DELETE /tasks/1 HTTP/1.1\nHost: example\nContent-Length: 7\n\n\n0\n\n',
      ),
      victim('/tasks/2'),
    ],
    disagreement: 'where the next chunk begins',
    gain: 'as in 1',
    outcome: 'the DELETE is handled',
    defence: raw`
@@ src/http/content.ts @@
     const first = buffer.peek(0);
     const second = buffer.peek(1);
+    if (second !== undefined) {
+      buffer.skip(2);
+      return true;
+    }
     const isFirstWrong = first !== undefined && first !== CR;
`,
  },
  {
    title: 'Trusting a number parser',
    mistakes: ['number', 'parse-int'],
    clients: [attacker(`${POST}Content-Length: 5e1\n\nhello${DELETE}`), victim('/tasks/2')],
    disagreement: 'what number `5e1` is',
    gain: 'as in 1',
    outcome: 'the DELETE is handled',
    defence: raw`
@@ src/http/framing.ts @@
 ): Framing {
   for (const line of lines) {
-    const wrong = findInvalidDigit(line.value);
+    const wrong = findInvalidDigit(String(Number.parseInt(line.value, 10)));
     if (wrong >= 0) throw lengthError(lines, line.offset + wrong);
@@ src/http/framing.ts @@
     rule: 6,
     reason: 'content: Content-Length',
-    length: Number(value),
+    length: Number.parseInt(value, 10),
   };
`,
  },
  {
    title: 'A line that ends with LF',
    mistakes: ['crlf-only', 'bare-lf'],
    clients: [
      attacker(
        'GET /tasks/1 HTTP/1.1\nHost: localhost\nX: y¬\n¬\n' +
          'DELETE /tasks/1 HTTP/1.1¬\nHost: localhost\n\n',
      ),
      victim('/tasks/2'),
    ],
    disagreement: 'where a line ends',
    gain: 'as in 1',
    outcome: 'the DELETE is handled',
    defence: raw`
@@ src/http/receive-buffer.ts @@
     if (scanned > 0) tokenEnd = skipToken(bytes, start, at);
 
-    if (bytes[at] === CR && bytes[at + 1] === LF) {
-      this.position = at + '\r\n'.length;
+    const isLf = bytes[at] === LF;
+    if (isLf || (bytes[at] === CR && bytes[at + 1] === LF)) {
+      this.position = at + (isLf ? 1 : '\r\n'.length);
       this.scanned = 0;
`,
  },
  {
    title: 'A line without an end',
    clients: [{ who: 'client', bytes: 'GET /‹a × 8000000›‖close‖' }],
    outcome: 'the server keeps everything',
    defence: raw`
@@ src/http/request-line.ts @@
 /** The most bytes of a request line, a little over the 8,000 that 9112 §3 recommends. */
-export const REQUEST_LINE_LIMIT = 8192;
+export const REQUEST_LINE_LIMIT = Infinity;
`,
  },
  {
    title: 'A client that does not read',
    clients: [{ who: 'client', bytes: `‹${plain('GET /tasks')} × 50000›`, isDeaf: true }],
    outcome: 'the server handles all 50,000 requests, and keeps their responses',
    defence: raw`
@@ src/server/connection.ts @@
             yield STATES.queued;
-            if (!output.isBlocked) break;
-            yield STATES.blocked;
+            break;
`,
  },
  {
    title: 'A line that arrives byte by byte',
    program: LOOKS,
    outcome: 'twice the length is four times the work',
    defence: raw`
@@ src/http/receive-buffer.ts @@
     // Nothing is wrong so far, but the line may go on.
     if (at === received || (bytes[at] === CR && at + 1 === received)) {
-      this.scanned = at - start;
       return undefined;
`,
  },
  {
    title: 'A response destroyed by a reset',
    clients: [
      {
        who: 'client',
        bytes: `‹${plain('GET /tasks')} × 2000›${POST}Content-Length: 8000000\n\n‹\0 × 8000000›`,
        counts: '200 OK',
      },
    ],
    outcome: 'responses are lost (your number will differ)',
    defence: raw`
@@ src/server/connection.ts @@
     const { shared, socket } = this;
     if (this.isGone) return; // onClose() traces the end
+    if (this.destroy('closed both sides at once')) return;
     this.react(() => this.move(STATES.lingering));
`,
  },
  {
    title: 'One client with many requests',
    clients: [
      { who: 'attacker', bytes: `‹${plain('GET /tasks/1')} × 3›` },
      { who: 'victim', bytes: plain('GET /tasks/2') },
    ],
    about:
      'One client sends three requests, another sends one, and all four arrive at once.',
    outcome: 'the second client waits for all of them',
    defence: raw`
@@ src/server/turn-queue.ts @@
       this.given += 1;
       entry.takeTurn();
+      if (this.last === entry) entries.splice(this.given, 0, ...entries.splice(-1)); // it goes on
       if (system.now() > end) break;
`,
  },
  {
    title: 'A line end in disguise (response splitting)',
    service: 'redirect',
    about:
      'The service redirects to the path of the request. `%c4%8d%c4%8a` stands for two ' +
      'characters that become CR and LF when each is written as one byte.',
    clients: [
      {
        who: 'client',
        bytes:
          'GET /%c4%8d%c4%8a%c4%8d%c4%8aHTTP/1.1%20200%20OK%c4%8d%c4%8a' +
          'Content-Length:%208%c4%8d%c4%8a%c4%8d%c4%8aspoofed! HTTP/1.1\n' +
          'Host: localhost\n\n',
      },
    ],
    outcome:
      'the client has written a second response, and a proxy may hand it to another client',
    defence: raw`
@@ src/http/response.ts @@
 /** The characters of a field value (9110 §5.5). */
 function isFieldValue(value: unknown): value is string {
-  return typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
+  return typeof value === 'string' && !/[\r\n]/.test(value);
 }
`,
  },
];

export const EXPERIMENTS: readonly Experiment[] = ENTRIES.map((entry, index) => ({
  service: 'tasks',
  clients: [],
  ...entry,
  number: index + 1,
  defence: entry.defence.trim(),
}));

/** @returns the number of the experiment that shows a mistake, if one does: of two, the one
 * that is about nothing else */
export function experimentOf(mistake: Mistake): number | undefined {
  const shown = EXPERIMENTS.filter(({ mistakes }) => mistakes?.includes(mistake));
  return shown.at(-1)?.number;
}
