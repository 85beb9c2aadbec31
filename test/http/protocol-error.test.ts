import { expect } from 'chai';
import {
  allowedBy,
  ourChoice,
  ProtocolError,
  requiredBy,
} from '../../src/http/protocol-error';
import { RequestReader } from '../../src/http/request-reader';
import { bytes, raw } from '../support/bytes';

describe('a protocol error', () => {
  it('a protocol error tells the rule, its authority, its section, and the byte', () => {
    const error = requiredBy(
      '9112 5.1',
      25,
      'White space between a field name and the colon',
    );
    const ruling =
      'White space between a field name and the colon (required by RFC 9112 section 5.1)';
    expect(error.ruling).to.equal(ruling);
    expect(error.message).to.equal(`${ruling}, at byte 25`);
  });
  it('a protocol error tells what another server may accept', () => {
    const { ruling } = allowedBy('9112 2.2', 0, 'A CR is not followed by LF');
    expect(ruling).to.equal('A CR is not followed by LF (allowed by RFC 9112 section 2.2)');
  });
  it('a protocol error tells what HTTP itself would allow', () => {
    const { ruling } = ourChoice('9110 8.6', 0, 'Content-Length starts with a zero');
    expect(ruling).to.equal(
      'Content-Length starts with a zero (our choice: RFC 9110 section 8.6 would allow it)',
    );
  });
  for (const [status, section] of [
    [408, '9110 15.5.9'],
    [413, '9110 15.5.14'],
    [431, '6585 5'],
    [503, '9110 15.6.4'],
  ] as const) {
    it(`a protocol error tells that RFC ${section} defines ${status}, and no more`, () => {
      const { ruling } = ourChoice(section, 0, 'Too much', { status });
      const rfc = section.replace(' ', ' section ');
      expect(ruling).to.equal(`Too much (our choice: RFC ${rfc} defines the status)`);
    });
  }
  it('a protocol error may end with a hint', () => {
    const hint = 'a terminal sends only LF';
    const { message, ruling } = allowedBy('9112 2.2', 3, 'A line ends with LF', { hint });
    expect(ruling).to.equal('A line ends with LF (allowed by RFC 9112 section 2.2)');
    expect(message).to.equal(`${ruling}, at byte 3; ${hint}`);
  });
  it('a protocol error has status 400 unless another one is given', () => {
    expect(requiredBy('9112 5', 0, 'x').status).to.equal(400);
    expect(requiredBy('9110 7.4', 0, 'x', { status: 421 }).status).to.equal(421);
  });

  it('a protocol error is not an Error, because a stack costs more than the rest', () => {
    const reader = new RequestReader();
    reader.push(bytes(raw`GET  / HTTP/1.1\r\n`));
    const outcome = reader.next();
    if (outcome.kind !== 'rejected') throw new Error(`not rejected: ${outcome.kind}`);
    expect(outcome.error).to.be.instanceOf(ProtocolError);
    expect(outcome.error).not.to.be.instanceOf(Error);
    expect(outcome.error).not.to.have.property('stack');
  });
});
