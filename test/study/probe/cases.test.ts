import { expect } from 'chai';
import { ProtocolError } from '../../../src/http/protocol-error';
import { GROUPS, isValid, requestOf } from '../../../src/study/probe/cases';
import { readScript } from '../../../src/study/bytes';
import { Requests } from '../../../src/study/workbench/requests';
import { read } from '../../support/reading';

const CASES = GROUPS.flatMap(({ cases }) => cases);

describe('the cases', () => {
  for (const host of ['a', 'localhost', 'a-rather-long.example:8080']) {
    it(`are what they promise with the host ${host}`, () => {
      for (const one of CASES) {
        if (!isValid(one) && one.condition?.options !== undefined) continue;
        const ends = !isValid(one) && one.condition?.ends === true;
        const bytes = Buffer.from(requestOf(one, host), 'latin1');
        const { requests, end } = read([bytes], ends);
        const found =
          end instanceof ProtocolError
            ? `${end.status} ${end.authority} ${end.section}`
            : `${requests.length}, then ${end}`;
        const promised = isValid(one)
          ? `${one.requests ?? 1}, then wait`
          : `${one.status} ${one.authority} ${one.section}`;
        expect(found, one.name).to.equal(promised);
      }
    });
  }
  it('of the menu give what it promises', () => {
    const requests = new Requests();
    for (const one of CASES) {
      const text = requests.read(one.name);
      if (text === undefined) continue;
      const { bytes, ending } = readScript(text);
      expect(bytes.length, one.name).to.be.below(65_536);
      const { end } = read([Buffer.from(bytes)], ending === 'close');
      const status = isValid(one) ? undefined : one.status;
      expect(end instanceof ProtocolError ? end.status : undefined).to.equal(status);
    }
    const missing = CASES.filter(({ name }) => requests.read(name) === undefined);
    expect(missing.map(({ name }) => name)).to.deep.equal([
      'content-over-budget',
      'slow-request',
    ]);
  });
});
