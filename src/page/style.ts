/** How the page looks. Each colour is given twice, for light and for dark. Where it matters,
 * a kind of byte differs from its neighbours by more than its colour. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#ffffff, #0f1318);
  --pane: light-dark(#f6f7f9, #161b22);
  --line: light-dark(#d8dde3, #2f3741);
  --edge: light-dark(#858f9b, #6f7a87);
  --ink: light-dark(#1c2128, #e6ebf1);
  --soft: light-dark(#57606b, #a0aab5);
  --accent: light-dark(#0a56bf, #7db7ff);
  --chosen: light-dark(#d7e6fd, #1e3a5f);
  --name: light-dark(#0a6273, #74d0e0);
  --measure: light-dark(#7a4700, #f0c674);
  --tint: light-dark(#fff1cf, #362b10);
  --wrong: light-dark(#b0121e, #ff958f);
  --wrong-tint: light-dark(#fde9e9, #41191c);
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif;
  --pad: 12px;
}
* { box-sizing: border-box; }
html, body { height: 100%; margin: 0; }
body { background: var(--ground); color: var(--ink); font: 13px/1.5 var(--sans); }
html:not(.interactive) body > :not(noscript) { display: none !important; }
noscript { display: block; padding: var(--pad); }
h1, h2, p, ol, ul, dl, dd { margin: 0; padding: 0; }
ol { list-style: none; }
h1 { font-size: 14px; }
h2 { font-size: 13px; }
a { color: var(--accent); text-underline-offset: 2px; }
code { font-family: var(--mono); font-size: 12px; }
.soft, .says, .same td, .k-delimiter, .k-version, .never, .whole, .card dt,
#steplist [aria-selected='true'] ~ li { color: var(--soft); }
.bad, .says.reject, .says.bad, .says.left-over, .lane.wrong, .lane.begins, .rd.second .says,
#steplist .reject .verb { color: var(--wrong); font-weight: 600; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); }
.skip { position: absolute; top: -60px; left: 8px; z-index: 9; padding: 4px 10px;
  background: var(--ground); }
.skip:focus { top: 6px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; border-radius: 3px; }
button, #filter { min-height: 26px; padding: 1px 9px; border: 1px solid var(--edge);
  border-radius: 5px; background: var(--ground); color: var(--ink); font: inherit; }
button { cursor: pointer; }
button:hover { border-color: var(--accent); color: var(--accent); }
button[aria-pressed='true'] { background: var(--chosen); border-color: var(--accent);
  color: var(--ink); }
button.link {
  min-height: 0; padding: 0; border: 0; text-align: left; background: none; color: var(--accent);
  text-decoration: underline; text-underline-offset: 2px;
}

/* One screen: each pane scrolls by itself, and none changes its height. */
.interactive body {
  --lanes: 150px;
  display: grid;
  grid-template: 40px var(--lanes) minmax(0, 1fr) 26px / minmax(0, 1fr) 392px;
  grid-template-areas: 'top top' 'time time' 'bytes why' 'foot foot';
}
.interactive body:has(#left) {
  grid-template: 40px var(--lanes) auto minmax(0, 1fr) 26px / 320px minmax(0, 1fr) 336px;
  grid-template-areas: 'top top top' 'time time time' 'left above why' 'left bytes why'
    'foot foot foot';
}
.interactive body:has(#run-1:not([hidden])) { --lanes: 162px; }
#top { grid-area: top; display: flex; align-items: center; gap: 14px; padding: 0 var(--pad);
  border-bottom: 1px solid var(--line); min-width: 0; white-space: nowrap; }
#left-out { min-width: 0; font-size: 11px; line-height: 13px; white-space: normal; }
.buttons { display: flex; flex: 1 0 310px; justify-content: flex-end; gap: 6px; }
#left { grid-area: left; display: flex; flex-direction: column; overflow: auto;
  border-right: 1px solid var(--line); min-height: 0; }
#bytes { grid-area: bytes; position: relative; overflow: auto; padding-bottom: 40px;
  container: bytes / inline-size; }
