/// <reference lib="dom" />
/** Elements from text. Nothing here, or in this folder, reads markup: text stays text. */
import { splitCitations, type Citation } from './citations';

type Attributes = { readonly [name: string]: string | number | undefined };
type Child = Node | string;

/** @returns a new element with attributes and children */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) created.setAttribute(name, String(value));
  }
  created.append(...children);
  return created;
}

/** @returns a new button @param name its class, if it has one */
export function button(text: string, act: () => void, name?: string): HTMLButtonElement {
  const made = element('button', { type: 'button', class: name }, text);
  made.addEventListener('click', act);
  return made;
}

/** @returns the element of the page with an id */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element "${id}"`);
  return found;
}

/** A link to a section. */
export function link({ text, url }: Citation): HTMLAnchorElement {
  return element('a', { href: url }, text);
}

/** A sentence of the trace, with its sections as links. */
export function sentence(text: string): Child[] {
  return splitCitations(text).map((part) => (typeof part === 'string' ? part : link(part)));
}

/** A list of terms and what they are. Terms without a description are left out. */
export function definitions(
  terms: readonly (readonly [term: string, description: readonly Child[] | undefined])[],
): HTMLDListElement {
  const list = element('dl');
  for (const [term, description] of terms) {
    if (description === undefined) continue;
    list.append(element('dt', {}, term), element('dd', {}, ...description));
  }
  return list;
}
