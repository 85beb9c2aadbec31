/// <reference lib="dom" />
/** What came of the last send through the proxy: what its client received, whether that is
 * the response to what it sent, and below it what the other clients and the proxy did. */
import { showBytes } from '../../../page/model/bytes';
import type { PageData } from '../../../page/model/page-data';
import { count } from '../../../page/model/words';
import { byId, draw } from '../../../page/view/dom';
import { button, view, type View } from '../../../page/view/view';
import type { ProxyLine } from '../../../trace/proxy-events';
import type { ClientData } from '../clients';
import { outcomeOf } from './origin';
import { nameOf, type Sent, type State } from './state';

export class Result {
  /** The send of which is told what came of it, while one predicts first. */
  private told: Sent | undefined;
  private seen = '';

  show(state: State, lines: readonly ProxyLine[], trace: PageData | undefined): void {
    const { clients, isPredicting, sent } = state;
    const proxied = clients.filter(({ name }) => name.startsWith('p')).reverse();
    const client = proxied.find(({ id }) => id === sent?.client);
    const box = byId('result');
    box.hidden = client === undefined || sent === undefined;
    if (client === undefined || sent === undefined) return;
    if (!isPredicting) this.told = undefined;
    const isHidden = isPredicting && this.told !== sent;
    byId('proxy').hidden = isHidden;
    if (isHidden) {
      const tell = (): void => {
        this.told = sent;
        this.show(state, lines, trace);
        byId('newest').focus(); // the button is gone
      };
      draw(byId('newest'), [
        view('h2', {}, `${describe(client, sent)}. What does it receive?`),
        button('Show it', tell),
      ]);
      return;
    }
    const since = client.received - sent.received;
    const received = since > 0 ? atob(client.bytes ?? '').slice(-since) : '';
    const { says, isOther } = outcomeOf(client, sent, lines, trace, (name) =>
      nameOf(state, name),
    );
    draw(byId('newest'), [
      view('h2', {}, `${describe(client, sent)} and ${receives(client, received)}`),
      ...drawResponse(received),
      view('p', { class: isOther ? 'bad' : undefined }, says),
    ]);
    this.list(proxied, lines);
    const key = JSON.stringify([client.id, client.received]);
    if (key === this.seen || received === '') return;
    this.seen = key;
    // Where the panes are below each other, the page has gone to what happened on the
    // server.
    box.scrollTop = 0;
    requestAnimationFrame(() => box.scrollIntoView({ block: 'nearest' }));
  }

  /** @param clients of the proxy */
  private list(clients: readonly ClientData[], lines: readonly ProxyLine[]): void {
    const said = lines.flatMap((line) => (line.type === 'say' ? [line.line] : []));
    draw(byId('proxy-says'), [said.join('\n')]);
    const told = clients.flatMap((client) => {
      const { asked, bytes, name, received, state } = client;
      const did = `${name} ${sends(client)} ${asked}`;
      const says = `${did}, and received ${count(received, 'byte')}`;
      const isOpen = state === 'closed' ? ', and is closed' : '';
      return [view('h3', {}, says + isOpen), view('pre', {}, show(atob(bytes ?? '')))];
    });
    draw(byId('received'), told);
  }
}

function describe(client: ClientData, { who }: Sent): string {
  const { asked, name } = client;
  return `${who === '' ? name : `The ${who} (${name})`} ${sends(client, who)} ${asked}`;
}

function sends({ unsent }: ClientData, who = ''): string {
  if (unsent > 0) return 'has not sent all of';
  return who === 'victim' ? 'asked for' : 'sent';
}

function receives({ state }: ClientData, received: string): string {
  if (received !== '') return 'received:';
  return state === 'closed'
    ? 'received nothing: its connection is closed.'
    : 'has received nothing yet.';
}

/** The status line and the content of the last response are in sight, the fields are
 * folded. */
function drawResponse(received: string): View[] {
  if (received === '') return [];
  const text = received.slice(Math.max(0, received.lastIndexOf('HTTP/1.1 ')));
  const [, line = text, fields = '', content = ''] =
    /^([^\r]*)\r\n((?:[^\r]+\r\n)*)\r\n([^]*)$/.exec(text) ?? [];
  const many = fields.split('\r\n').length - 1;
  return [
    view('pre', {}, show(line)),
    view(
      'details',
      {},
      view('summary', {}, count(many, 'field')),
      view('pre', {}, show(fields.trimEnd())),
    ),
    view('pre', {}, show(content)),
  ];
}

/** Text in lines. Bytes without a glyph are escaped. */
function show(text: string): string {
  return text.replace(/[^\r\n -~]/g, showBytes);
}
