/** How the page looks. Colours are told twice in one place, for light and for dark; each
 * kind of byte differs from its neighbours by more than its colour where it matters. */
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
  --row: 24px;
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
code, .mono { font-family: var(--mono); }
code { font-size: 12px; }
.soft { color: var(--soft); }
.bad { color: var(--wrong); font-weight: 600; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  }
.skip { position: absolute; top: -60px; left: 8px; z-index: 9; padding: 4px 10px;
  background: var(--ground); }
.skip:focus { top: 6px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; border-radius: 3px; }
button {
  min-height: 26px; padding: 1px 9px; border: 1px solid var(--edge); border-radius: 5px;
  background: var(--ground); color: var(--ink); font: inherit; cursor: pointer;
}
button:hover { border-color: var(--accent); color: var(--accent); }
button[aria-pressed='true'] { background: var(--chosen); border-color: var(--accent);
  color: var(--ink); }
button.link {
  min-height: 0; padding: 0; border: 0; background: none; color: var(--accent);
  text-decoration: underline; text-underline-offset: 2px;
}

/* One screen: each pane scrolls by itself. */
.interactive body {
  display: grid;
  grid-template: 40px minmax(0, auto) minmax(0, 1fr) / 276px minmax(0, 1fr) 294px;
  grid-template-areas: 'top top top' 'table table table' 'left bytes explanation';
}
#top { grid-area: top; display: flex; align-items: center; gap: 14px; padding: 0 var(--pad);
  border-bottom: 1px solid var(--line); min-width: 0; white-space: nowrap; }
#left-out { overflow: hidden; text-overflow: ellipsis; }
.buttons { display: flex; gap: 6px; margin-left: auto; }
#left { grid-area: left; display: flex; flex-direction: column;
  border-right: 1px solid var(--line); min-height: 0; }
#bytes { grid-area: bytes; position: relative; overflow: auto; padding-bottom: 40px;
  container: bytes / inline-size; }
#explanation { grid-area: explanation; overflow: auto; padding: 0 var(--pad) 24px;
  border-left: 1px solid var(--line); }
.bar h2 { white-space: pre; }
.bar { display: flex; align-items: center; gap: 8px; min-height: 36px; padding: 4px var(--pad);
  background: var(--ground); }

/* The table, and the waterfall in its last column. */
#table { grid-area: table; max-height: calc(25px + 6.5 * var(--row)); overflow: auto;
  border-bottom: 1px solid var(--line); background: var(--pane); }
table { width: 100%; border-spacing: 0; table-layout: fixed; }
th {
  position: sticky; top: 0; z-index: 2; height: 24px; padding: 0 8px; overflow: hidden;
  background: var(--pane); border-bottom: 1px solid var(--line); color: var(--soft);
  font-weight: 400; font-size: 12px; text-align: left; white-space: nowrap;
}
td { height: var(--row); padding: 0 8px; overflow: hidden; white-space: pre;
  text-overflow: ellipsis; cursor: pointer; }
th:first-child, td:first-child { padding-left: var(--pad); }
.num { text-align: right; font-variant-numeric: tabular-nums; }
.col-client { width: 66px; } .col-request { width: 202px; } .col-status { width: 176px; }
.col-bytes { width: 128px; } .col-time { width: 88px; }
tr { scroll-margin: 28px 0 14px; }
tr:hover td { background: color-mix(in srgb, var(--chosen) 45%, transparent); }
tr[aria-selected='true'] td { background: var(--chosen); }
#table { --room: 190px; }
td.fall { position: relative; padding: 0; border-left: 1px solid var(--line); }
td.fall::after { content: ''; position: absolute; top: 0; bottom: 0; left: var(--cursor, 0);
  border-left: 1px solid var(--accent); }
.phase { position: absolute; top: 7px; height: 10px; min-width: 2px; }
.phase.wait { top: 11.5px; height: 1px; background: var(--soft); }
.phase.read { background: color-mix(in srgb, var(--ink) 26%, var(--ground)); }
.phase.queue { border: 1px dashed var(--soft); border-inline-width: 0; }
.phase.block { border: 1px solid var(--soft);
  background: repeating-linear-gradient(90deg, var(--soft) 0 1px, transparent 1px 4px); }
.phase.turn { background: var(--ink); }
.phase.reject { background: var(--wrong); }
.note:not(.bad) { color: var(--soft); }
.note { position: absolute; top: 0; font-size: 11.5px; line-height: 24px; }
.key { display: inline-flex; align-items: center; gap: 6px; height: 18px; margin-right: 14px;
  vertical-align: middle; }
.key .phase { position: static; width: 22px; flex: none; }

/* The steps. */
.number { margin-left: auto; font-variant-numeric: tabular-nums; }
#steplist { position: relative; flex: 1; min-height: 0; overflow: auto; }
#steplist li {
  display: grid; grid-template-columns: 44px 46px 1fr; column-gap: 6px; min-height: 22px;
  padding: 1px var(--pad) 1px 6px; border-left: 3px solid transparent; cursor: pointer;
}
#steplist li > * { overflow: hidden; text-overflow: ellipsis; white-space: pre; }
#steplist .time { color: var(--soft); text-align: right; font-size: 12px;
  font-variant-numeric: tabular-nums; }
