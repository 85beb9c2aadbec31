import { expect } from 'chai';
import {
  editorOf,
  inserted,
  replaced,
  typed,
  undone,
  type Editor,
} from '../../../src/study/workbench/browser/editor';
import { moveLooks } from '../../../src/study/workbench/browser/looks';

/** Types characters one by one at the end. */
function write(editor: Editor, text: string): Editor {
  let now = editor;
  for (const one of text) {
    const all = now.text + one;
    now = typed(now, { text: all, start: all.length, end: all.length });
  }
  return now;
}

describe('the text of the composer', () => {
  it('undoes and redoes what was typed by words, and each other change by itself', () => {
    let now = write(editorOf(''), 'GET /');
    const shown = ['', 'GET', 'GET /'];
    for (const mark of ['\u2016', '\u00ac\n']) shown.push((now = inserted(now, mark)).text);
    for (const text of ['from the gallery', ''])
      shown.push((now = replaced(now, text)).text);
    for (const text of shown.slice(0, -1).reverse())
      expect((now = undone(now)).text).to.equal(text);
    expect(undone(now)).to.equal(now);
    for (const text of shown.slice(1)) expect((now = undone(now, 1)).text).to.equal(text);
    expect(undone(now, 1)).to.equal(now);
    const other = write(undone(replaced(editorOf('a'), 'b')), 'c');
    expect(undone(other, 1).text, 'what was undone is forgotten').to.equal('ac');
  });
  it('puts a mark where the selection is, and keeps no more than 4 MiB', () => {
    const before = { ...editorOf('GET'), start: 1, end: 2 };
    const after = inserted(before, '\u2016');
    expect(after).to.include({ text: 'G\u2016T', start: 2, end: 2 });
    expect(undone(after)).to.include({ text: 'GET', start: 1, end: 2 });
    let now = editorOf('');
    for (let at = 0; at < 12; at += 1) now = replaced(now, `${at}`.repeat(1_048_576));
    const kept = now.shots.reduce((sum, { text }) => sum + text.length, 0);
    expect(kept).to.be.at.most(4_194_304);
  });
  it('moves a wrong byte that is behind a change, but not before that', () => {
    const judged = { kind: 'reject', kinds: [], digits: '', wrong: 5, says: '' } as const;
    const movedIn = (text: string) =>
      moveLooks(judged, Buffer.from('abcdefgh'), Buffer.from(text)).wrong;
    expect(['abcdefg', 'xabcdefgh', 'agh'].map(movedIn)).to.deep.equal([5, 6, 1]);
  });
});
