/// <reference lib="dom" />
/** What came of the last send through the proxy: what its client received, and whether that
 * is the response to what it sent. */
import { showBytes } from '../../../page/model/bytes';
import type { PageData } from '../../../page/model/page-data';
import { byId, draw } from '../../../page/view/dom';
import { button, view, type View } from '../../../page/view/view';
import type { ClientData } from '../clients';
import { outcomeOf } from './origin';
import { clientOf, nameOf, type Sent, type State } from './state';

export class Result {
  /** The send of which is told what came of it, while one predicts first. */
  private told: Sent | undefined;

  show(state: State, trace: PageData | undefined): void {
    const { isPredicting, sent } = state;
    const client = clientOf(state, sent?.client ?? NaN);
    const isShown =
      sent !== undefined && trace !== undefined && client?.name.startsWith('p') === true;
    byId('result').hidden = !isShown;
    if (!isShown) return;
    if (!isPredicting) this.told = undefined;
    if (isPredicting && this.told !== sent) {
      const tell = (): void => {
        this.told = sent;
        this.show(state, trace);
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
    const { says, isOther } = outcomeOf(client, sent.at, trace, (name) =>
      nameOf(state, name),
    );
    draw(byId('newest'), [
      view('h2', {}, `${describe(client, sent)} and ${receives(client, received)}`),
      ...responseView(received),
      view('p', { class: isOther ? 'bad' : undefined }, says),
    ]);
  }
}

function describe({ asked, name, unsent }: ClientData, { who }: Sent): string {
  const does = unsent > 0 ? 'has not sent all of' : who === 'victim' ? 'asked for' : 'sent';
  return `${who === '' ? name : `The ${who} (${name})`} ${does} ${asked}`;
}

function receives({ state }: ClientData, received: string): string {
  if (received !== '') return 'received:';
  return state === 'closed'
    ? 'received nothing: its connection is closed.'
    : 'has received nothing yet.';
}

/** The status line and the content of the last response: its fields are among the bytes. */
function responseView(received: string): View[] {
  const text = received.slice(Math.max(0, received.lastIndexOf('HTTP/1.1 ')));
  const shown = text
    .replace(/\r\n(?:[^\r]+\r\n)*\r\n/, '\n')
    .replace(/[^\n -~]/g, showBytes);
  return shown === '' ? [] : [view('pre', {}, shown)];
}
