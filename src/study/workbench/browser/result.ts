/// <reference lib="dom" />
/** What came of the last send through the proxy: what its client received, whether that is
 * the response to what it sent, and below it what the other clients and the proxy did. */
import { showBytes } from '../../../page/model/bytes';
import { byId, element } from '../../../page/view/dom';
import { count } from '../../../page/model/words';
import type { PageData } from '../../../page/model/page-data';
import type { ClientData } from '../clients';

/** What the composer knows of a client: who it is in an experiment, and its last send. */
export interface Sent {
  readonly who: string;
  /** A character for each byte. */
  readonly bytes: string;
  /** How many bytes its client had received by then. */
  readonly received: number;
}

/** What can be said of what the proxy did. */
interface Behind {
  /** Why it has forwarded nothing of what a client sent, or ''. */
  readonly tellHold: (client: ClientData, sent: string) => string;
  /** Where a request came from that its client did not send, or ''. */
  readonly tellOrigin: (asked: string) => string;
}

/** A response that the server wrote. */
interface Written {
  /** A character for each byte. */
  readonly response: string;
  /** The request, in the words of the table. */
  readonly to: string;
  readonly isOwn: boolean;
  /** The bytes of the request, if it is the only one that it may be. */
  readonly asked: string;
}

export class Result {
  private drawn = '';
  /** The send of which is told what came of it, while one predicts first. */
  private told: Sent | undefined;
  /** Tells what is hidden, in its latest state. */
  private tell = (): void => {};

  /** @param isPredicting whether nothing is told of a send until that is asked for */
  show(
    client: ClientData | undefined,
    sent: Sent | undefined,
    data: PageData | undefined,
    behind: Behind,
    isPredicting: boolean,
  ): void {
    const box = byId('result');
    box.hidden = client === undefined || sent === undefined;
    if (client === undefined || sent === undefined) return;
    if (!isPredicting) this.told = undefined;
    const isHidden = isPredicting && this.told !== sent;
    byId('proxy').hidden = isHidden;
    this.tell = () => {
      this.told = sent;
      this.show(client, sent, data, behind, true);
    };
    if (isHidden) return this.ask(client, sent);
    const since = client.received - sent.received;
    const received = since > 0 ? atob(client.bytes).slice(-since) : '';
    const written = findWritten(received, sent, data);
    const says =
      received === ''
        ? behind.tellHold(client, sent.bytes)
        : compare(received, written, behind.tellOrigin);
    const key = JSON.stringify([client, sent, written, says]);
    if (key === this.drawn) return;
    this.drawn = key;
    const isOther = written?.isOwn === false;
    byId('newest').replaceChildren(
      element('h2', {}, `${describe(client, sent)} and ${receives(client, received)}`),
      ...drawResponse(written?.response ?? received),
      element('p', isOther ? { class: 'bad' } : {}, says),
    );
    box.scrollTop = 0;
    // Where the panes are below each other, the page has gone to what happened on the
    // server.
    if (received !== '')
      requestAnimationFrame(() => box.scrollIntoView({ block: 'nearest' }));
  }

  private ask(client: ClientData, sent: Sent): void {
    const text = `${describe(client, sent)}. What does it receive?`;
    if (text === this.drawn) return;
    this.drawn = text;
    const button = element('button', { type: 'button' }, 'Show it');
    button.addEventListener('click', () => {
      this.tell();
      byId('newest').focus(); // the button is gone
    });
    byId('newest').replaceChildren(element('h2', {}, text), button);
  }

  /** @param clients of the proxy
   * @param lines what the proxy says */
  list(clients: readonly ClientData[], lines: readonly string[]): void {
    byId('proxy-says').textContent = lines.join('\n');
    const told = clients.flatMap((client) => {
      const { asked, bytes, name, received, state } = client;
      const did = `${name} ${sends(client)} ${asked}`;
      const says = `${did}, and received ${count(received, 'byte')}`;
      const isOpen = state === 'closed' ? ', and is closed' : '';
      return [element('h3', {}, says + isOpen), element('pre', {}, show(atob(bytes)))];
    });
    byId('received').replaceChildren(...told);
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

/** The status line and the content are in sight, the fields are folded. */
function drawResponse(text: string): HTMLElement[] {
  if (text === '') return [];
  const [, line = text, fields = '', content = ''] =
    /^([^\r]*)\r\n((?:[^\r]+\r\n)*)\r\n([^]*)$/.exec(text) ?? [];
  const many = fields.split('\r\n').length - 1;
  return [
    element('pre', {}, show(line)),
    element(
      'details',
      {},
      element('summary', {}, count(many, 'field')),
      element('pre', {}, show(fields.trimEnd())),
    ),
    element('pre', {}, show(content)),
  ];
}

/** @returns what the server wrote that is like the last response that was received: to what
 * its client sent, or else to other requests, if it is like the responses to several */
function findWritten(
  received: string,
  sent: Sent,
  data: PageData | undefined,
): Written | undefined {
  const all = (data?.exchanges ?? []).flatMap(({ request, responses, title }) =>
    responses.map(({ text: response }): Written => {
      const asked = request.text;
      const isOwn = asked !== '' && sent.bytes.includes(asked);
      return { response, to: title, isOwn, asked };
    }),
  );
  const alike = all.filter(
    ({ response }) => response !== '' && received.endsWith(response),
  );
  const [first] = alike;
  const own = alike.find(({ isOwn }) => isOwn);
  if (own !== undefined || first === undefined || alike.length === 1) return own ?? first;
  const to = [...new Set(alike.map((one) => one.to))].join(', or ');
  return { ...first, to, asked: '' };
}

function compare(
  received: string,
  written: Written | undefined,
  tellOrigin: (asked: string) => string,
): string {
  if (written !== undefined) {
    const { asked, isOwn, to } = written;
    return isOwn
      ? `This is the response to what it sent: ${to}.`
      : `This is not the response to what it sent, but to another request: ${to}` +
          `${tellOrigin(asked)}.`;
  }
  return /\(the proxy\)\n$/.test(received)
    ? 'The server did not send this: the proxy did.'
    : '';
}

/** Text in lines. Bytes without a glyph are escaped. */
function show(text: string): string {
  return text.replace(/[^\r\n -~]/g, showBytes);
}
