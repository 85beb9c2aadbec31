/** What the page shows, as data. Pure: it knows no page; draw() in dom.ts makes elements of
 * it. Text stays text. */
import { splitCitations, type Citation } from '../model/citations';

/** An element that is still to be made, or a text. */
export type View =
  | string
  | {
      readonly tag: keyof HTMLElementTagNameMap;
      readonly attributes: { readonly [name: string]: string | number | undefined };
      readonly children: readonly View[];
      /** What happens when it is clicked. */
      readonly act?: (() => void) | undefined;
    };

/** @returns an element with attributes and children */
export function view(
  tag: keyof HTMLElementTagNameMap,
  attributes: { readonly [name: string]: string | number | undefined } = {},
  ...children: readonly View[]
): View {
  return { tag, attributes, children };
}

/** @param name its class, if it has one */
export function button(text: string, act: () => void, name?: string): View {
  return {
    tag: 'button',
    attributes: { type: 'button', class: name },
    children: [text],
    act,
  };
}

export function paragraph(name: string, ...children: readonly View[]): View {
  return view('p', { class: name || undefined }, ...children);
}

/** A link to a section. */
export function link({ text, url }: Citation): View {
  return view('a', { href: url }, text);
}

/** A sentence of the trace, with its sections as links. */
export function sentence(text: string): View[] {
  return splitCitations(text).map((part) => (typeof part === 'string' ? part : link(part)));
}

/** A list of terms and what they are. Terms without a description are left out. */
export function definitions(
  terms: readonly (readonly [term: string, description: readonly View[] | undefined])[],
  attributes: { readonly [name: string]: string | undefined } = {},
): View {
  const known = terms.flatMap(([term, description]) =>
    description === undefined ? [] : [view('dt', {}, term), view('dd', {}, ...description)],
  );
  return view('dl', attributes, ...known);
}