#why { grid-area: why; display: grid; grid-template-rows: auto minmax(0, 1fr) 36%;
  min-height: 0; border-left: 1px solid var(--line); }
#explanation { overflow: auto; padding: 0 var(--pad) 12px; background: var(--pane);
  border-top: 1px solid var(--line); }
#foot { grid-area: foot; display: flex; gap: 10px; align-items: center; overflow: hidden;
  padding: 0 var(--pad); border-top: 1px solid var(--line); background: var(--pane);
  font-size: 12px; white-space: nowrap; }
#now { display: flex; gap: 8px; flex: 1; min-width: 0; }
#now > * { overflow: hidden; text-overflow: ellipsis; }
.buttons button, #now > b, meter { flex: none; }
meter { width: 90px; }
#filter { flex: 0 1 220px; min-width: 80px; }
#filtered { align-self: center; font-size: 12px; }
.bar { display: flex; align-items: center; gap: 8px; min-height: 36px; padding: 4px var(--pad);
  background: var(--ground); }
.bar h2 { white-space: pre; }

/* The lanes. Places are set as properties: x, y, w and h. */
#lanes { grid-area: time; display: flex; min-height: 0; border-bottom: 1px solid var(--line);
  background: var(--pane); }
.run { flex: 1; display: grid; grid-template: auto minmax(0, 1fr) / 96px minmax(0, 1fr);
  min-width: 0; }
.run[hidden], .called:empty { display: none; }
.run + .run { border-left: 2px solid var(--edge); }
.called { grid-column: 1 / -1; padding: 2px var(--pad) 0; overflow: hidden;
  text-overflow: ellipsis; white-space: nowrap; }
.called::first-letter { text-transform: uppercase; }
.names { grid-row: 2; position: relative; overflow: hidden; font-weight: 600; font-size: 12px; }
.names > * { position: absolute; top: var(--y); left: var(--pad); height: var(--h);
  display: flex; align-items: center; white-space: nowrap; }
.pane { grid-row: 2; overflow: auto; }
.canvas { position: relative; min-width: 100%; overflow: visible clip; font-size: 11px;
  line-height: 13px; }
.canvas > * { position: absolute; left: var(--x, 0); top: var(--y, 0); width: var(--w);
  height: var(--h); white-space: nowrap; }
.canvas > [data-key] { cursor: pointer; }
.canvas .line { right: 0; border-top: 1px solid var(--line); }
.canvas .ground { right: 0; background: var(--pane); border-top: 1px solid var(--line); }
.span { border-radius: 4px; }
.span:hover { background: color-mix(in srgb, var(--chosen) 45%, transparent); }
.span[aria-selected='true'] { background: var(--chosen); }
.box { min-width: 2px; }
.box.key { display: inline-block; width: 26px; height: 8px; }
.box.bytes { border: solid var(--soft); border-width: 0 0 2px; }
.box.behind { border: 1px dotted var(--soft); border-inline-width: 0; }
.box.queue { border: 1px dashed var(--soft); border-inline-width: 0; }
.box.batch { border: solid var(--soft); border-width: 1px 0;
  background: repeating-linear-gradient(90deg, transparent 0 3px, var(--soft) 3px 4px); }
.box.block { border: 1px solid var(--soft);
  background: repeating-linear-gradient(-45deg, var(--soft) 0 1px, transparent 1px 4px); }
.box.read { background: color-mix(in srgb, var(--ink) 30%, var(--ground)); }
.box.turn { background: var(--ink); }
.box.reject { background: var(--wrong); }
.box.left-over { border: 1.5px solid var(--wrong); background: var(--wrong-tint); }
.arrow { width: 0 !important; border-left: 2px solid var(--ink); margin-left: -1px; }
.arrow.request { border-color: var(--accent); }
.arrow.bad { border-color: var(--wrong); }
.arrow::after { content: ''; position: absolute; left: -5px; border: 4px solid transparent; }
.arrow::before { content: ''; position: absolute; inset: 0 -6px; }
.arrow.down::after { bottom: -1px; border-top: 6px solid var(--accent); border-bottom: 0; }
.arrow.up::after { top: -1px; border-bottom: 6px solid var(--ink); border-top: 0; }
.arrow.bad::after { border-bottom-color: var(--wrong); }
.says.request, .says.response { color: var(--ink); }
.tick, .paused { color: var(--soft); font-size: 10px; }
.tick { translate: -50% 0; }
.tick::before { content: ''; position: absolute; left: 50%; top: -4px; height: 4px;
  border-left: 1px solid var(--edge); }
