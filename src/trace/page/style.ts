/** The style of the page, in light and in dark. Each kind of part has a colour, and its
 * name below it: the colour is never all there is. */
const css = String.raw;

export const STYLE = css`
  :root {
    color-scheme: light dark;
    --text: #1b2026;
    --soft: #57606a;
    --line: #d0d7de;
    --page: #ffffff;
    --card: #f6f8fa;
    --accent: #0a5bc4;
    --wrong: #b3141f;
    --method: #0a5bc4;
    --target: #0f6f32;
    --version: #7a3ec8;
    --name: #086d80;
    --value: #40509c;
    --delimiter: #6a737d;
    --size: #a6490a;
    --extension: #80551f;
    --content: #7a5c00;
    --trailer: #a32c78;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --text: #e6edf3;
      --soft: #9aa5b1;
      --line: #343b44;
      --page: #0d1117;
      --card: #161b22;
      --accent: #6cb0ff;
      --wrong: #ff8c86;
      --method: #6cb0ff;
      --target: #6fd487;
      --version: #c9a3ff;
      --name: #5fd0e4;
      --value: #a8b6ff;
      --delimiter: #939da8;
      --size: #ffab70;
      --extension: #dcb483;
      --content: #e9c85b;
      --trailer: #ff9ad2;
    }
  }
  * {
    box-sizing: border-box;
  }
  body {
    margin: 0 auto;
    max-width: 1520px;
    padding: 16px clamp(12px, 3vw, 40px) 48px;
    background: var(--page);
    color: var(--text);
    font:
      15px/1.5 system-ui,
      -apple-system,
      'Segoe UI',
      Roboto,
      'Helvetica Neue',
      sans-serif;
  }
  h1 {
    margin: 0;
    font-size: 22px;
    line-height: 1.25;
  }
  h2 {
    margin: 24px 0 4px;
    font-size: 16px;
  }
  header p {
    margin: 2px 0;
  }
  p {
    margin: 6px 0;
  }
  a {
    color: var(--accent);
  }
  code,
  kbd,
  .bytes,
  .glyph {
    font-family:
      ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
    font-size: 0.92em;
  }
  kbd {
    padding: 0 5px;
    border: 1px solid var(--line);
    border-radius: 4px;
  }
  .note,
  #gloss,
  #when,
  #arrived {
    color: var(--soft);
    font-size: 13.5px;
  }
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  html:not(.interactive) .interactive {
    display: none;
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 1px;
  }
  button,
  select {
    max-width: 100%;
    padding: 3px 10px;
    border: 1px solid var(--line);
    border-radius: 6px;
    background: var(--card);
    color: var(--text);
    font: inherit;
    cursor: pointer;
  }
  button:hover {
    border-color: var(--accent);
  }
  dl {
    display: grid;
    grid-template-columns: max-content 1fr;
    gap: 2px 14px;
    margin: 6px 0;
  }
  dt {
    color: var(--soft);
  }
  dd {
    margin: 0;
    overflow-wrap: anywhere;
  }

  /* The lanes. */
  .lanes {
    position: relative;
    max-height: 300px;
    overflow: auto;
    border: 1px solid var(--line);
    border-radius: 8px;
    background: var(--card);
    cursor: pointer;
  }
  .track {
    position: relative;
    min-width: 100%;
  }
  .axis {
    position: sticky;
    top: 0;
    z-index: 3;
    height: 20px;
    border-bottom: 1px solid var(--line);
    background: var(--card);
    color: var(--soft);
    font-size: 11.5px;
  }
  .time {
    position: absolute;
    top: 0;
    line-height: 20px;
    font-variant-numeric: tabular-nums;
  }
  .lane {
    position: relative;
    height: 30px;
    border-bottom: 1px solid var(--line);
    content-visibility: auto;
    contain-intrinsic-size: auto 30px;
  }
  .lane:last-of-type {
    border-bottom: 0;
  }
  .lane-name {
    position: sticky;
    left: 0;
    z-index: 2;
    display: inline-block;
    width: 56px;
    height: 100%;
    padding-left: 8px;
    background: var(--card);
    color: var(--soft);
    font-size: 12.5px;
    line-height: 29px;
  }
  .axis .lane-name {
    font-size: 11.5px;
    line-height: 20px;
  }
  .bar {
    position: absolute;
    top: 5px;
    height: 19px;
    padding-left: 10px;
    overflow: hidden;
    background: color-mix(in srgb, var(--hue, var(--delimiter)) 16%, transparent);
    color: var(--soft);
    font-size: 11px;
    line-height: 19px;
    white-space: nowrap;
  }
  .bar.waiting,
  .swatch.waiting {
    --hue: var(--size);
  }
  .bar.reading,
  .swatch.reading {
    --hue: var(--target);
  }
  .lane.queue .bar {
    overflow: visible;
  }
  .bar.queued,
  .bar.blocked,
  .swatch.queued,
  .swatch.blocked {
    --hue: var(--version);
  }
  .bar.handled,
  .swatch.handled {
    --hue: var(--method);
  }
  .bar.idle,
  .swatch.idle {
    --hue: var(--name);
  }
  .bar.rejected,
  .swatch.rejected {
    --hue: var(--wrong);
  }
  .mark {
    position: absolute;
    top: 5px;
    z-index: 1;
    width: 14px;
    margin-left: -7px;
    color: var(--text);
    font-size: 11px;
    line-height: 19px;
    text-align: center;
  }
  .mark.read,
  .verb.read {
    color: var(--target);
  }
  .mark.write,
  .verb.write {
    color: var(--method);
  }
  .mark.reject,
  .verb.reject {
    color: var(--wrong);
    font-weight: 700;
  }
  .mark.chosen {
    border-radius: 4px;
    outline: 2px solid var(--accent);
    background: var(--page);
  }
  .cursor {
    position: absolute;
    top: 0;
    bottom: 0;
    width: 0;
    border-left: 2px solid var(--accent);
    pointer-events: none;
  }
  .swatch {
    display: inline-block;
    width: 16px;
    height: 10px;
    background: color-mix(in srgb, var(--hue, var(--delimiter)) 30%, transparent);
  }
  .legend {
    margin: 4px 0 0;
    color: var(--soft);
    font-size: 12px;
  }
  .legend summary {
    margin-right: 16px;
    font-weight: 650;
  }
  .legend span {
    display: inline-block;
    margin-right: 16px;
  }
  .controls {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
    margin: 8px 0;
  }
  .controls input[type='range'] {
    flex: 1 1 160px;
    min-width: 0;
    accent-color: var(--accent);
  }

  /* One step. */
  #moment {
    padding: 10px 16px;
    border: 1px solid var(--line);
    border-radius: 8px;
    background: var(--card);
  }
  #moment p {
    margin: 0;
  }
  #what {
    font-size: 17px;
    overflow-wrap: anywhere;
  }
  .verb {
    margin-right: 8px;
    font-weight: 650;
  }
  .line + .line {
    display: block;
  }
  .verdict {
    margin: 0 0 12px;
    padding: 8px 14px 10px;
    border: 1px solid var(--wrong);
    border-left-width: 6px;
    border-radius: 6px;
    background: color-mix(in srgb, var(--wrong) 7%, transparent);
  }
  .reason {
    margin: 0;
    color: var(--wrong);
    font-size: 16px;
    font-weight: 650;
    line-height: 1.35;
  }
  .verdict dl {
    grid-template-columns: minmax(0, 1fr);
    gap: 0;
    font-size: 14px;
  }
  .verdict dt {
    margin-top: 5px;
    font-size: 12.5px;
  }
  summary {
    cursor: pointer;
  }
  details > summary > h2 {
    display: inline-block;
  }
  .moment {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 430px), 1fr));
    gap: 0 28px;
  }
  #verdict:empty {
    display: none;
  }
  .of {
    color: var(--soft);
    font-size: 12.5px;
  }
  .verdict p {
    margin: 0;
  }
  .verdict button {
    padding: 0 7px;
    font-size: 13px;
  }
  h3 {
    margin: 10px 0 0;
    font-size: 14px;
    font-weight: 650;
  }
  #facts {
    font-size: 14px;
  }

  /* The bytes. */
  .columns {
    display: grid;
    grid-template:
      'message verdict' auto
      'message byte' 1fr
      'facts byte' auto / minmax(0, 1fr) minmax(300px, 34%);
    column-gap: 20px;
    align-items: start;
  }
  #verdict {
    grid-area: verdict;
  }
  .message {
    grid-area: message;
  }
  #byte {
    grid-area: byte;
    position: sticky;
    top: 8px;
  }
  .facts {
    grid-area: facts;
  }
  .message p {
    margin: 0 0 6px;
  }
  .message .note {
    margin: 6px 0;
  }
  .facts h2 {
    margin-top: 20px;
  }
  .facts h2:empty,
  .facts h2:empty + div {
    display: none;
  }
  #bytes {
    border: 1px solid var(--line);
    border-radius: 8px;
    padding: 4px 0;
  }
  .row {
    display: grid;
    grid-template-columns: 118px minmax(0, 1fr);
    gap: 8px;
    padding: 5px 10px 3px;
  }
  .row + .row {
    border-top: 1px dotted var(--line);
  }
  .head {
    color: var(--soft);
    font-size: 12px;
    line-height: 1.3;
  }
  .offset {
    display: block;
    color: var(--text);
    font-variant-numeric: tabular-nums;
  }
  .label {
    display: block;
  }
  .cells {
    min-width: 0;
  }
  .part {
    --hue: var(--delimiter);
    display: inline-block;
    max-width: 100%;
    margin: 0 1px 2px 0;
    vertical-align: top;
  }
  .part.k-method {
    --hue: var(--method);
  }
  .part.k-target {
    --hue: var(--target);
  }
  .part.k-version {
    --hue: var(--version);
  }
  .part.k-name {
    --hue: var(--name);
  }
  .part.k-value {
    --hue: var(--value);
  }
  .part.k-size {
    --hue: var(--size);
  }
  .part.k-extension {
    --hue: var(--extension);
  }
  .part.k-content {
    --hue: var(--content);
  }
  .part.k-trailer-name,
  .part.k-trailer-value {
    --hue: var(--trailer);
  }
  .part.k-wrong {
    --hue: var(--wrong);
  }
  .bytes {
    display: block;
    width: fit-content;
    padding: 1px 2px;
    border-bottom: 3px solid var(--hue);
    border-radius: 4px 4px 0 0;
    background: color-mix(in srgb, var(--hue) 14%, transparent);
    font-size: 14.5px;
    line-height: 1.55;
    overflow-wrap: anywhere;
  }
  .part.k-delimiter .bytes {
    border-bottom-style: dotted;
  }
  .part.is-waiting .bytes,
  .part.is-ignored .bytes,
  .part.is-future .bytes {
    border-bottom: 3px dashed var(--line);
    background: none;
    color: var(--soft);
  }
  .part.is-future .bytes {
    border-bottom-style: dotted;
  }
  .part.k-wrong .bytes {
    outline: 2px solid var(--wrong);
    font-weight: 700;
  }
  .part.is-announced .bytes {
    outline: 2px dashed var(--wrong);
  }
  .part.is-new .bytes {
    box-shadow: inset 0 0 0 1.5px var(--hue);
  }
  .part.is-new .tag {
    font-weight: 700;
  }
  .tag {
    display: block;
    padding: 0 2px;
    color: var(--hue);
    font-size: 11.5px;
    line-height: 1.35;
    white-space: nowrap;
  }
  .tag:empty {
    display: none;
  }
  .is-overhung .tag {
    width: 0;
  }
  .is-low .tag {
    margin-top: 1.35em;
  }
  .part.is-waiting .tag,
  .part.is-ignored .tag,
  .part.is-future .tag {
    color: var(--soft);
  }
  .part.k-wrong .tag {
    font-weight: 700;
  }
  .byte {
    padding: 1px 0;
    border-radius: 3px;
    cursor: pointer;
  }
  .byte.escaped {
    margin: 0 1px;
    color: var(--soft);
    font-size: 0.86em;
  }
  .byte:hover {
    background: color-mix(in srgb, var(--accent) 30%, transparent);
  }
  .byte[aria-selected='true'] {
    background: var(--accent);
    color: var(--page);
  }
  .more {
    margin: 2px 6px;
    padding: 0 8px;
    font:
      12px/1.6 system-ui,
      sans-serif;
  }
  #byte {
    padding: 10px 16px;
    border: 1px solid var(--line);
    border-radius: 8px;
    background: var(--card);
    font-size: 14px;
  }
  #byte code {
    overflow-wrap: anywhere;
  }
  #byte dl {
    margin: 6px 0;
  }
  .grammar summary {
    color: var(--soft);
  }
  #toggle {
    display: none;
    margin-left: auto;
    padding: 0 8px;
    font-size: 13px;
  }
  .byte-name {
    display: flex;
    align-items: center;
    gap: 12px;
    margin: 0;
  }
  .glyph {
    min-width: 34px;
    padding: 2px 8px;
    border: 2px solid var(--soft);
    border-radius: 6px;
    font-size: 18px;
    text-align: center;
  }
  .byte-name.k-wrong .glyph {
    border-color: var(--wrong);
    color: var(--wrong);
  }

  /* As text. */
  #all > div {
    content-visibility: auto;
    contain-intrinsic-size: auto 2400px;
  }
  #all p {
    display: grid;
    grid-template-columns: 190px minmax(0, 1fr);
    margin: 0;
    padding: 1px 4px;
    font-size: 13.5px;
    font-variant-numeric: tabular-nums;
    overflow-wrap: anywhere;
  }
  #all b {
    color: var(--soft);
    font-weight: 500;
  }
  .interactive #all p:hover {
    background: var(--card);
    cursor: pointer;
  }
  #parts dl,
  #words dl {
    grid-template-columns: minmax(110px, 220px) 1fr;
    gap: 8px 14px;
  }
  #parts .part {
    padding: 0 6px;
    border-bottom: 3px solid var(--hue);
    background: color-mix(in srgb, var(--hue) 14%, transparent);
    color: var(--text);
  }

  @media (max-width: 900px) {
    .columns {
      grid-template: 'verdict' 'message' 'byte' 'facts' / minmax(0, 1fr);
    }
    /* One line, which covers no byte that the keyboard goes to, until it is opened. */
    html {
      scroll-padding-bottom: 64px;
    }
    html:has(#byte.open) {
      scroll-padding-bottom: calc(45vh + 16px);
    }
    #byte {
      top: auto;
      bottom: 0;
      margin-top: 8px;
      padding: 6px 12px;
      max-height: 45vh;
      overflow: auto;
      box-shadow: 0 -4px 12px rgb(0 0 0 / 18%);
    }
    #byte:not(.open) dl,
    #byte:not(.open) .grammar {
      display: none;
    }
    #toggle {
      display: block;
    }
    .glyph {
      font-size: 15px;
    }
  }
  @media (max-width: 560px) {
    .row {
      grid-template-columns: minmax(0, 1fr);
      gap: 2px;
    }
    #lanes-note {
      display: none;
    }
    .offset,
    .label {
      display: inline;
      margin-right: 6px;
    }
    #parts dl,
    #words dl {
      grid-template-columns: minmax(0, 1fr);
    }
    #parts dd,
    #words dd {
      margin-bottom: 4px;
    }
    #all p {
      grid-template-columns: minmax(0, 1fr);
    }
  }
  @media print {
    body {
      max-width: none;
      padding: 0;
    }
    .controls,
    .lanes,
    .legend,
    .note,
    .more {
      display: none;
    }
    #byte {
      position: static;
      max-height: none;
      box-shadow: none;
    }
    #byte:not(.open) dl {
      display: grid;
    }
    #toggle {
      display: none;
    }
    .bytes,
    .part.k-wrong .bytes {
      print-color-adjust: exact;
    }
    .row,
    .verdict,
    #all p {
      break-inside: avoid;
    }
  }
`;
