/** One HTML file that shows a conversation. It loads nothing, its Content-Security-Policy
 * lets only its own script and style run, and what a client sent is text in it, never
 * markup. */
import { createHash } from 'node:crypto';
import type { TraceEvent } from '../trace/events';
import { TraceFormatter } from '../trace/terminal';
import { browserScript } from './bundle';
import { tellLeftOut } from './model/conversation';
import type { OtherRun } from './model/runs';
import { STYLE } from './style';
import { parseLine } from '../trace/line';
import { TraceRecorder } from '../trace/recorder';

/** @param events those that a trace sink got, in their order; the last 10,000 of them are
 * shown
 * @returns the text of an HTML file, in ASCII */
export function tracePage(events: Iterable<TraceEvent>): string {
  const recorder = new TraceRecorder();
  for (const event of events) recorder.record(event);
  return [...renderPage(recorder)].join('');
}

/** @param other is laid beside what was recorded, if there is one: its lines
 * @returns the page in pieces: it may have megabytes, and need not be in memory as a
 * whole */
export function* renderPage(
  recorder: TraceRecorder,
  other?: OtherRun<readonly string[]>,
): Generator<string> {
  const script = browserScript('page/view/main').replace(/[^\n -~]/g, escapeCharacter);
  const { foot, head } = frame(script);
  yield `${head}
<noscript>
<p>This page needs JavaScript to show what each byte is. Here are the bytes and the
decisions of the server as text. ${tellLeftOut(recorder.leftOut)}</p>
<pre>`;
  yield* asText(recorder.linesAfter(0));
  if (other !== undefined) yield* asText(other.data);
  yield `</pre>
</noscript>
`;
  yield* asData('data', recorder.linesAfter(0));
  if (other !== undefined) {
    const { data, ...about } = other;
    yield* asData('runs', [JSON.stringify(about)]);
    yield* asData('other', data);
  }
  yield foot;
}

function* asText(lines: Iterable<string>): Generator<string> {
  const formatter = new TraceFormatter(false);
  for (const line of lines) {
    const { event } = parseLine(line);
    if (event !== undefined) yield escapeHtml(formatter.format(event));
  }
}

function* asData(id: string, lines: Iterable<string>): Generator<string> {
  yield `<script type="application/jsonl" id="${id}">`;
  let before = '';
  for (const line of lines) {
    // No character can end the element, or make a comment of what follows.
    yield before + line.replace(/[<>&\u007f-\uffff]/g, escapeCharacter);
    before = '\n';
  }
  yield '</script>\n';
}

/** What is around the data of a page: everything that its script fills.
 * @param live what a page has besides whose script asks the server that the page is from:
 * rules of style, elements on its left and above its bytes, and help on more buttons
 * @returns `policy` says what the page may load and run: only what is in it */
