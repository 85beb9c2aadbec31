import { expect } from 'chai';
import {
  editorOf,
  inserted,
  redone,
  replaced,
  typed,
  undone,
  type Editor,
} from '../../../src/study/workbench/browser/editor';

/** Types characters one by one where the cursor is. */
function write(editor: Editor, text: string): Editor {
  let now = editor;
  for (const one of text) {
    const at = now.start + 1;
    const all = now.text.slice(0, now.start) + one + now.text.slice(now.end);
    now = typed(now, { text: all, start: at, end: at });
  }
  return now;
}

describe('the text of the composer', () => {
  it('undoes and redoes what was typed by words, and each other change by itself', () => {
    const typedOut = write(editorOf(''), 'GET /');
    const changes = [
      (one: Editor) => inserted(one, '\u2016'),
      (one: Editor) => inserted(one, '\u00ac\n'),
      (one: Editor) => replaced(one, 'from the gallery'),
      (one: Editor) => replaced(one, ''), // after an unfinished send
    ];
    let now = typedOut;
    const shown = ['', 'GET', 'GET /'];
    for (const change of changes) shown.push((now = change(now)).text);
    for (const text of shown.slice(0, -1).reverse())
      expect((now = undone(now)).text).to.equal(text);
    expect(undone(now)).to.equal(now);
    for (const text of shown.slice(1)) expect((now = redone(now)).text).to.equal(text);
    expect(redone(now)).to.equal(now);
  });
  it('puts the cursor where it was, and a mark where the selection is', () => {
    const before = { ...editorOf('GET'), start: 1, end: 2 };
    const after = inserted(before, '\u2016');
    expect(after).to.include({ text: 'G\u2016T', start: 2, end: 2 });
    expect(undone(after)).to.include({ text: 'GET', start: 1, end: 2 });
  });
  it('forgets what was undone where something else is typed', () => {
    const now = write(undone(replaced(editorOf('a'), 'b')), 'c');
    expect([redone(now).text, undone(now).text]).to.deep.equal(['ac', 'a']);
  });
  it('keeps no more than 4 MiB of what it was', () => {
    let now = editorOf('');
    for (let at = 0; at < 12; at += 1) now = replaced(now, `${at}`.repeat(1_048_576));
    const kept = now.past.reduce((sum, { text }) => sum + text.length, 0);
    expect(kept).to.be.at.most(4_194_304);
    expect(undone(now).text).to.match(/^10101/);
  });
});