.pause { background: repeating-linear-gradient(-60deg, transparent 0 5px, var(--line) 5px 6px);
  opacity: .6; }
.paused { text-align: center; }
.cursor { border-left: 1px dashed var(--accent); }

/* The steps. */
.number { margin-left: auto; font-variant-numeric: tabular-nums; }
#steplist { position: relative; min-height: 0; overflow: auto; scroll-snap-type: y proximity; }
#steplist li { scroll-snap-align: start;
  display: grid; grid-template-columns: 46px 46px minmax(0, 1fr); column-gap: 6px;
  padding: 2px 8px 2px 4px;
  border-left: 3px solid transparent; line-height: 16px; font-size: 12.5px; cursor: pointer;
}
#steplist li > * { overflow-wrap: anywhere; }
/* What is longer is whole in the explanation. */
#steplist .text { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2;
  overflow: hidden; }
#steplist .time { color: var(--soft); text-align: right; font-size: 12px;
  font-variant-numeric: tabular-nums; }
#steplist [aria-selected='true'] { background: var(--chosen); border-left-color: var(--accent);
  }
#steplist [aria-selected='true'] .verb { font-weight: 600; }

/* Two runs. */
#comparison { padding-top: 8px; overflow-wrap: anywhere; }
#comparison button { min-height: 24px; }
table { margin-top: 6px; border-collapse: collapse; }
th, td { padding: 2px 16px 2px 0; text-align: left; vertical-align: top; }
tr > :first-child { white-space: nowrap; }

/* The bytes: one cell each. The lane below a row is always there. */
.msg { margin: 0 var(--pad) 14px; }
p.msg { margin-top: 10px; }
.msg > .bar { position: sticky; top: 0; z-index: 3; padding-inline: 0;
  font-variant-numeric: tabular-nums; }
.grid { --first: 92px; --readers: minmax(150px, 240px); display: grid; column-gap: 10px;
  grid-template-columns: 92px 34px minmax(0, 1fr); font: 14px var(--mono); }
.by-2 .grid { grid-template-columns: var(--first) 34px fit-content(54%) repeat(2, var(--readers)); }
.by-1 .grid { grid-template-columns: var(--first) 34px fit-content(60%) var(--readers); }
.row { display: grid; grid-area: var(--row, 1) / 1 / auto / -1; min-height: 24px;
  grid-template-columns: subgrid; }
.more { padding: 4px 0 8px; }
.off { grid-column: 2; }
.off, .tag { font-size: 11px; line-height: 20px; color: var(--soft); text-align: right;
  user-select: none; }
.tag { font-family: var(--sans); white-space: nowrap; overflow: hidden;
  text-overflow: ellipsis; }
.cells { position: relative; line-height: 24px; margin-top: -2px; word-break: break-all;
  white-space: break-spaces; overflow-wrap: anywhere; }
.b { position: relative; cursor: pointer; scroll-margin: 52px 0 120px; }
.b:not(.space), .cells .end { white-space: pre; }
.space { background-image: radial-gradient(circle, var(--soft) 0 1px, transparent 1.3px); }
.k-method { font-weight: 700; }
.k-name, .k-extension { color: var(--name); }
.k-size, .measure { color: var(--measure); background-color: var(--tint);
  box-shadow: inset 0 -2px var(--measure); }
.k-content { background-color: var(--tint); }
.raw { color: var(--soft); font-style: italic; }
.future { color: transparent; box-shadow: inset 0 -1px var(--line); }
.future.space { background-image: none; }
.never {
  --hatch: repeating-linear-gradient(-45deg, transparent 0 4px, var(--line) 4px 5px);
  background-image: var(--hatch); }
.never.space { background-image: radial-gradient(circle, var(--soft) 0 1px, transparent 1.3px),
  var(--hatch); }
