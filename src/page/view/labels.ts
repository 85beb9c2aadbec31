/// <reference lib="dom" />
/** The labels below bytes, which are as long as the browser draws them. */

/** Between two labels, in pixels. */
const BETWEEN = 8;

/** Moves labels that would lie over each other or beyond their row. All are measured first,
 * and moved then: a browser lays out the page once. */
export function spreadLabels(root: Element): void {
  const labels = [...root.querySelectorAll<HTMLElement>('.lane')];
  for (const one of labels) {
    one.classList.remove('before', 'away', 'unseen');
    one.style.translate = '';
  }
  const places = labels.flatMap((label) => {
    const row = label.closest('.cells')?.getBoundingClientRect();
    const cell = label.parentElement?.getBoundingClientRect();
    if (row === undefined || cell === undefined) return [];
    const { left, top, width } = label.getBoundingClientRect();
    // Where there is no room to the right, the label ends under its byte.
    const isBefore = left + width > row.right;
    return [
      { label, row, left: isBefore ? cell.right - width : left, top, width, isBefore },
    ];
  });
  places.sort((one, other) => one.top - other.top || one.left - other.left);
  let line = NaN;
  let end = 0;
  for (const { isBefore, label, left, row, top, width } of places) {
    if (top !== line) [line, end] = [top, row.left];
    const to = Math.max(end, left);
    // Where it stands elsewhere, it would point to another byte.
    label.classList.toggle('before', isBefore);
    label.classList.toggle('away', to > left);
    label.style.translate = `${to - left}px`;
    const isNeedless = to > left && label.textContent?.endsWith(' later') === true;
    label.classList.toggle('unseen', isNeedless);
    if (!isNeedless) end = to + width + BETWEEN;
  }
}
