/** The tables as Mermaid diagrams. Every arrow comes from a table. */
import { EVENTS, REACTIONS } from '../../src/server/connection-states';
import { DISPATCHER, type State } from '../../src/tasks/dispatcher';

/** A tree: a result that several rules lead to is drawn at each of them, so no arrows cross. */
function drawDispatcher(start: State): string {
  const lines = ['flowchart LR', `    ${start.name}(${start.name})`];
  const draw = (state: State): void => {
    for (const { condition, next } of state.rules) {
      const isResult = typeof next === 'function';
      const { name } = next;
      const node = isResult ? `${state.name}.${name}([${name}])` : `${name}(${name})`;
      // A label in quotes may hold anything but a quote.
      lines.push(
        `    ${state.name} -- "${condition.label.replaceAll('"', '')}" --> ${node}`,
      );
      if (!isResult) draw(next);
    }
  };
  draw(start);
  return lines.join('\n');
}

/** One arrow for all events that lead from one state to another. */
function drawConnection(): string {
  const arrows = new Map<string, Set<string>>();
  for (const [event, { from, to }] of Object.entries(EVENTS)) {
    // What can happen in every other state has one arrow.
    const states = [from].flat();
    const isEverywhere = states.length === Object.keys(REACTIONS).length - 1;
    const starts = isEverywhere
      ? ['any(any state)']
      : states.map((state) => `${state}(${state})`);
    for (const start of starts) {
      const ends = `${start} ${to}(${to})`;
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
  connection: drawConnection(),
  dispatcher: drawDispatcher(DISPATCHER.start),
};
