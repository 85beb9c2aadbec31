/** The page of the workbench: the page of a trace, with a composer above its steps. */
import { escapeJson, frame } from '../../page/page';
import { browserScript } from '../../page/bundle';
import { MISTAKES } from '../../naive/naive-request';
import type { Story } from './pages';
import type { ExperimentData, MenuGroup } from './requests';
import { STYLE } from './style';

/** What the page knows from the start. */
export interface BenchData {
  readonly token: string;
  readonly menu: readonly MenuGroup[];
  readonly experiments: readonly ExperimentData[];
  /** What the pages tell of requests and experiments, by their names in the menu. */
  readonly stories: { readonly [name: string]: Story };
  /** What the proxies do: the name of each mistake, and its sentence after "a proxy
   * that". */
  readonly mistakes: { readonly [name: string]: string };
}

/** @returns the page, and the policy to send with it. No byte of a client is in it. */
export function renderWorkbench(data: Omit<BenchData, 'mistakes'>) {
  const script = browserScript('study/workbench/browser/main');
  const { foot, head, policy } = frame({
    script,
    style: STYLE,
    left: COMPOSER,
    aboveBytes: RESULT,
    help: HELP,
    connects: true,
  });
  const known: BenchData = { ...data, mistakes: MISTAKES };
  const html = `${head}
<noscript><p>The workbench needs JavaScript.</p></noscript>
<script type="application/json" id="bench">${escapeJson(JSON.stringify(known))}</script>
${foot}`;
  const body = Buffer.from(html, 'utf8').toString('latin1'); // a character for each byte
  return { html: body, policy: `${policy}; frame-ancestors 'none'` };
}

/** What the script of the workbench fills. */
const COMPOSER = `
<div id="composer" role="group" aria-label="Composer">
<p id="gone" role="alert"></p>
<button type="button" id="choose" popovertarget="gallery" aria-haspopup="dialog"><span
id="title"></span></button>
<div id="gallery" popover aria-label="Gallery of requests"><input type="search" id="search"
placeholder="Find: chunk, Host, 431, Lab ..." aria-label="Find" autocomplete="off">
<div id="found"></div></div>
<div id="servers" class="choices" role="radiogroup" aria-label="Server"></div>
<div id="way"><span id="through-says" aria-hidden="true"></span>
<select id="through" aria-label="New connections go"></select></div>
<div class="line"><div id="clients" class="choices" role="radiogroup" aria-label="Connection"></div>
<button type="button" id="save"
title="Save what happened as a page that needs no workbench">Save</button>
<button type="button" id="clear"
title="Close the connections, and forget what happened">Clear</button></div>
<div id="editor"><pre id="looks" aria-hidden="true"></pre>
<textarea id="text" spellcheck="false" autocomplete="off" autocapitalize="off"
aria-label="Bytes to send" aria-describedby="judged"></textarea></div>
<p id="judged"></p>
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
<span id="then" class="choices" role="radiogroup" aria-label="After the last byte"></span>
<button type="button" id="hold" aria-pressed="false"
title="Keep what you send, and send it together with what comes next">Hold</button></div>
<p id="sent" role="status"></p>
</div>`;

/** What a page tells of the request, and what the clients of the proxy receive, most of all
 * the victim. */
const RESULT = `
<div id="above"><details id="story" hidden><summary></summary><div></div></details>
<details id="outcome" hidden><summary></summary><div></div></details>
<section id="result" aria-label="What the client received" hidden>
<div id="newest" role="status" tabindex="-1"></div>
<details id="proxy"><summary>What each client received, and what the proxy did</summary>
<p class="soft">p1, p2 … are the clients of the proxy. c1, c2 … are its connections to the server,
whose bytes are below. The proxy keeps a response that is left over for its next client, even
when the connection is closed.</p>
<div id="received"></div><h3>The proxy</h3><pre id="proxy-says" tabindex="0"></pre></details>
</section></div>`;

/** What the buttons and menus do. */
const HELP = `
<dt>c1, new</dt><dd>the connection that the bytes go on with, or a new one</dd>
<dt>Enter</dt><dd>types a line end, CRLF; <code>\\xNN</code> types any byte</dd>
<dt>Cut</dt><dd>types ‖: what comes before it and what comes after it are sent apart</dd>
<dt>Pause</dt><dd>types ‖600‖: a cut, after which 600 ms pass before the rest is sent</dd>
<dt>LF</dt><dd>types ¬ before the end of a line: it is sent as LF alone, without CR</dd>
<dt>Copy as nc</dt><dd>copies a command that sends the same bytes from a terminal</dd>
<dt>Hold</dt><dd>keeps what you send next until you send once more, and sends both together</dd>
<dt>stay, close, reset</dt><dd>what happens to the connection after the last byte: it stays
open, our side closes, or a TCP reset ends it</dd>
<dt>Lab</dt><dd>all experiments are in the gallery, and the servers of the one that is
chosen below it; those that take megabytes, a client that does not read,
or a look into the program are played by <code>npm run lab</code> alone</dd>
<dt>Save</dt><dd>saves what happened as a page that needs no workbench</dd>
<dt>Clear</dt><dd>closes the connections, forgets what happened, and starts an experiment
over</dd>`;
