/** The tables as Mermaid diagrams. Every arrow comes from a table. */
import { STATES, type StateName } from '../../src/server/connection-states';
import { DISPATCHER, isState } from '../../src/tasks/dispatcher';

/** A tree: a result that several rules lead to is drawn at each of them, so no arrows
 * cross. */
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

/** An arrow of "receiving" is drawn there alone, although other states have it, too: the
 * eye can follow 15 arrows, but not 26. The tour says which states have it. */
function drawConnection(): string {
  const shared = new Set(arrowsOf('receiving'));
  const lines = (Object.keys(STATES) as StateName[]).flatMap((from) => {
    const drawn = new Map<string, string[]>();
    for (const arrow of arrowsOf(from)) {
      if (from !== 'receiving' && shared.has(arrow)) continue;
      const [to = '', event = ''] = arrow.split(': ');
      drawn.set(to, [...(drawn.get(to) ?? []), event]);
    }
    return Array.from(drawn, ([to, events]) => {
      const label = events.join('<br>');
      return `    ${from}(${from}) -- "${label}" --> ${to}(${to})`;
    });
  });
  const closed = '    lingering(lingering) -- "closed" --> closed(closed)';
  return ['flowchart LR', ...lines, closed].join('\n');
}

/** @returns what may follow a state, each as "state: event" */
export function arrowsOf(name: StateName): string[] {
  return Object.entries(STATES[name].next).flatMap(([to, events]) =>
    events.split(', ').map((event) => `${to}: ${event}`),
  );
}

export const DIAGRAMS: { readonly [name: string]: string } = {
  connection: drawConnection(),
  dispatcher: drawDispatcher(),
};