.new { box-shadow: inset 0 -2px var(--accent); }
.chosen { background-color: var(--chosen); box-shadow: inset 0 -2px var(--accent); }
.b.also { box-shadow: inset 0 -2px var(--measure), inset 0 2px var(--measure); }
.b.wrong { background-color: var(--wrong-tint); color: var(--wrong); font-weight: 700;
  box-shadow: 0 0 0 2px var(--wrong); border-radius: 1px; z-index: 1; }
.here { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 1px; z-index: 1; }
.b.cut, .gap { border-left: 2px dotted var(--accent); margin-left: -2px; }
.gap { position: relative; padding-block: 4px; }
.nothing { margin-left: 4px; }
.b.begins::before { content: ''; position: absolute; inset: 0 auto 0 -2px;
  border-left: 2px solid var(--wrong); }
.lane { position: absolute; top: 100%; left: 0; z-index: 2; color: var(--accent);
  font: 10px/9px var(--sans); white-space: nowrap; pointer-events: none; user-select: none; }
.gap .lane { top: calc(100% - 4px); }
.lane.also { color: var(--measure); }
.lane.wrong::before { content: '\\25b2'; }
.lane.away::before { content: none; }
.hex .b { display: inline-block; width: 22px; height: 38px; margin-bottom: 8px;
  line-height: 22px; text-align: center; vertical-align: top; }
.hex .b::after { content: attr(data-hex); position: absolute; inset: 21px 0 auto;
  font-size: 11px; line-height: 14px; color: var(--soft); }
.hex .wide { font-size: 9px; }
.hex .future::after { content: ''; }
.hex .space { background-position: 0 -8px; background-repeat: no-repeat; }
.hex .row { min-height: 50px; }
.hex .cells { margin-top: 0; }

/* The same bytes, as other readers cut them. */
.heads { position: sticky; top: 36px; z-index: 3; background: var(--ground); }
.rh { grid-area: var(--area); padding: 0 8px 3px; font: 12px/16px var(--sans); align-self: end; }
.rh b { display: block; }
.rd { grid-area: var(--area); min-width: 0; padding: 2px 7px; cursor: pointer;
  border: 1.5px solid var(--edge);
  border-radius: 4px; font: 12px/15px var(--sans); overflow: clip; }
.rd.content { background: var(--tint); border-color: var(--measure); }
.rd.second { border-color: var(--wrong); background: var(--wrong-tint); }
.rd.alike { color: var(--soft); border-color: var(--line); }
.says { overflow-wrap: anywhere; }
.rd .says { position: sticky; top: 106px; display: block; color: inherit; }
.rd small { margin-left: 6px; white-space: nowrap; color: var(--soft); font-size: 11px; }
.rd.second small { color: inherit; font-weight: 400; }
.after { margin-top: 6px; max-width: 76ch; }
.after p { padding: 7px 10px; border-left: 3px solid var(--wrong);
  background: var(--wrong-tint); }
.told { padding: 6px 0 0 18px; color: var(--soft); }
.command { margin-top: 6px; }
.command code { display: block; padding: 6px 8px; background: var(--pane); border-radius: 4px;
  overflow-wrap: anywhere; white-space: pre-wrap; user-select: all; }
summary { cursor: pointer; color: var(--accent); }
.ask { padding: 12px; border: 1px dashed var(--edge); border-radius: 6px; }
.ask button { margin: 8px 6px 0 0; }

/* The explanation. */
.card { padding: 10px 0 14px; }
.card + .card { border-top: 1px solid var(--line); }
.card p + p, .card dl + p, .card dl + details { margin-top: 6px; }
.card dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 3px 10px;
  margin-top: 6px; }
.verdict h2 { color: var(--wrong); font-size: 15px; }
.verdict dl { grid-template-columns: minmax(0, 70px) minmax(0, 1fr); }
.big { margin-right: 10px; font: 700 22px/26px var(--mono); }
.related { padding: 6px 8px; background: var(--tint); border-radius: 4px; }
.card .related dt { font-family: var(--mono); color: var(--measure); font-weight: 700;
  overflow-wrap: anywhere; }
