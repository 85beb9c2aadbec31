/** The page of the workbench: the page of a trace, with a composer above its steps. */
import { browserScript } from '../../page/bundle';
import { frame } from '../../page/page';
import { STYLE } from './style';

/** @param token by which the page is known. Nothing else is told to it in the file: no byte
 * of a client is in it.
 * @returns the page, each character a byte, and the policy to send with it */
export function renderWorkbench({ token }: { readonly token: string }) {
  const script = browserScript('study/workbench/browser/main');
  const parts = { style: STYLE, left: COMPOSER, aboveBytes: ABOVE, help: HELP };
  const { foot, head, policy } = frame(script, parts);
  const html = `${head}
<noscript><p>The workbench needs JavaScript.</p></noscript>
<data id="token" value="${token}" hidden></data>
${foot}`;
  const body = Buffer.from(html, 'utf8').toString('latin1');
  return { html: body, policy: `${policy}; frame-ancestors 'none'` };
}

/** What the script of the workbench fills. */
const COMPOSER = `
<div id="composer" role="group" aria-label="Composer">
<p id="gone" role="alert"></p>
<p id="challenge" role="status"></p>
<button type="button" id="choose" popovertarget="gallery" aria-haspopup="dialog"><span
id="title"></span></button>
<div id="gallery" popover aria-label="Gallery of requests"><input type="search" id="search"
placeholder="Find: chunk, Host, 431, Lab ..." aria-label="Find" autocomplete="off">
<div id="found"></div></div>
<div id="servers" class="choices" role="radiogroup" aria-label="Server"></div>
<div id="way"><span id="through-says" aria-hidden="true"></span>
<select id="through" aria-label="New connections go"></select></div>
<p id="address"></p>
<div class="line"><div id="clients" class="choices" role="radiogroup" aria-label="Connection"></div>
<button type="button" id="play">Play both</button> <button type="button" id="save">Save</button>
<button type="button" id="clear">Clear</button></div>
<div id="editor"><pre id="looks" aria-hidden="true"></pre>
<textarea id="text" spellcheck="false" autocomplete="off" autocapitalize="off"
aria-label="Bytes to send" aria-describedby="judged"></textarea></div>
<p id="offer" role="status"></p>
<div class="line"><button type="button" id="undo" title="Undo: Control and Z"
aria-label="Undo">&#8630;</button>
<button type="button" id="redo" title="Redo: Control, Shift and Z"
aria-label="Redo">&#8631;</button>
<button type="button" id="cut" title="Cut the bytes here: ‖">Cut</button>
<button type="button" id="pause" title="A cut and a pause: ‖600‖">Pause</button>
<button type="button" id="lf" title="End the line with a bare LF: ¬">LF</button>
<button type="button" id="copy">Copy as nc</button></div>
<div class="line"><button type="button" id="send" title="Control and Enter">Send</button>
<span class="soft">then</span>
<span id="then" class="choices" role="radiogroup" aria-label="After the last byte"></span></div>
<p id="result" role="status"></p>
<p id="sent" role="status"></p>
<section id="judged" aria-label="Verdict"></section>
</div>`;

/** What an experiment is about. */
const ABOVE = `
<section id="above" aria-label="The experiment"><details id="story" hidden></details></section>`;

/** What the buttons and menus do. */
const HELP = `
<dt>c1, new</dt><dd>the connection that the bytes go on with, or a new one</dd>
<dt>Enter</dt><dd>types a line end, CRLF; <code>\\xNN</code> types any byte</dd>
<dt>Cut</dt><dd>types ‖: what comes before it and what comes after it are sent apart</dd>
<dt>Pause</dt><dd>types ‖600‖: a cut, after which 600 ms pass before the rest is sent</dd>
<dt>LF</dt><dd>types ¬ before the end of a line: it is sent as LF alone, without CR</dd>
<dt>Copy as nc</dt><dd>copies a command that sends the same bytes from a terminal</dd>
<dt>stay, close, reset</dt><dd>what happens to the connection after the last byte: it stays
open, our side closes, or a TCP reset ends it. A server may also send the last part again and
again, and never end</dd>
<dt>You are the server</dt><dd>what you type is a response: each client of the address that is
shown gets it once you press Serve</dd>
<dt>Lab</dt><dd>the experiments are in the gallery, and the servers of the one that is
chosen below it; those that take megabytes, a client that does not read,
or a look into the program are played by <code>npm run lab</code> alone</dd>
<dt>Play both</dt><dd>plays an experiment without its defence and with it, and shows both</dd>
<dt>Link</dt><dd>the address of this page is one: it has the text, if that is not very long,
and what else is chosen; with a workbench on the same port, it leads there</dd>
<dt>Save</dt><dd>saves what happened as a page that needs no workbench</dd>
<dt>Clear</dt><dd>closes the connections, forgets what happened, and starts an experiment
over</dd>`;
