/** How the composer looks: what the page of a trace does not have. */
export const STYLE = `
/* The buttons stay where they are while one types, and when a row is added. */
#composer { position: sticky; top: 0; z-index: 5; flex: none; display: flex;
  background: var(--ground); flex-direction: column; gap: 4px;
  padding: 4px var(--pad) 5px; border-bottom: 1px solid var(--line); }
.line { display: flex; flex-wrap: wrap; gap: 4px; }
select { min-height: 26px; border: 1px solid var(--edge); border-radius: 5px;
  background: var(--ground); color: var(--ink); font: inherit; }
/* What is chosen is longer than a menu shows: it is written in lines, with the menu over it. */
#way { display: grid; height: 36px; border: 1px solid var(--edge); border-radius: 5px; }
#way > * { grid-area: 1 / 1; min-width: 0; }
#way select { opacity: 0; }
#way:focus-within { outline: 2px solid var(--accent); outline-offset: 1px; }
#way:has(:disabled) { color: var(--soft); border-style: dashed; }
#through-says { align-self: center; padding: 0 22px 0 7px; font-size: 12px; line-height: 17px; }
#way::after { content: '\\25be'; grid-area: 1 / 1; place-self: center end; padding-right: 7px;
  pointer-events: none; }
#clients { flex: 1; overflow: hidden; }
.choices { display: flex; gap: 3px; }
#composer button { padding: 1px 5px; font-size: 12px; }
#composer button:disabled { background: none; border: 1px dashed var(--edge); color: var(--soft);
  font-weight: 400; }
.choices label { position: relative; padding: 2px 6px; border: 1px solid var(--edge);
  border-radius: 5px; font-size: 12px; cursor: pointer; }
.choices label:has(:checked) { background: var(--chosen); border-color: var(--accent); }
.choices label:has(:focus-visible) { outline: 2px solid var(--accent); outline-offset: -2px; }
.choices input { position: absolute; opacity: 0; }
#servers label { flex: 1; text-align: center; }
#gone:empty, #offer:empty, #challenge:empty, body:not(.in-lab) #play { display: none; }
#gone { padding: 2px 8px; border: 2px solid var(--wrong); border-radius: 5px; font-size: 12px;
  line-height: 16px; font-weight: 600; }
#offer, #challenge { font-size: 12px; line-height: 16px; }
#choose { text-align: left; font-weight: 600; overflow: hidden; white-space: nowrap;
  text-overflow: ellipsis; }
#choose::after { content: ' \\25be'; }
#gallery { position: fixed; inset: 44px auto 12px 8px; margin: 0; width: min(760px, 96vw);
  height: auto; overflow: auto; padding: 0 12px 12px; border: 1px solid var(--edge);
  border-radius: 6px; background: var(--ground); color: var(--ink); }
#search { position: sticky; top: 0; width: 100%; padding: 8px; margin: 8px 0; font: inherit;
  background: var(--ground); color: var(--ink); border: 1px solid var(--edge);
  border-radius: 5px; }
#found h2 { margin: 10px 0 2px; font-size: 12px; }
#found button { display: block; width: 100%; text-align: left; border: 0; padding: 3px 6px;
  background: none; white-space: normal; }
#found button:hover, #found button:focus { background: var(--chosen); }
#copy { margin-left: auto; }
.line > .soft { align-self: center; font-size: 12px; }
#send { background: var(--accent); border-color: var(--accent); color: var(--ground);
  font-weight: 600; }
#editor { display: grid; height: 166px; min-height: 60px; overflow: auto; resize: vertical;
  border: 1px solid var(--edge); border-radius: 5px; }
#editor:focus-within { outline: 2px solid var(--accent); outline-offset: -1px; }
#looks, #text { grid-area: 1 / 1; margin: 0; padding: 5px 34px 5px 7px; border: 0;
  font: 12px/16px var(--mono); white-space: pre-wrap; overflow-wrap: anywhere;
  word-break: break-all; tab-size: 4; }
#looks { pointer-events: none; }
#text { overflow: hidden; resize: none; outline: none; background: none; color: transparent;
  caret-color: var(--ink); }
#text::selection { background: color-mix(in srgb, var(--accent) 30%, transparent); }
/* As wide as nothing, and not positioned: a thousand layers would be slow to draw. */
#looks .end { display: inline-block; width: 0; white-space: pre; word-break: normal;
  overflow-wrap: normal; }
#looks .end::before { content: attr(data-end); color: var(--soft); font-weight: 400; }
#looks .end.wrong::before { color: var(--wrong); font-weight: 700; }
#looks .mark { background: var(--chosen); color: var(--accent); }
#looks .wrong { box-shadow: 0 0 0 1px var(--wrong); }
/* Below the buttons, none of which it moves. */
#judged { min-height: 64px; font-size: 12px; line-height: 16px; overflow-wrap: anywhere; }
#judged.reject { color: var(--wrong); }
#sent, #result { font-size: 12px; line-height: 16px; font-weight: 600; }
:is(#sent, #result):empty { display: none; }
/* Nobody has to be sent where they are. */
.in-lab .lab { display: none; }
.as-server :is(#way, #clients, #copy), body:not(.as-server) #address { display: none; }
#address { min-height: 36px; font-size: 12px; overflow-wrap: anywhere; }
#above { grid-area: above; }
#story { max-height: 54vh; overflow: auto; padding: 8px var(--pad);
  border-bottom: 1px solid var(--line); }
#story > * { max-width: 96ch; }
#story p, #story pre { margin: 6px 0 0; }
#story summary { font-weight: 600; }
/* On a small laptop, what came of a send is in sight. */
@media (max-height: 700px) { #composer { gap: 2px; } #editor { height: 92px; } }
@media (max-width: 720px) {
  #composer { position: static; }
  #editor { height: 84px; }
  #story { max-height: none; }
}
@media print { .line, .choices, #way { display: none; } }
`;
