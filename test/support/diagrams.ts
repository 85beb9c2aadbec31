/** The tables as Mermaid diagrams. Every arrow comes from a table. */
import { CONNECTION } from '../../src/server/connection-states';
import { DISPATCHER, nameOf } from '../../src/tasks/dispatcher';

type Dispatcher = Readonly<Record<string, (typeof DISPATCHER)['start']>>;

/** A tree: a result that several rules lead to is drawn at each of them, so no arrows cross. */
function drawDispatcher(rows: Dispatcher): string {
  const lines = ['flowchart LR', '    start(start)'];
  const draw = (state: string): void => {
    for (const [{ label }, to] of rows[state] ?? []) {
      const next = nameOf(to);
      const isState = next in rows;
      const node = isState ? `${next}(${next})` : `${state}.${next}([${next}])`;
      // A label in quotes may hold anything but a quote.
      lines.push(`    ${state} -- "${label.replaceAll('"', '')}" --> ${node}`);
      if (isState) draw(next);
    }
  };
  draw('start');
  return lines.join('\n');
}

type Connection = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** One arrow for all events that lead from one state to another. */
function drawConnection(table: Connection): string {
  const rows = Object.entries(table);
  const isEverywhere = (event: string, to: string): boolean =>
    rows.every(([, row]) => row[event] === to);
  const arrows = new Map<string, Set<string>>();
  for (const [state, row] of rows) {
    for (const [event, to] of Object.entries(row)) {
      // What leads to the same place from everywhere has one arrow.
      const from = isEverywhere(event, to) ? 'any(any state)' : `${state}(${state})`;
      const ends = `${from} ${to}(${to})`;
      arrows.set(ends, (arrows.get(ends) ?? new Set()).add(event));
    }
  }
  const lines = Array.from(arrows, ([ends, events]) => {
    const [from, to] = ends.split(/ (?=\w+\(\w+\)$)/);
    return `    ${from} -- "${[...events].join('<br>')}" --> ${to}`;
  });
  return ['flowchart LR', ...lines].join('\n');
}

export const DIAGRAMS: { readonly [name: string]: string } = {
  connection: drawConnection(CONNECTION),
  dispatcher: drawDispatcher(DISPATCHER),
};
