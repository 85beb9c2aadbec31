import { expect } from 'chai';
import { nameByte, showByte } from '../../src/page/model/bytes';

describe('One byte, as the page of a trace shows it:', () => {
  for (const [byte, shown, name] of [
    [0x00, '\\x00', 'NUL'],
    [0x09, '\\t', 'tab'],
    [0x0a, '\\n', 'LF'],
    [0x0d, '\\r', 'CR'],
    [0x1b, '\\x1b', '0x1b'],
    [0x20, ' ', 'space'],
    [0x21, '!', '!'],
    [0x5c, '\\\\', 'backslash'],
    [0x7e, '~', '~'],
    [0x7f, '\\x7f', 'DEL'],
    [0x80, '\\x80', '0x80'],
    [0xff, '\\xff', '0xff'],
  ] as const) {
    it(`${byte} is ${shown}, and is called ${name}`, () => {
      expect([showByte(byte), nameByte(byte)]).to.deep.equal([shown, name]);
    });
  }
});
