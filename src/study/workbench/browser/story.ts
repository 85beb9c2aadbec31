/// <reference lib="dom" />
/** What a page of the project tells of the request that was chosen: its Markdown, as
 * elements. */
import { byId, element } from '../../../page/view/dom';
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
    box.replaceChildren(element('summary', {}, name), element('div', {}, ...render(told)));
    box.toggleAttribute('open', id === 'story');
  }
}

/** Gives room to what happens. */
export function foldStory(): void {
  byId('story').removeAttribute('open');
}

/** Blocks of code, in fences or indented; or paragraphs and lists. */
const BLOCK = /^```\w*\n([^]*?)\n```$|^((?: {4,}.*\n?)+)|^(\S.*(?:\n(?!```).+)*)/gm;

function render(markdown: string): HTMLElement[] {
  return Array.from(markdown.matchAll(BLOCK), ([, fenced, indented, prose = '']) => {
    const code = fenced ?? indented;
    if (code !== undefined) return element('pre', {}, code.trimEnd());
    if (!prose.startsWith('- ')) return element('p', {}, ...inline(prose));
    const items = prose.slice('- '.length).split('\n- ');
    return element('ul', {}, ...items.map((item) => element('li', {}, ...inline(item))));
  });
}

/** Code, strong words, and other emphasis; of a link, its words. */
function inline(prose: string): (Node | string)[] {
  const text = prose.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*]+\*)/).map((part) => {
    if (part.startsWith('`')) return element('code', {}, part.slice(1, -1));
    if (part.startsWith('**')) return element('b', {}, part.slice(2, -2));
    return part.startsWith('*') ? element('i', {}, part.slice(1, -1)) : part;
  });
}
