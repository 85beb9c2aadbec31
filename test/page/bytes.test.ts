import { expect } from 'chai';
import { nameByte, showByte } from '../../src/page/model/bytes';

// prettier-ignore
const BYTES = [
  [0x00, '\\x00', 'NUL'], [0x09, '\\t', 'tab'], [0x0a, '\\n', 'LF'], [0x0d, '\\r', 'CR'],
  [0x1b, '\\x1b', '\\x1b'], [0x20, ' ', 'space'], [0x21, '!', '!'], [0x5c, '\\\\', 'backslash'],
  [0x7e, '~', '~'], [0x7f, '\\x7f', 'DEL'], [0x80, '\\x80', '\\x80'], [0xff, '\\xff', '\\xff'],
] as const;

it('a byte is shown on the page by its sign, and called by its name', () => {
  const told = BYTES.map(([byte]) => [byte, showByte(byte), nameByte(byte)]);
  expect(told).to.deep.equal(BYTES);
});