#steplist .reject .verb { color: var(--wrong); font-weight: 600; }
#steplist [aria-selected='true'] { background: var(--chosen); border-left-color: var(--accent);
  }
#steplist [aria-selected='true'] .verb { font-weight: 600; }
#steplist [aria-selected='true'] ~ li { color: var(--soft); }
#steplist .pointed { border-left-color: var(--soft); }
#now { padding: 8px var(--pad); border-bottom: 1px solid var(--line); background: var(--pane); }
meter { display: block; width: 100%; }

/* The bytes: one cell each. The lane below a row is always there. */
.msg { margin: 0 var(--pad) 14px; }
p.msg { margin-top: 10px; }
.msg > .bar { position: sticky; top: 0; z-index: 3; padding-inline: 0;
  font-variant-numeric: tabular-nums; }
.grid { display: grid; grid-template-columns: 92px 34px minmax(0, 1fr); column-gap: 10px;
  font: 14px var(--mono); }
.by-2 .grid { grid-template-columns: 34px minmax(268px, 1fr) minmax(0, 218px) minmax(0, 218px);
  column-gap: 7px; }
.by-1 .grid { grid-template-columns: 34px minmax(268px, 1fr) minmax(0, 300px); column-gap: 7px;
  }
.row { display: grid; grid-column: 1 / -1; grid-template-columns: subgrid; min-height: 34px; }
.more { grid-column: 1 / -1; padding: 4px 0 8px; }
.off, .tag { font-size: 11px; line-height: 22px; color: var(--soft); text-align: right;
  user-select: none; }
.tag { font-family: var(--sans); white-space: nowrap; overflow: hidden;
  text-overflow: ellipsis; }
.cells { position: relative; line-height: 34px; margin-top: -6px; word-break: break-all;
  white-space: break-spaces; overflow-wrap: anywhere; }
.b { position: relative; padding-block: 2px; cursor: pointer; scroll-margin: 52px 0 120px; }
.b:not(.space), .end { white-space: pre; }
.space { background-image: radial-gradient(circle, var(--soft) 0 1px, transparent 1.3px); }
.k-delimiter, .k-version { color: var(--soft); }
.k-method { font-weight: 700; }
.k-name, .k-extension, .k-trailer-name { color: var(--name); }
.k-size, .measure { color: var(--measure); background-color: var(--tint);
  box-shadow: inset 0 -2px var(--measure); }
.k-content { background-color: var(--tint); }
.raw { color: var(--soft); font-style: italic; }
.future { color: transparent; box-shadow: inset 0 -1px var(--line); }
.future.space { background-image: none; }
.never, .whole { color: var(--soft); }
.never {
  --hatch: repeating-linear-gradient(-45deg, transparent 0 4px, var(--line) 4px 5px);
  background-image: var(--hatch); }
.never.space { background-image: radial-gradient(circle, var(--soft) 0 1px, transparent 1.3px),
  var(--hatch); }
.new { box-shadow: inset 0 -2px var(--accent); }
.chosen { background-color: var(--chosen); box-shadow: inset 0 -2px var(--accent); }
.also { box-shadow: inset 0 -2px var(--measure), inset 0 2px var(--measure); }
.pointed { box-shadow: inset 0 -2px var(--soft); }
.wrong { background-color: var(--wrong-tint); color: var(--wrong); font-weight: 700;
  box-shadow: 0 0 0 2px var(--wrong); border-radius: 1px; z-index: 1; }
.here { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 1px; z-index: 2; }
.cut, .gap { border-left: 2px dotted var(--accent); margin-left: -2px; }
.gap { padding-block: 4px; }
.nothing { margin-left: 4px; }
.begins::before { content: ''; position: absolute; inset: 0 auto 0 -2px;
  border-left: 2px solid var(--wrong); }
.lane {
  position: absolute; z-index: 1; padding-top: 1px; color: var(--accent); background: none;
    box-shadow: none;
  font: 11px/12px var(--sans); white-space: nowrap; pointer-events: none;
    user-select: none;
}
.lane.away { border: 0; }
.lane.also { color: var(--measure); }
.lane.wrong, .lane.begins { color: var(--wrong); font-weight: 600; }
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
.rh { padding: 0 8px 3px; font: 12px/16px var(--sans); align-self: end; }
.rh > * { display: block; }
.rd {
  min-width: 0; padding: 0 6px; cursor: pointer; border-inline: 1.5px solid var(--edge);
  font-size: 11px; line-height: 17px;
}
.rd.first { border-top: 1.5px solid var(--edge); border-radius: 4px 4px 0 0; }
.rd.last { border-bottom: 1.5px solid var(--edge); border-radius: 0 0 4px 4px;
  margin-bottom: 2px; }
