/// <reference lib="dom" />
/** Elements from views. Nothing here, or in this folder, reads markup: text stays text. */
import type { Attributes, ElementView, View } from './view';

/** @returns the element of the page with an id */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element "${id}"`);
  return found;
}

/** What an element was drawn from. */
const drawn = new WeakMap<Node, ElementView>();

/** Makes an element show views. What is already there is changed in place: it keeps its
 * focus, its selection, and whether it is unfolded. */
export function draw(parent: Element, views: readonly View[]): void {
  for (const [index, one] of views.entries()) {
    const old = parent.childNodes[index];
    const node = update(old, one);
    if (old === undefined) parent.append(node);
    else if (node !== old) old.replaceWith(node);
  }
  while (parent.childNodes.length > views.length) parent.lastChild?.remove();
}

function update(old: ChildNode | undefined, one: View): Node {
  if (typeof one === 'string') {
    if (!(old instanceof Text)) return new Text(one);
    if (old.data !== one) old.data = one;
    return old;
  }
  const before = old && drawn.get(old);
  const isAlike = old instanceof HTMLElement && before?.tag === one.tag;
  const node = isAlike ? old : document.createElement(one.tag);
  const known = isAlike ? before.attributes : {};
  for (const name of Object.keys(known))
    if (!(name in one.attributes)) setAttribute(node, name, undefined);
  for (const [name, value] of Object.entries(one.attributes))
    if (value !== known[name]) setAttribute(node, name, value);
  draw(node, one.children);
  drawn.set(node, one);
  return node;
}

function setAttribute(node: HTMLElement, name: string, value: Attributes[string]): void {
  // The policy of the page forbids an attribute "style" or "onclick", but not this.
  if (name.startsWith('--')) node.style.setProperty(name, String(value ?? ''));
  else if (name === 'onclick') node.onclick = typeof value === 'function' ? value : null;
  else if (value === undefined) node.removeAttribute(name);
  else node.setAttribute(name, String(value));
}