export function frame(
  script: string,
  live?: { readonly [part in 'style' | 'left' | 'aboveBytes' | 'help']: string },
) {
  const style = STYLE + (live?.style ?? '');
  const policy = [
    "default-src 'none'",
    ...(live ? ["connect-src 'self'"] : []),
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
${live ? `<section id="left" aria-label="Composer">${live.left}</section>${live.aboveBytes}` : ''}
${MAIN}${live?.help ?? ''}</dl>${KEYS}</div>`;
  return { head, foot: `<script>${script}</script>\n</body>\n</html>\n`, policy };
}

/** The lanes of one of two runs. */
function laneOfRun(run: number): string {
  return `<div class="run" id="run-${run}" data-run="${run}" hidden><h2 class="called"></h2>
<div class="names" aria-hidden="true"></div>
<div class="pane"><div class="canvas" role="listbox" aria-label="Exchanges"></div></div></div>`;
}

const TOP = `<header id="top">
<a class="skip" href="#bytes" target="_self">To the bytes</a>
<h1>HTTP, byte by byte</h1>
<span class="soft" id="about"></span>
<span class="soft" id="left-out"></span>
<span class="buttons">
<input id="filter" type="search" aria-label="Filter" placeholder="filter: c1, 400, DELETE"
autocomplete="off" spellcheck="false"><span class="soft" id="filtered"></span>
<button type="button" id="predict" aria-pressed="false">Predict first</button>
<button type="button" id="hex" aria-pressed="false">Hex</button>
<button type="button" id="help" aria-label="Buttons, keys and signs" popovertarget="keys">?</button>
</span>
</header>
<section id="lanes" aria-label="Who sent what to whom, in milliseconds from the first byte">
${[0, 1].map(laneOfRun).join('\n')}
</section>`;

const MAIN = `<main id="bytes" aria-label="Bytes" tabindex="-1"></main>
<section id="why" aria-label="Steps">
<div class="bar"><h2>Steps, in ms</h2><span class="number soft" id="step-number"></span>
<button type="button" id="previous" aria-label="Previous step">&larr;</button>
<button type="button" id="next" aria-label="Next step">&rarr;</button></div>
<ol id="steplist" role="listbox" aria-label="Steps"></ol>
<section id="explanation" aria-label="Explanation" tabindex="0"></section></section>
<footer id="foot"><div id="now" role="group" aria-label="What the server waits for"></div>
<span class="keys soft" aria-hidden="true"><kbd>&larr;</kbd> <kbd>&rarr;</kbd> step
<kbd>/</kbd> filter</span></footer>
<p id="say" class="unseen" role="status"></p>
<div id="keys" popover role="dialog" tabindex="0" aria-label="Buttons, keys and signs">
<h2>Buttons</h2><dl>
<dt>Predict first</dt><dd>hides what happened until you have said what you expect</dd>
<dt>Hex</dt><dd>shows each byte as a number, too</dd>`;

const KEYS = `<h2>Keys</h2><dl>
<dt><kbd>&larr;</kbd> <kbd>&rarr;</kbd></dt><dd>the previous step, the next step</dd>
<dt><kbd>&uarr;</kbd> <kbd>&darr;</kbd></dt>
<dd>in the lanes: another exchange; in the steps: another step</dd>
<dt><kbd>Home</kbd> <kbd>End</kbd></dt><dd>in both: the first one, the last one</dd>
<dt><kbd>/</kbd></dt><dd>to the filter, which keeps the exchanges of a client, a status or a
request</dd>
<dt><kbd>&larr;</kbd> <kbd>&uarr;</kbd> <kbd>&rarr;</kbd> <kbd>&darr;</kbd></dt>
<dd>in the bytes: another byte</dd>
<dt><kbd>[</kbd> <kbd>]</kbd></dt><dd>in the bytes: the previous part, the next part</dd>
<dt><kbd>r</kbd></dt><dd>in the bytes: what belongs with this byte</dd>
<dt><kbd>w</kbd></dt><dd>in the bytes: the wrong byte</dd>
<dt><kbd>Esc</kbd></dt><dd>closes this, or leaves the bytes</dd></dl>
<h2>Signs</h2><dl>
<dt>c1</dt><dd>the first connection of the server; p1 is the first client of a proxy</dd>
<dt><i class="box read key"></i></dt><dd>the server reads</dd>
<dt><i class="box turn key"></i></dt><dd>the server handles a request</dd>
<dt><i class="box reject key"></i></dt><dd>the server rejects a request</dd>
<dt><i class="box bytes key"></i></dt><dd>a request waits for more of its bytes</dd>
<dt><i class="box queue key"></i></dt><dd>it waits for its turn</dd>
<dt><i class="box behind key"></i></dt><dd>it waits behind another one that came with it</dd>
<dt><i class="box batch key"></i></dt>
<dd>its response waits for those that leave together with it</dd>
<dt><i class="box block key"></i></dt><dd>its client does not read</dd>
<dt>//</dt><dd>a pause in which nothing happened: it is cut out, and its length stands below</dd>
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
<dt>RFC</dt><dd>one of the public documents that define the Internet; RFC 9110 and
RFC 9112 define HTTP/1.1</dd></dl>`;

/** As JSON and JavaScript have it. */
function escapeCharacter(one: string): string {
  return `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[^\n !#-%(-;=?-~]/g, (one) => `&#${one.codePointAt(0)};`);
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
