/// <reference lib="dom" />
/** The gallery: everything that can be typed by a choice, found by its words. */
import { byId, draw } from '../../../page/view/dom';
import { button, view, type View } from '../../../page/view/view';
import { find, MENU, type Choice } from './menu';

const DONE = 'done';

export class Gallery {
  private readonly box = byId('gallery');
  private readonly search = byId('search') as HTMLInputElement;
  /** The choices that were sent once, and the challenges that were met, in any tab. */
  private readonly done = new Set<string>(JSON.parse(localStorage.getItem(DONE) ?? '[]'));

  constructor(private readonly onChoice: (choice: Choice) => void) {
    this.search.addEventListener('input', () => this.show());
    this.box.addEventListener('toggle', () => {
      if (!this.box.matches(':popover-open')) return;
      this.search.value = '';
      this.show();
      this.search.focus();
    });
    this.box.addEventListener('keydown', (event) => this.onKey(event));
  }

  note(name: string): void {
    this.done.add(name);
    localStorage.setItem(DONE, JSON.stringify([...this.done]));
  }

  private show(): void {
    const found = find(MENU, this.search.value);
    const views = found.flatMap(({ choices, title }): View[] => [
      view('h2', {}, title),
      ...choices.map((choice): View => {
        const { name, title: what } = choice;
        const done = this.done.has(name) ? '\u2713 ' : '';
        const onclick = (): void => {
          this.box.hidePopover();
          this.onChoice(choice);
        };
        return button(done + what, { 'data-name': name, onclick });
      }),
    ]);
    const nothing = view('p', {}, 'No matches.');
    draw(byId('found'), views.length > 0 ? views : [nothing]);
  }

  /** The arrows go from one to the next, and back to the search, where Enter takes the first
   * one. */
  private onKey(event: KeyboardEvent): void {
    if (event.key === 'Enter' && event.target === this.search) {
      event.preventDefault(); // or it would press the button that has the focus then
      this.box.querySelector('button')?.click();
    }
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    const all = [this.search, ...this.box.querySelectorAll('button')];
    const at = all.findIndex((one) => one === document.activeElement);
    all[Math.max(0, Math.min(all.length - 1, at + by))]?.focus();
    event.preventDefault();
  }
}
