/** The bytes of an exchange: of its request and of its responses, as far as they had come at
 * a step; above them two runs, if there are two. Pure: it knows no page. */
import { capitalize } from '../model/glossary';
import { Message } from '../model/message';
import type { ExchangeData, PageData } from '../model/page-data';
import { Readers } from '../model/readers';
import type { Receipt } from '../model/runs';
import {
  commandOf,
  describeMissing,
  describeRequest,
  describeResponse,
  GUESSES,
} from '../model/sections';
import { isFinal } from '../model/times';
import { ByteGrid } from './grid';
import { dataOf, isAnswered, isHidden, keyOf, type State } from './state';
import { button, listOf, view, type Child, type View } from './view';

/** @returns the messages that are here at the step: the request, and its responses */
export function gridsOf(state: State): ByteGrid[] {
  const { byte, exchange, look, step } = state;
  const data = dataOf(state);
  if (data === undefined || exchange === undefined) return [];
  const { request, responses } = exchange;
  const all = [
    new Message(data, exchange, 'request', request),
    ...responses.map((one, index) => new Message(data, exchange, index, one)),
  ];
  const here = all.filter(
    ({ message, side }) => side === 'request' || (message.arrivals[0]?.[0] ?? 0) <= step,
  );
  return here.map((message) => {
    const { from, side } = message;
    const chosen = byte?.side === side ? byte.offset : undefined;
    const seen = look?.side === side ? look.offset : (chosen ?? from);
    const when = message.when(step);
    return new ByteGrid(when, new Readers(when), chosen, seen);
  });
}

export function messagesView(state: State, grids: readonly ByteGrid[]): View[] {
  const { exchange, step } = state;
  if (exchange === undefined) return [nothing(dataOf(state))];
  return listOf(
    grids.map((grid) => section(state, exchange, grid)),
    isAnswered(exchange, step) ? undefined : missing(state, exchange),
  );
}

function section(state: State, exchange: ExchangeData, grid: ByteGrid): View {
  const { message, readers } = grid;
  const { side } = message;
  const hasBytes = message.text !== '' || exchange.rejection !== undefined;
  const bytes = hasBytes ? grid.view() : undefined;
  if (side !== 'request') {
    const response = exchange.responses[side];
    const name = response && !isFinal(response) ? 'Interim response' : 'Response';
    return part(side, `\u2190 ${name}`, describeResponse(message), bytes);
  }
  const name = exchange.connection === 0 ? 'No client' : '\u2192 Request';
  const about = describeRequest(message, state.step, isHidden(state, exchange));
  return part(side, name, about, bytes, tellReaders(readers), command(message));
}

/** What the readers do: the list is for a narrow window, and for the ear. */
export function tellReaders(readers: Readers): View | undefined {
  const { lab = '', said = '', told = [] } = readers.tell() ?? {};
  if (said === '') return undefined;
  const items = told.map((text) => view('li', '', text));
  const first = view('p', '', said, view('span', 'lab', lab));
  return view('div', 'after', first, view('ul', 'told', items));
}

function command(message: Message): View | undefined {
  const text = commandOf(message);
  if (text === '') return undefined;
  const summary = view('summary', '', 'Send these bytes again, with nc');
  return view('details', 'command', summary, view('code', { tabindex: 0 }, text));
}

/** What stands in place of a response. */
function missing(state: State, exchange: ExchangeData): View {
  if (isHidden(state, exchange)) return question();
  if (exchange.connection === 0) return nothing(dataOf(state));
  return part('none', '\u2190 Response', describeMissing(exchange, state.step));
}

function question(): View {
  return view(
    'section',
    'msg ask',
    view('p', '', view('b', '', 'These bytes arrived. What does the server do?')),
    GUESSES.map((guess) => button(`It ${guess}`, { 'data-guess': guess })),
    button('Just show it', { 'data-guess': '' }),
  );
}

/** What stands in place of bytes where there are none. */
function nothing({ exchanges = [], now }: Partial<PageData> = {}): View {
  if (exchanges.some(({ connection }) => connection > 0)) return view('p', 'msg');
  const text =
    now === undefined
      ? 'Nothing arrived at the server.'
      : 'What arrives at the server is shown here, byte by byte, and what it makes of it.';
  return view('p', 'soft msg', text);
}

/** @param name and `about` stand above the rest */
function part(
  side: Message['side'] | 'none',
  name: string,
  about: string,
  ...rest: readonly Child[]
): View {
  const bar = view('div', 'bar', view('h2', '', name), view('span', 'soft', about));
  return view('section', { class: 'msg', 'data-side': side }, bar, ...rest);
}

/** Two runs of the same sends: where they differ first, and what each client received in
 * either. */
export function runsView({ comparison, isPredicting, other }: State): View | undefined {
  if (comparison === undefined || other === undefined || isPredicting) return undefined;
  const heads = ['received', ...other.called].map((text) =>
    view('th', { scope: 'col' }, capitalize(text)),
  );
  const rows = comparison.clients.map(({ isSame, name, received }) =>
    view(
      'tr',
      isSame ? 'same' : '',
      view('th', { scope: 'row' }, capitalize(name)),
      received.map((all, run) => view('td', '', receiptsView(run, all))),
    ),
  );
  return view(
    'section',
    { class: 'msg', id: 'comparison', 'aria-label': 'Two runs' },
    view('p', '', view('b', '', comparison.says)),
    view('table', '', view('tr', '', heads), rows),
  );
}

function receiptsView(run: number, all: readonly Receipt[]): View[] {
  if (all.length === 0) return ['nothing'];
  return all.map(({ exchange, isOther, says }) => {
    const about = { class: 'link', 'data-run': run, 'data-key': keyOf(exchange) };
    const text = exchange === undefined ? says : button(says, about);
    return view('div', isOther ? 'bad' : '', text);
  });
}
