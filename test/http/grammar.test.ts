import { expect } from 'chai';
import {
  equalsIgnoreCase,
  skipOws,
  skipTargetChars,
  skipToken,
} from '../../src/http/grammar';

type Skip = typeof skipToken;

/** Where a function stops that skips the characters of a set, from an index on. */
function endOf(skip: Skip, text: string, from = 0): number {
  return skip(Buffer.from(text, 'latin1'), from, text.length);
}

const DIGITS = '0123456789';
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const UNRESERVED = `${DIGITS}${LETTERS}${LETTERS.toUpperCase()}-._~`;

describe('the character sets of HTTP', () => {
  // Each set is written out here, as its RFC lists it.
  for (const [what, skip, set] of [
    ['OWS (9110 §5.6.3)', skipOws, ' \t'],
    [
      'tchar (9110 §5.6.2)',
      skipToken,
      `!#$%&'*+-.^_\`|~${DIGITS}${LETTERS}${LETTERS.toUpperCase()}`,
    ],
    [
      'pchar, "/" and "?" (3986 §3.3, §3.4)',
      skipTargetChars,
      `${UNRESERVED}!$&'()*+,;=:@/?`,
    ],
  ] as const) {
    it(`${what} has its characters, and no other of the 256`, () => {
      const found = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
      const inSet = found.filter((char) => endOf(skip, char) === 1);
      expect(inSet).to.have.members([...set]);
    });
    it(`${what} is skipped from an index on, up to another character`, () => {
      const [char = ''] = set;
      expect(endOf(skip, `\0${char.repeat(5)}\0${char}`, 1)).to.equal(6);
      expect(endOf(skip, `\0${char.repeat(5)}`, 1)).to.equal(6);
      expect(endOf(skip, '\0', 0)).to.equal(0);
    });
  }
  it('pct-encoded is "%" with two hexadecimal digits (3986 §2.1)', () => {
    expect(endOf(skipTargetChars, 'a%41%fFb')).to.equal(8);
    for (const wrong of ['a%', 'a%4', 'a%4g', 'a%g4', 'a%%41']) {
      expect(endOf(skipTargetChars, wrong), wrong).to.equal(1);
    }
  });
  it('names compare without case', () => {
    expect(equalsIgnoreCase('Content-Length', 'Content-Length')).to.equal(true);
    expect(equalsIgnoreCase('cOnTENT-lENGTH', 'Content-Length')).to.equal(true);
    for (const other of [
      'Content-Lengt',
      'Content-Lengthh',
      'Content_Length',
      'Content-Lengtg',
    ]) {
      expect(equalsIgnoreCase(other, 'Content-Length'), other).to.equal(false);
    }
  });
  it('names compare in ASCII only: K is not the Kelvin sign', () => {
    expect(equalsIgnoreCase('\u212aeep-alive', 'keep-alive')).to.equal(false);
    expect(equalsIgnoreCase('\xebeep-alive', 'keep-alive')).to.equal(false);
  });
});
