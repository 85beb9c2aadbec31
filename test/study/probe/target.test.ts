import { expect } from 'chai';
import { openTarget, UnusableError } from '../../../src/study/probe/target';
import { afterRounds, sendForever, talking } from '../../support/probed-servers';

describe('what cannot be probed', () => {
  const endless = (start: string) => (): Promise<string> => talking(sendForever(start));
  // prettier-ignore
  for (const [what, start, why] of [
    ['nobody', async () => '127.0.0.1:1', /nobody listens there/],
    ['silence', () => talking(() => {}), /does not respond to a plain GET within 3 seconds/],
    ['a closed door', () => talking((socket) => socket.end()), /closes the connection without/],
    ['control characters',
      () => talking((socket) => socket.end('\x1b[31m\x9b\0\r\n', 'latin1')),
      /does not speak HTTP\/1\.x, but sends "\\x1b\[31m\\x9b\\x00\\r\\n"/],
    ['a TLS alert',
      () => talking((socket) => socket.end('\x15\x03\x01\0\x02\x02\x46', 'latin1')),
      /: it speaks TLS there, and the probe sends plain HTTP$/m],
    ['a TLS server that explains itself in HTTP', () => talking((socket, bytes) => {
      const isTls = bytes[0] === 0x16 && bytes.readUInt16BE(3) === bytes.length - 5;
      if (isTls) socket.end('\x16\x03\x03\0\x02\x02\0', 'latin1');
      else socket.end('HTTP/1.1 400 x\r\nContent-Length: 0\r\n\r\n'); }),
      /: it speaks TLS there/],
    ['content after a 204 response',
      () => talking((socket) => socket.end('HTTP/1.1 204 x\r\n\r\nok')),
      /: after a response it sends "ok"$/],
    ['endless bytes', endless('x'), /does not speak HTTP/],
    ['an endless response', endless('HTTP/1.1 200 x\r\n\r\n'), /more than 1048576 bytes/],
    ['endless interim responses', endless('HTTP/1.1 100 x\r\n\r\n'.repeat(9999)),
      /1\.x|more than/],
    ['a wrong Host',
      () => talking((socket) => socket.end('HTTP/1.1 421 x\r\nContent-Length: 0\r\n\r\n')),
      /responds with 421 to a plain GET with "Host: a".*--host/],
  ] as const) {
    it(`${what} cannot be probed, as one line says`, async () => {
      const [host = '', port] = (await start()).split(':');
      const peer = { host, port: Number(port) };
      const error: unknown = await openTarget(peer, 'a', afterRounds).catch(Object);
      expect(error).to.be.an.instanceOf(UnusableError);
      expect(String(error)).to.include(`Cannot probe ${host}:${port}: `).and.match(why);
    });
  }
});
