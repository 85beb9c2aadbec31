/** One HTML file that shows a conversation. It loads nothing, its Content-Security-Policy
 * lets only its own script and style run, and what a client sent is text in it, never
 * markup. */
import { createHash } from 'node:crypto';
import type { TraceEvent } from '../trace/events';
import { TraceFormatter } from '../trace/terminal';
import { browserScript } from './bundle';
import { tellLeftOut } from './model/conversation';
import { STYLE } from './style';
import { eventOf, parseLine } from '../trace/line';
import { TraceRecorder } from '../trace/recorder';

/** @param events those that a trace sink got, in their order; the last 10,000 of them are
 * shown
 * @returns the text of an HTML file, in ASCII */
export function tracePage(events: Iterable<TraceEvent>): string {
  const recorder = new TraceRecorder();
  for (const event of events) recorder.record(event);
  return [...renderPage(recorder)].join('');
}

/** @returns the page in pieces: it may have megabytes, and need not be in memory as a
 * whole */
export function* renderPage(recorder: TraceRecorder): Generator<string> {
  const { foot, head } = frame({ script: browserScript('page/view/main') });
  yield `${head}
<noscript>
<p>This page needs JavaScript to show what each byte is. Here are the bytes and the
decisions of the server as text. ${tellLeftOut(recorder.leftOut)}</p>
<pre>`;
  const formatter = new TraceFormatter(false, {}, recorder.requestsLeftOut);
  for (const line of recorder.linesAfter(0)) {
    const { event, whole } = parseLine(line);
    if (event !== undefined)
      yield escapeHtml(whole?.lines ?? formatter.format(eventOf(event)));
  }
  yield `</pre>
</noscript>
<script type="application/jsonl" id="data">`;
  let before = '';
  for (const line of recorder.linesAfter(0)) {
    yield before + escapeJson(line);
    before = '\n';
  }
  yield `</script>
${foot}`;
}

interface FrameOptions {
  readonly script: string;
  /** Rules after those of the page, and elements above its steps, and above its bytes. */
  readonly style?: string;
  readonly aboveSteps?: string;
  readonly aboveBytes?: string;
  /** What the help says of more buttons. */
  readonly help?: string;
  /** Whether the script may ask something of the server that the page is from. */
  readonly connects?: boolean;
}

/** What is around the data of a page: everything that its script fills.
 * @returns `policy` says what the page may load and run: only what is in it */