.rd.first.last { border-radius: 4px; }
.rd.content { background: var(--tint); }
.rd.second { border-color: var(--wrong); background: var(--wrong-tint); }
.rd.alike { color: var(--soft); }
.rd .number { display: none; }
.rd .text { display: block; overflow: hidden; text-overflow: ellipsis; white-space: pre; }
.rd .says { display: block; font: 600 11px/13px var(--sans); overflow-wrap: anywhere; }
.rd.second .says { color: var(--wrong); }
.rd.alike .says { font-weight: 400; }
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
.card dt { color: var(--soft); }
.verdict h2 { color: var(--wrong); font-size: 15px; }
.verdict dl { grid-template-columns: minmax(0, 70px) minmax(0, 1fr); }
.big { margin-right: 10px; font: 700 22px/26px var(--mono); }
.related { padding: 6px 8px; background: var(--tint); border-radius: 4px; }
.card .related dt { font-family: var(--mono); color: var(--measure); font-weight: 700;
  overflow-wrap: anywhere; }
.rule { display: block; margin-top: 6px; padding: 5px 7px; background: var(--pane);
  border-radius: 4px; overflow-wrap: anywhere; }
[popover] { max-width: min(560px, 92vw); max-height: calc(100vh - 24px);
  padding: 14px 18px; border: 1px solid var(--edge); border-radius: 8px;
  background: var(--ground); color: var(--ink); }
[popover] dl { display: grid; grid-template-columns: auto 1fr; gap: 3px 16px;
  margin: 6px 0 12px; }
kbd { padding: 0 5px; border: 1px solid var(--edge); border-radius: 4px;
  font: 12px var(--mono); }

/* In a narrow window, and on paper, a remark may have no room. */
@media (max-width: 1140px) { .key, .note { display: none; } #table { --room: 3%; } }
@media (max-width: 1180px) {
  .interactive body {
    grid-template: 40px auto auto minmax(0, 1fr) / minmax(0, 1fr) 280px;
    grid-template-areas: 'top top' 'table table' 'left left' 'bytes explanation';
  }
  #left { border-right: 0; border-bottom: 1px solid var(--line); }
  #steplist { height: 66px; flex: none; }
}
/* Where the other readings have no room for text, they are numbered bars. */
@container bytes (max-width: 779.9px) {
  .by-2 .grid { grid-template-columns: 34px minmax(0, 1fr) 22px 22px; column-gap: 6px; }
  .by-1 .grid { grid-template-columns: 34px minmax(0, 1fr) 22px; column-gap: 6px; }
  .rd { padding: 0; }
  .rd .text, .rd .says, .who, .rh:not(:nth-child(2)) .does { display: none; }
  .rd .number { display: block; text-align: center; font-size: 11px; }
  .rh { padding-inline: 0; }
  .rh:not(:nth-child(2)) { text-align: center; }}
@container bytes (min-width: 780px) {
  .told { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
    }
}
@media (max-width: 720px) {
  .interactive body { display: block; height: auto; }
  #top { flex-wrap: wrap; padding-block: 6px; gap: 6px 12px; }
  #table { max-height: calc(25px + 4 * var(--row)); }
  .col-client { width: 60px; } .col-request { width: 138px; } .col-status { width: 66px; }
  .col-bytes, .col-time, td:nth-child(4), td:nth-child(5), th:nth-child(4), th:nth-child(5),
    .long { display: none; }
  td { padding: 0 4px; }
  #left { position: sticky; top: 0; z-index: 4; background: var(--ground); }
  #bytes { padding-bottom: 0; overflow: visible; }
  #explanation { position: sticky; bottom: 0; z-index: 4; max-height: 30vh; border: 0;
    border-top: 2px solid var(--edge); background: var(--ground); }
  .msg > .bar { position: static; }
  .grid { grid-template-columns: 26px minmax(0, 1fr); column-gap: 6px; font-size: 13px; }
  .by-2 .grid { grid-template-columns: 26px minmax(0, 1fr) 22px 22px; }
  .by-1 .grid { grid-template-columns: 26px minmax(0, 1fr) 22px; }
  .b { scroll-margin: 150px 0 34vh; }
  .tag { display: none; }
  .buttons { order: 1; }
  #about, #left-out { order: 2; }
}
@media print {
  .interactive body { display: block; }
  #table, #steplist, #bytes, #explanation { max-height: none; height: auto; overflow: visible; }
  #left, #explanation { border: 0; }
  button, .skip, #left .bar .number, .command summary, .card.byte + .step { display: none; }
  button.link { display: inline; }
  .row, .card { break-inside: avoid; }
  .msg > .bar, th { position: static; }
}
@media (forced-colors: active) {
  .phase.wait, .phase.turn, .phase.reject { background: CanvasText; }
  .phase.read { border: 1px solid CanvasText; }
  .phase.block { border-style: dotted; }
  #steplist li { border-left-color: Canvas; }
  .space::before { content: '\\b7'; position: absolute; }
  .here { outline-color: Highlight; }
  .b.wrong { outline: 3px double CanvasText; }
  .b.chosen, .b.also, .measure, .k-size { text-decoration: underline; }
  .never { text-decoration: line-through; }
  [aria-selected='true'] td, li[aria-selected='true'] {
    background: Highlight !important; forced-color-adjust: none;
  }
  [aria-selected='true'] * { color: HighlightText !important; forced-color-adjust: none; }
}
`;
