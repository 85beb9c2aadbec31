/// <reference lib="dom" />
/** What a page of the project tells of the request that was chosen: its Markdown, as elements. */
import { byId, element } from '../../../trace/page/browser/dom';
import type { Story } from '../pages';

/** Shows what is told of a request, or nothing. */
export function showStory(story: Story | undefined): void {
  const box = byId('story');
  box.hidden = story === undefined;
  if (story === undefined) return;
  const { more, moreTitle, text, title } = story;
  const summary = element('summary', {}, title);
  const asked = element('details', {}, element('summary', {}, moreTitle), ...render(more));
  box.replaceChildren(summary, element('div', {}, ...render(text), asked));
  box.setAttribute('open', '');
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
