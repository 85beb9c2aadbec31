/// <reference lib="dom" />
/** What a page of the project tells of the request that was chosen: its Markdown, as
 * elements. */
import { byId, draw } from '../../../page/view/dom';
import { view, type View } from '../../../page/view/view';
import type { Story } from '../pages';

/** Shows what is told of a request, or nothing. What came of it is below, for when it is
 * sent. */
export function showStory(story: Story | undefined): void {
  const { more = '', moreTitle = '', text = '', title = '' } = story ?? {};
  for (const [id, name, told] of [
    ['story', title, text],
    ['outcome', moreTitle, more],
  ] as const) {
    const box = byId(id);
    box.hidden = story === undefined;
    draw(box, [view('summary', {}, name), view('div', {}, ...render(told))]);
    box.toggleAttribute('open', id === 'story');
  }
}

/** Gives room to what happens. */
export function foldStory(): void {
  byId('story').removeAttribute('open');
}

/** Blocks of code, in fences or indented; or paragraphs and lists. */
const BLOCK = /^```\w*\n([^]*?)\n```$|^((?: {4,}.*\n?)+)|^(\S.*(?:\n(?!```).+)*)/gm;

function render(markdown: string): View[] {
  return Array.from(markdown.matchAll(BLOCK), ([, fenced, indented, prose = '']) => {
    const code = fenced ?? indented;
    if (code !== undefined) return view('pre', {}, code.trimEnd());
    if (!prose.startsWith('- ')) return view('p', {}, ...inline(prose));
    const items = prose.slice('- '.length).split('\n- ');
    return view('ul', {}, ...items.map((item) => view('li', {}, ...inline(item))));
  });
}

/** Code, strong words, and other emphasis; of a link, its words. */
function inline(prose: string): View[] {
  const text = prose.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*]+\*)/).map((part) => {
    if (part.startsWith('`')) return view('code', {}, part.slice(1, -1));
    if (part.startsWith('**')) return view('b', {}, part.slice(2, -2));
    return part.startsWith('*') ? view('i', {}, part.slice(1, -1)) : part;
  });
}
