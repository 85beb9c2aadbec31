/** The page of the workbench: the page of a trace, with a composer above its steps. */
import { frame, toJson } from '../../trace/page/page';
import { browserScript } from '../../trace/page/browser-script';
import { MISTAKES } from '../../naive/naive-request';
import type { ExperimentData, MenuGroup } from './requests';
import { STYLE } from './style';

/** What the page knows from the start. */
export interface BenchData {
  readonly token: string;
  readonly menu: readonly MenuGroup[];
  readonly experiments: readonly ExperimentData[];
  /** What the proxies do: the name of each mistake, and its sentence after "a proxy that". */
  readonly mistakes: { readonly [name: string]: string };
}

/** @returns the page, and the policy to send with it. No byte of a client is in it. */
export function renderWorkbench(data: Omit<BenchData, 'mistakes'>) {
  const script = browserScript('study/workbench/browser/main');
  const { foot, head, policy } = frame({
    script,
    style: STYLE,
    aboveSteps: COMPOSER,
    connects: true,
  });
  const known: BenchData = { ...data, mistakes: MISTAKES };
  const html = `${head}
<noscript><p>The workbench needs JavaScript.</p></noscript>
<script type="application/json" id="bench">${toJson(known)}</script>
${foot}`;
  const body = Buffer.from(html, 'utf8').toString('latin1'); // a character for each byte
  return { html: body, policy: `${policy}; frame-ancestors 'none'` };
}

/** What the script of the workbench fills. */
const COMPOSER = `
<div id="composer" role="group" aria-label="Composer">
<div class="line"><select id="menu" aria-label="Requests"><option value="">Requests …</option>
</select><select id="server" aria-label="Server"></select></div>
<div class="line"><span id="clients" role="radiogroup" aria-label="Connection"></span>
<select id="through" aria-label="New connections go"></select></div>
<div id="editor"><pre id="looks" aria-hidden="true"></pre>
<textarea id="text" spellcheck="false" autocomplete="off" autocapitalize="off"
aria-label="Bytes to send" aria-describedby="judged"></textarea></div>
<p id="judged"></p>
<div class="line"><button type="button" id="cut" title="Cut the bytes here: ‖">Cut</button>
<button type="button" id="pause" title="A cut and a pause: ‖600‖">Pause</button>
<button type="button" id="lf" title="End the line with a bare LF: ¬">LF</button>
<button type="button" id="copy">Copy as nc</button></div>
<div class="line"><button type="button" id="send" title="Control and Enter">Send</button>
<button type="button" id="send-close">Send and close</button>
<button type="button" id="reset" title="End the connection at once, with a TCP reset">Reset</button>
<button type="button" id="hold" aria-pressed="false"
title="Keep what is sent until the next send without this, and send it together">Hold</button>
<button type="button" id="clear"
title="Close the connections, and forget what happened">Clear</button></div>
<p id="sent" role="status"></p>
</div>
<details id="proxy" open hidden><summary>What the clients received, and what the proxy did</summary>
<div id="received"></div><h3>The proxy</h3><pre id="proxy-says" tabindex="0"></pre></details>`;
