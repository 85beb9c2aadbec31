/** One HTML file that shows a conversation. It loads nothing, its Content-Security-Policy
 * lets only its own script and style run, and what a client sent is text in it, never
 * markup. */
import { createHash } from 'node:crypto';
import type { TraceEvent } from '../events';
import { citation, splitCitations } from './browser/citations';
import { browserScript } from './browser-script';
import { describeConversation, type Conversation } from './conversation';
import type { GlossaryEntry, LineData, StepData } from './page-data';
import { STYLE } from './style';
import { TraceRecorder } from './trace-recorder';

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
  const data = describeConversation(recorder);
  const script = browserScript();
  const policy = [
    "default-src 'none'",
    `script-src '${hash(script)}'`,
    `style-src '${hash(STYLE)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<base target="_blank">
<title>A conversation over HTTP, byte by byte</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>A conversation over HTTP, byte by byte</h1>
<p>${summarize(data)}</p>
${describeLeftOut(recorder.leftOut)}</header>
<main>
${renderInteractive(data.stepCount)}
`;
  yield* renderSteps(data);
  yield `${renderGlossary(data)}
</main>
<script type="application/json" id="data">`;
  yield* renderJson(data);
  yield `</script>
<script>${script}</script>
</body>
</html>
`;
}

/** What the script fills. Without it, the text below is all there is. */
const renderInteractive = (
  steps: number,
): string => `<noscript><p>The pictures need JavaScript. The text does not.</p></noscript>
<section class="interactive" aria-labelledby="lanes-title">
<h2 id="lanes-title">What happened, over time</h2>
<p class="note" id="lanes-note">Time goes from left to right; pauses are shortened. c1 is the first
connection. Choose a mark, or press <kbd>&larr;</kbd> and <kbd>&rarr;</kbd>, to go from step to
step.</p>
<div id="lanes" class="lanes" aria-hidden="true"></div>
<p id="beyond" class="legend" aria-hidden="true"></p>
<details id="legend" class="legend"><summary>The marks and colours</summary></details>
<div class="controls">
<button type="button" id="previous" aria-label="Previous step">&larr;</button>
<input type="range" id="step" min="0" max="${Math.max(0, steps - 1)}" value="0" aria-label="Step">
<button type="button" id="next" aria-label="Next step">&rarr;</button>
<label><input type="checkbox" id="only"> this connection only</label>
</div>
<p id="live" class="unseen" aria-live="polite"></p>
</section>
<section class="interactive" id="moment" aria-labelledby="moment-title">
<h2 id="moment-title" class="unseen">This step</h2>
<p id="when"></p>
<p id="what"></p>
<p id="gloss"></p>
</section>
<section class="interactive" aria-labelledby="bytes-title">
<h2 id="bytes-title">The bytes</h2>
<div class="columns">
<div id="verdict"></div>
<div class="message">
<p><label>Message <select id="message"></select></label> <span id="arrived"></span></p>
<p class="note"><code>\\r\\n</code> is a line end (two bytes, CR and LF, together CRLF), and
<code>&middot;</code> is a space.</p>
<div id="bytes" role="grid" aria-label="The bytes of the message, line by line"></div>
<p class="note">Choose a byte to read what it is. Then the arrow keys go from byte to byte, until
<kbd>Esc</kbd>. HTTP is defined in public documents, the RFCs; the links lead to their sections.</p>
</div>
<aside id="byte" aria-live="polite" aria-label="The chosen byte"></aside>
<div class="facts">
<h2 id="facts-of"></h2>
<div id="facts"></div>
</div>
</div>
</section>`;

function summarize(data: Conversation): string {
  const { connections, endedAt, handled, rejections, startedAt, stepCount } = data;
  const seconds = (at: number): string => (at / 1000).toFixed(3);
  const rejected =
    rejections === 0 ? '0 rejected' : `${rejections} rejected and so not handled`;
  return (
    `${count(connections.length, 'connection')}, ${count(handled, 'request')} handled, ` +
    `${rejected}, ${count(stepCount, 'step')} ` +
    `from ${seconds(startedAt)} s to ${seconds(endedAt)} s.`
  );
}

function describeLeftOut({ bytes, events }: TraceRecorder['leftOut']): string {
  if (events === 0) return '';
  const what = `${count(events, 'event')} with ${count(bytes, 'byte')}`;
  return `<p class="note">Left out: the first ${what}. A page shows the last 10,000 events, with at
most 4 MiB. A connection that had begun before is shown without its beginning.</p>\n`;
}

/** Everything as text: for those who search, print, or have no script. A browser that
 * lays out one group at a time opens a long text sooner. */
