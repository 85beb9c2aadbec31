import { expect } from 'chai';
import { expand, piecesOf, readScript, writeScript } from '../../src/study/bytes';
import { EVERY_BYTE, raw } from '../support/bytes';

const textOf = (text: string): string =>
  Buffer.from(readScript(text).bytes).toString('latin1');

describe('the notation of bytes', () => {
  it('a line break is CRLF, and a bare LF after "¬"', () => {
    expect(textOf('GET / HTTP/1.1\nHost: a¬\n\n')).to.equal(
      'GET / HTTP/1.1\r\nHost: a\n\r\n',
    );
  });
  it('"\\xNN" is a byte, and any other backslash is one', () => {
    expect(textOf(raw`\x00\xfF\xg\n`)).to.equal('\0\xff\\xg\\n');
  });
  it('a character that is not ASCII is its bytes in UTF-8', () => {
    expect(textOf('é€😀¬')).to.equal('\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xc2\xac');
  });
  it('"‖" cuts the bytes, and "‖600‖" does it with a pause', () => {
    const { cuts } = readScript('GET‖ /‖600‖ HTTP‖‖x');
    const told = cuts.map(({ at, pause }) => `${pause} at ${at}`);
    expect(told.join()).to.equal('0 at 3,600 at 5,0 at 10,0 at 10');
    const pieces = piecesOf(readScript('GET‖ /‖600‖ H'));
    expect(pieces).to.deep.equal(['GET', 0, ' /', 600, ' H']);
  });
  it('the end may say what the sender does then', () => {
    for (const ending of ['stay', 'close', 'reset', 'never'] as const) {
      expect(readScript(`GET‖${ending}‖`)).to.deep.include({ ending, cuts: [] });
      expect(readScript(writeScript(['GET'], ending)).ending).to.equal(ending);
    }
    expect(readScript('GET')).to.deep.include({ ending: 'stay' });
    expect(textOf('‖close‖ GET')).to.equal('close GET');
  });
  it('"‹x × 3›" is repeated, from the inside out', () => {
    expect(expand('‹a‹b × 2› × 2›‹c × 0›')).to.equal('abbabb');
  });
  it('each byte knows the place of its sign', () => {
    const { places } = readScript('a\né¬\n\\x00');
    expect([...places]).to.deep.equal([0, 1, 1, 2, 2, 3, 5, 9]);
    const runs = readScript('\x7fbc\\x00de\n').places;
    expect([...runs]).to.deep.equal([0, 1, 2, 3, 7, 8, 9, 9, 10]);
  });
  it('all bytes, with cuts, become a text that means them again', () => {
    const pieces = [EVERY_BYTE, 250, '\r\r\n\n\\x41\\', 0, '\n', 7, 'end'];
    expect(piecesOf(readScript(writeScript(pieces)))).to.deep.equal(pieces);
  });
});
