/** What the page shows, as data. Pure: it knows no page; draw() in dom.ts makes elements of
 * it. Text stays text. */
import { splitCitations, type Citation } from '../model/citations';

/** `onclick` is what happens when the element is clicked. */
export type Attributes = {
  readonly [name: string]: string | number | (() => void) | undefined;
};

/** An element that is still to be made. */
export interface ElementView {
  readonly tag: keyof HTMLElementTagNameMap;
  readonly attributes: Attributes;
  readonly children: readonly View[];
}

export type View = string | ElementView;

/** What may stand in an element: nothing, too, and several in a list. */
export type Child = View | undefined | readonly (View | undefined)[];

/** @param about the class of the element, or its attributes */
export function view(
  tag: ElementView['tag'],
  about: string | Attributes = '',
  ...children: readonly Child[]
): View {
  const attributes =
    typeof about !== 'string' ? about : about === '' ? {} : { class: about };
  return { tag, attributes, children: listOf(...children) };
}

/** @returns those that are there */
export function listOf(...children: readonly Child[]): View[] {
  return children.flat().filter((one) => one !== undefined);
}

export function button(text: string, attributes: Attributes): View {
  return view('button', { type: 'button', ...attributes }, text);
}

/** A link to a section. */
export function link({ text, url }: Citation): View {
  return view('a', { href: url }, text);
}

/** A sentence of the trace, with its sections as links. */
export function sentence(text: string): View[] {
  return splitCitations(text).map((part) => (typeof part === 'string' ? part : link(part)));
}

/** A list of terms and what they are. Those that are undefined are left out. */
export function definitions(
  terms: readonly (readonly [term: string, description: Child])[],
  about: string | Attributes = '',
): View {
  const known = terms.filter(([, description]) => description !== undefined);
  const pairs = known.map(([term, description]) => [
    view('dt', '', term),
    view('dd', '', description),
  ]);
  return view('dl', about, ...pairs);
}