[popover] { max-width: min(560px, 92vw); max-height: calc(100vh - 24px);
  padding: 14px 18px; border: 1px solid var(--edge); border-radius: 8px;
  background: var(--ground); color: var(--ink); }
[popover] dl { display: grid; grid-template-columns: auto 1fr; gap: 3px 16px;
  margin: 6px 0 12px; }
kbd { padding: 0 5px; border: 1px solid var(--edge); border-radius: 4px;
  font: 12px var(--mono); }

/* A narrow window scrolls as a whole; the steps are a sheet at its bottom. */
@media screen and (max-width: 1000px) {
  .interactive body, .interactive body:has(#left) { display: flex; flex-direction: column;
    height: auto; }
  body > * { min-width: 0; }
  #top { flex-wrap: wrap; padding-block: 6px; gap: 6px 12px; }
  .buttons { flex-basis: 100%; flex-wrap: wrap; }
  .keys { display: none; }
  #lanes { display: block; }
  .run { height: 104px; grid-template-columns: 82px minmax(0, 1fr); }
  .run:has(.called:not(:empty)) { height: 126px; }
  #bytes { padding-bottom: 0; overflow: clip; }
  #why { position: sticky; bottom: 26px; z-index: 4; height: 40vh; background: var(--ground);
    border-left: 0; border-top: 2px solid var(--edge); }
  #foot { position: sticky; bottom: 0; z-index: 4; min-height: 26px; }
  body:has(#left) :is(#lanes, #why, #foot) { order: 1; }
  body:has(#left) #why { position: static; height: 60vh; }
  .msg > .bar, .heads { position: static; }
  .b { scroll-margin: 20px 0 48vh; }
}
/* What the server waits for takes two lines. */
@media screen and (max-width: 640px) {
  #foot { min-height: 44px; white-space: normal; line-height: 18px; }
  #now { display: block; }
  #now > * { margin-right: 8px; }
  #why { bottom: 44px; }
}
@container bytes (max-width: 860px) {
  .by-2 .tag, .by-1 .tag { display: none; }
  .grid { --first: 0; --readers: minmax(140px, 1fr); }
}
/* Where the other readings have no room, they are told in words alone. */
@container bytes (max-width: 619.9px) {
  .by-2 .grid, .by-1 .grid, .grid { grid-template-columns: 0 28px minmax(0, 1fr);
    column-gap: 6px; font-size: 13px; }
  .rd, .heads, .tag { display: none; }
}
@container bytes (min-width: 620px) {
  .told { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
    }
}
@media print {
  * { print-color-adjust: exact; }
  .interactive body, #lanes { display: block; }
  .run + .run { border: 0; }
  #steplist .text { -webkit-line-clamp: none; }
  #lanes, .run, .pane, #why, #steplist, #bytes, #explanation { max-height: none; height: auto;
    overflow: visible; }
  #why { display: block; border: 0; }
  button, input, .skip, #why .number, .command summary, .card.byte + .step, #foot {
    display: none !important; }
  button.link { display: inline !important; }
  .row, .card { break-inside: avoid; }
  .msg > .bar { position: static; }
}
@media (forced-colors: active) {
  :is(#lanes, #steplist, #keys) { --ground: Canvas; --ink: CanvasText; --soft: CanvasText;
    --accent: CanvasText; --wrong: CanvasText; --wrong-tint: Canvas; --chosen: Highlight; }
  .box, .arrow::after, [aria-selected='true'] { forced-color-adjust: none; }
  .box.reject { outline: 2px solid CanvasText; outline-offset: 1px; }
  .box.read { background: Canvas; border: 1px solid CanvasText; }
  #steplist li { border-left-color: Canvas; }
  .space::before { content: '\\b7'; position: absolute; }
  .here { outline-color: Highlight; }
  .b.wrong { outline: 3px double CanvasText; }
  .b.chosen, .b.also, .measure, .k-size, [aria-pressed='true'], label:has(:checked) {
    text-decoration: underline; }
  .never { text-decoration: line-through; }
  [aria-selected='true'] * { color: HighlightText !important; }
}
`;
