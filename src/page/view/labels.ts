/// <reference lib="dom" />
/** The labels below bytes, which are as long as the browser draws them. */

/** Between two labels, in pixels. */
const BETWEEN = 8;

/** Moves labels that would lie over each other or beyond their row. All are measured first,
 * and moved then: a browser lays out the page once. */
export function spreadLabels(root: Element): void {
  const labels = [...root.querySelectorAll<HTMLElement>('.lane')];
  for (const one of labels) {
    one.hidden = false;
    one.style.translate = '';
  }
  const places = labels.flatMap((label) => {
    const row = label.closest('.cells')?.getBoundingClientRect();
    const { left, top, width } = label.getBoundingClientRect();
    return row ? [{ label, row, left, top, width }] : [];
  });
  places.sort((one, other) => one.top - other.top || one.left - other.left);
  let line = NaN;
  let end = 0;
  for (const { label, left, row, top, width } of places) {
    if (top !== line) [line, end] = [top, row.left];
    const to = Math.max(end, Math.min(left, row.right - width));
    label.style.translate = `${to - left}px`;
    // Where it stands elsewhere, it would point to another byte.
    label.classList.toggle('away', Math.abs(to - left) > 1);
    label.hidden = to > left && label.matches('.later');
    if (!label.hidden) end = to + width + BETWEEN;
  }
}
