/** The tables of the machines as Mermaid state diagrams. No edge is written anywhere but in the tables. */
import { CHUNKED, EXTENSION } from '../../src/http/chunked';
import { READING } from '../../src/http/request-reader';
import { CONNECTION } from '../../src/server/connection';
import { SERVER } from '../../src/server/server';
import { DISPATCHER } from '../../src/tasks/dispatcher';

type Edge = readonly [from: string, to: string, label: string];

/** Edges between the same two states are one arrow with all their labels; a state that nothing leaves is an end. */
function diagram(start: string, edges: readonly Edge[]): string {
  const arrows = new Map<string, string[]>();
  for (const [from, to, label] of edges) arrows.set(`${from} --> ${to}`, [...(arrows.get(`${from} --> ${to}`) ?? []), label].filter((text) => text !== ''));
  const left = new Set(edges.map(([from]) => from));
  const ends = new Set(edges.map(([, to]) => to).filter((to) => !left.has(to)));
  const lines = [`[*] --> ${start}`, ...Array.from(arrows, ([arrow, labels]) => (labels.length === 0 ? arrow : `${arrow} : ${labels.join(', ')}`)), ...Array.from(ends, (end) => `${end} --> [*]`)];
  return ['stateDiagram-v2', ...lines.map((line) => `    ${line}`)].join('\n');
}

const successors = (graph: { readonly [state: string]: readonly string[] }): Edge[] =>
  Object.entries(graph).flatMap(([from, targets]) => targets.map((to) => [from, to, ''] as const));

/** Rows of event and next state. What leaves a state as it is would be an arrow to itself, and is left out. */
const events = (table: { readonly [state: string]: { readonly [event: string]: string } }): Edge[] =>
  Object.entries(table).flatMap(([from, row]) => Object.entries(row).flatMap(([event, to]) => (to === from ? [] : [[from, to, event] as const])));

/** Mermaid takes ";" and quotes for its own. */
const named = (label: string): string => label.replace(';', 'semicolon').replace('=', 'equals sign').replace(/^"$/, 'quote').replace('\\', 'backslash');

export const DIAGRAMS: { readonly [name: string]: string } = {
  reading: diagram('emptyLine', successors(READING)),
  chunked: diagram('size', successors(CHUNKED)),
  extension: diagram('after', Object.entries(EXTENSION).flatMap(([from, row]) => Object.entries(row).map(([octet, to]) => [from, to, named(octet)] as const))),
  connection: diagram('reading', events(CONNECTION)),
  dispatcher: diagram('start', Object.entries(DISPATCHER).flatMap(([from, row]) => row.map(([condition, to]) => [from, to, condition.replaceAll('"', '')] as const))),
  server: diagram('starting', events(SERVER)),
};
