/** The tables as Mermaid diagrams. Every arrow comes from a table. */
import { STATES } from '../../src/server/connection-states';
import { DISPATCHER, isState } from '../../src/tasks/dispatcher';

/** A tree: a result that several rules lead to is drawn at each of them, so no arrows cross. */
function drawDispatcher(): string {
  const lines = ['flowchart LR', '    start(start)'];
  const draw = (state: keyof typeof DISPATCHER): void => {
    for (const [condition, next] of DISPATCHER[state]) {
      const node = isState(next) ? `${next}(${next})` : `${state}.${next}([${next}])`;
      // A label in quotes may hold anything but a quote.
      lines.push(`    ${state} -- "${condition.replaceAll('"', '')}" --> ${node}`);
      if (isState(next)) draw(next);
    }
  };
  draw('start');
  return lines.join('\n');
}

/** The states that something leads from to the same state share an arrow. */
function drawConnection(): string {
  const arrows = new Map<string, string[]>();
  for (const [from, { next }] of Object.entries(STATES)) {
    for (const [to, label] of Object.entries(next)) {
      const arrow = `-- "${label.replaceAll(', ', '<br>')}" --> ${to}(${to})`;
      arrows.set(arrow, [...(arrows.get(arrow) ?? []), `${from}(${from})`]);
    }
  }
  const lines = Array.from(arrows, ([arrow, from]) => `    ${from.join(' & ')} ${arrow}`);
  const closed = '    any(any state) -- "closed" --> closed(closed)';
  return ['flowchart LR', ...lines, closed].join('\n');
}

export const DIAGRAMS: { readonly [name: string]: string } = {
  connection: drawConnection(),
  dispatcher: drawDispatcher(),
};
