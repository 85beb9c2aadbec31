/** Two runs of the same sends: where they differ first, and what each client received in
 * either. Pure: it knows no page. */
import { capitalize } from '../model/glossary';
import type { Receipt } from '../model/runs';
import { keyOf, type State } from './state';
import { button, view, type View } from './view';

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