export function frame({
  aboveBytes = '',
  aboveSteps = '',
  connects = false,
  help = '',
  script,
  style: more = '',
}: FrameOptions) {
  const style = STYLE + more;
  const policy = [
    "default-src 'none'",
    ...(connects ? ["connect-src 'self'"] : []),
    `script-src '${hash(script)}'`,
    `style-src '${hash(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<base target="_blank">
<title>HTTP, byte by byte</title>
<style>${style}</style>
</head>
<body>
${TOP}
<section id="left" aria-label="Steps">${aboveSteps}
${STEPS}${aboveBytes}
${BYTES}${BUTTONS}${help}</dl>${KEYS}</div>`;
  return { head, foot: `<script>${script}</script>\n</body>\n</html>\n`, policy };
}

const TOP = `<header id="top">
<a class="skip" href="#bytes" target="_self">To the bytes</a>
<h1>HTTP, byte by byte</h1>
<span class="soft" id="about"></span>
<span class="soft" id="left-out"></span>
<span class="buttons">
<button type="button" id="predict" aria-pressed="false">Predict first</button>
<button type="button" id="hex" aria-pressed="false">Hex</button>
<button type="button" id="help" aria-label="Buttons, keys and signs" popovertarget="keys">?</button>
</span>
</header>
<div id="table">
<table role="grid" aria-label="Exchanges">
<colgroup><col class="col-client"><col class="col-request"><col class="col-status">
<col class="col-bytes"><col class="col-time"><col></colgroup>
<thead><tr><th scope="col">Client</th><th scope="col">Request</th><th scope="col">Status</th>
<th scope="col" class="num">Bytes</th>
<th scope="col" class="num" title="from the first byte of the request to the response">Time</th>
<th scope="col" aria-label="How the time was spent">
<span class="key"><i class="phase wait"></i>waiting</span>
<span class="key"><i class="phase read"></i>reading</span>
<span class="key"><i class="phase queue"></i>in the queue</span>
<span class="key"><i class="phase turn"></i>handled</span>
<span class="key"><i class="phase block"></i>blocked</span></th></tr></thead>
<tbody id="rows"></tbody>
</table>
</div>`;

const STEPS = `<div id="now" role="group" aria-label="What the server waits for" hidden></div>
<div class="bar"><h2>Steps, in ms</h2><span class="number soft" id="step-number"></span>
<button type="button" id="previous" aria-label="Previous step">&larr;</button>
<button type="button" id="next" aria-label="Next step">&rarr;</button></div>
<ol id="steplist" role="listbox" aria-label="Steps"></ol>
</section>`;

const BYTES = `<section id="bytes" aria-label="Bytes" tabindex="-1"></section>
<section id="explanation" aria-label="Explanation"></section>
<p id="say" class="unseen" role="status"></p>
<div id="keys" popover aria-label="Buttons, keys and signs">`;

const BUTTONS = `<h2>Buttons</h2><dl>
<dt>Predict first</dt><dd>hides what happened until you have said what you expect</dd>
<dt>Hex</dt><dd>shows each byte as a number, too</dd>`;

const KEYS = `<h2>Keys</h2><dl>
<dt><kbd>&larr;</kbd> <kbd>&rarr;</kbd></dt><dd>the previous step, the next step</dd>
<dt><kbd>&uarr;</kbd> <kbd>&darr;</kbd></dt>
<dd>in the table: another exchange; in the steps: another step</dd>
<dt><kbd>&larr;</kbd> <kbd>&uarr;</kbd> <kbd>&rarr;</kbd> <kbd>&darr;</kbd></dt>
<dd>in the bytes: another byte</dd>
<dt><kbd>[</kbd> <kbd>]</kbd></dt><dd>in the bytes: the previous part, the next part</dd>
<dt><kbd>r</kbd></dt><dd>in the bytes: what belongs with this byte</dd>
<dt><kbd>w</kbd></dt><dd>in the bytes: the wrong byte</dd>
<dt><kbd>Esc</kbd></dt><dd>closes this, or leaves the bytes</dd></dl>
<h2>Signs</h2><dl>
<dt>c1, 2</dt><dd>the second request of the connection c1</dd>
<dt>40 &rarr; 285</dt><dd>the bytes of a request, and of its response</dd>
<dt><code>\\r\\n</code></dt><dd>a line end: two bytes, CR and LF</dd>
<dt><code class="b space">&nbsp;</code></dt><dd>a space</dd>
<dt><code>\\t</code> <code>\\\\</code></dt><dd>a tab, a backslash</dd>
<dt><code>\\xNN</code></dt><dd>any other byte without a sign of its own, in hexadecimal</dd>
<dt>&empty;</dt><dd>a byte that is not here</dd>
<dt>content</dt><dd>what a message carries after its fields and the empty line</dd>
<dt>chunk</dt>
<dd>a piece of the content, after a line with its size; the one of size 0 ends the content</dd>
<dt>proxy</dt><dd>a program between clients and a server that passes requests on</dd>
<dt>reader A, B</dt>
<dd>another program, which would cut the same bytes as its column shows</dd>
<dt><code class="b never">abc</code></dt><dd>bytes that the server never parses</dd>
<dt><code class="b k-size">12</code></dt><dd>a size, which decides where content ends</dd>
<dt><code class="b k-content">abc</code></dt><dd>content, as the server or a reader sees it</dd>
<dt><code class="b wrong">c</code></dt>
<dd>the wrong byte; in the column of a reader, what it takes for another request</dd>
<dt>|</dt><dd>across the times: the moment of the chosen step; what is later is pale; a long
wait is drawn shorter than it was</dd>
<dt>RFC</dt><dd>one of the public documents that define the Internet; RFC 9110 and
RFC 9112 define HTTP/1.1</dd></dl>`;

/** JSON in which no character can end the script element, or make a comment of what
 * follows. */
export function escapeJson(json: string): string {
  return json.replace(
    /[<>&\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function escapeHtml(text: string): string {
  return text.replace(/[^\n !#-%(-;=?-~]/g, (one) => `&#${one.codePointAt(0)};`);
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
