/// <reference lib="dom" />
/** The gallery: everything that can be typed by a choice, found by its words. */
import { byId, draw } from '../../../page/view/dom';
import { view, type View } from '../../../page/view/view';
import type { MenuGroup } from '../requests';

/** @returns the groups with the requests in which each word of a query is found */
export function find(groups: readonly MenuGroup[], query: string): readonly MenuGroup[] {
  const words = query.toLowerCase().split(/\s+/);
  return groups.flatMap((group) => {
    const requests = group.requests.filter(([name, title]) => {
      const text = `${group.title} ${name} ${title}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    return requests.length > 0 ? [{ ...group, requests }] : [];
  });
}

const DONE = 'done';

export class Gallery {
  private readonly box = byId('gallery');
  private readonly search = byId('search') as HTMLInputElement;
  /** The requests that were sent once, in any tab. */
  private readonly done = new Set<string>(JSON.parse(localStorage.getItem(DONE) ?? '[]'));

  /** @param onChoice is told the name of what is chosen, and its title */
  constructor(
    private readonly groups: readonly MenuGroup[],
    private readonly onChoice: (name: string, title: string) => void,
  ) {
    this.search.addEventListener('input', () => this.show());
    this.box.addEventListener('toggle', () => {
      if (!this.box.matches(':popover-open')) return;
      this.show();
      this.search.select();
    });
    this.box.addEventListener('keydown', (event) => this.onKey(event));
  }

  note(name: string): void {
    this.done.add(name);
    localStorage.setItem(DONE, JSON.stringify([...this.done]));
  }

  private show(): void {
    const found = find(this.groups, this.search.value);
    const { done } = this;
    const views = found.flatMap(({ note, requests, title }): View[] => [
      view('h3', {}, title),
      ...requests.map(([name, what]): View => ({
        tag: 'button',
        attributes: { type: 'button', 'data-name': name },
        children: [`${done.has(name) ? '\u2713 ' : ''}${what}`],
        act: () => {
          this.box.hidePopover();
          this.onChoice(name, what);
        },
      })),
      ...(note === undefined ? [] : [view('p', { class: 'soft' }, note)]),
    ]);
    draw(
      byId('found'),
      views.length > 0 ? views : [view('p', {}, 'Nothing has these words.')],
    );
  }

  /** The arrows go from one to the next, and back to the search. */
  private onKey(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    const all = [this.search, ...this.box.querySelectorAll('button')];
    const at = all.findIndex((one) => one === document.activeElement);
    all[Math.max(0, Math.min(all.length - 1, at + by))]?.focus();
    event.preventDefault();
  }
}
