/// <reference lib="dom" />
/** Elements from text. Nothing here, or in this folder, reads markup: text stays text. */
import type { View } from './view';

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

/** What an element was drawn from. */
const drawn = new WeakMap<Node, View>();

/** Makes an element show views. What is alike stays as it is, with its focus, and with what
 * is selected in it. */
export function draw(parent: Element, views: readonly View[]): void {
  for (const [index, one] of views.entries()) {
    const old = parent.childNodes[index];
    const node = update(old, one);
    if (old === undefined) parent.append(node);
    else if (node !== old) old.replaceWith(node);
  }
  while (parent.childNodes.length > views.length) parent.lastChild?.remove();
}

/** @returns new nodes for a view */
export function make(one: View): Node {
  return update(undefined, one);
}

function update(old: ChildNode | undefined, one: View): Node {
  if (typeof one === 'string') {
    if (!(old instanceof Text)) return new Text(one);
    if (old.data !== one) old.data = one;
    return old;
  }
  const before = old && drawn.get(old);
  const known = typeof before === 'object' ? before : undefined;
  const isAlike =
    known?.tag === one.tag && known.attributes['class'] === one.attributes['class'];
  const node =
    isAlike && old instanceof HTMLElement ? old : document.createElement(one.tag);
  for (const [name, value] of Object.entries(one.attributes)) {
    // The policy of the page forbids an attribute "style", but not this.
    if (name.startsWith('--')) node.style.setProperty(name, String(value ?? ''));
    else if (value === undefined) node.removeAttribute(name);
    else if (node.getAttribute(name) !== String(value))
      node.setAttribute(name, String(value));
  }
  node.onclick = one.act ?? null;
  draw(node, one.children);
  drawn.set(node, one);
  return node;
}