function* renderSteps({ stepCount, steps }: Conversation): Generator<string> {
  const isOpen = stepCount <= 200 ? ' open' : '';
  yield `<details id="all"${isOpen}><summary><h2>Every step, as text</h2></summary>\n<div>\n`;
  let index = 0;
  for (const step of steps) {
    if (index > 0 && index % 100 === 0) yield '</div>\n<div>\n';
    yield renderStep(step, index);
    index += 1;
  }
  yield '</div>\n</details>\n';
}

function renderStep({ at, connection, lines, verb }: StepData, index: number): string {
  const who = connection === 0 ? 'server' : `c${connection}`;
  const text = lines.map(renderSentence).join('<br>');
  const when = (at / 1000).toFixed(3);
  return `<p data-step="${index}"><b>${when} ${who} ${verb}</b> <span>${text}</span></p>\n`;
}

function renderSentence(sentence: string): string {
  const parts = splitCitations(sentence);
  return parts
    .map((part) => (typeof part === 'string' ? escapeHtml(part) : renderLink(part)))
    .join('');
}

const renderLink = ({ text, url }: ReturnType<typeof citation>): string =>
  `<a href="${url}">${text}</a>`;

/** The lines and parts that occur in these messages, and what they are; the words for the steps,
 * and the signs of the rules. */
function renderGlossary({
  glossary,
  lines,
  signs,
  verbs,
  verbsUsed,
}: Conversation): string {
  const used = [...new Set(glossary.map(({ line }) => line))];
  const terms = new Map(
    glossary.map((entry) => [`${entry.name} ${entry.text}`, renderPart(entry, glossary)]),
  );
  return `<details id="parts"><summary><h2>The parts of these messages</h2></summary>
<h3>The lines</h3>
${renderTerms(used.map((line) => [line, renderRule(lines[line])]))}
<h3>The parts of the lines</h3>
<dl>
${[...terms.values()].join('\n')}
</dl>
<h3>The signs and names in the rules</h3>
${renderTerms(signs.map(([sign, text]) => [sign, escapeHtml(text)]))}
</details>
<details id="words"><summary><h2>The words for the steps</h2></summary>
${renderTerms(verbsUsed.map((verb) => [verb, escapeHtml(verbs[verb] ?? '')]))}
</details>`;
}

function renderPart(entry: GlossaryEntry, glossary: readonly GlossaryEntry[]): string {
  const { kind, line, name, plain, rule, section, text } = entry;
  // Parts of one name differ by the line that they are in.
  const isOnly = glossary.every((other) => other.name !== name || other.text === text);
  const where = isOnly ? '' : `, in the ${line}`;
  const meaning = plain === undefined ? '' : ` (${plain})`;
  return `<dt><span class="part k-${kind}">${escapeHtml(name)}</span>${meaning}${where}</dt>
<dd>${escapeHtml(text)} <code>${escapeHtml(rule)}</code> (${renderLink(citation(section))})</dd>`;
}

const renderRule = (line: LineData | undefined): string =>
  line === undefined
    ? ''
    : `${escapeHtml(line.text)} <code>${escapeHtml(line.rule)}</code>`;

function renderTerms(terms: readonly (readonly [term: string, html: string])[]): string {
  const items = terms.map(
    ([term, html]) => `<dt>${escapeHtml(term)}</dt>\n<dd>${html}</dd>`,
  );
  return `<dl>\n${items.join('\n')}\n</dl>`;
}

/** The messages and the steps one by one: together they may be megabytes. */
function* renderJson(data: Conversation): Generator<string> {
  const { authorities, connections, glossary, lines, queue, signs, start, verbs } = data;
  const rest = { authorities, connections, glossary, lines, queue, signs, start, verbs };
  yield `${toJson(rest).slice(0, -1)},"messages":`;
  yield* renderArray(data.messages);
  yield ',"steps":';
  yield* renderArray(data.steps);
  yield '}';
}

function* renderArray(values: Iterable<unknown>): Generator<string> {
  let before = '[';
  for (const value of values) {
    yield before + toJson(value);
    before = ',\n';
  }
  yield before === '[' ? '[]' : ']';
}

/** JSON in which no character can end the script element, or make a comment of what
 * follows. */
function toJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function escapeHtml(text: string): string {
  return text.replace(/[^ !#-%(-;=?-~]/g, (character) => `&#${character.codePointAt(0)};`);
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function count(number: number, what: string): string {
  const grouped = String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
  return `${grouped} ${what}${number === 1 ? '' : 's'}`;
}
