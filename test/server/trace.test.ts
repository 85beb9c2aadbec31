import { expect } from 'chai';
import { inColour, Story } from '../../src/server/story';
import type { TraceEvent } from '../../src/server/trace';
import { octets } from '../support/octets';
import { serve } from '../support/server';

const types = (events: readonly TraceEvent[]): string[] => events.map(({ type }) => type);

describe('the trace, as typed events', () => {
  it('tells the decisions on one request, in their order', async () => {
    const events: TraceEvent[] = [];
    const server = await serve({ trace: (event) => events.push(event), maxRequests: 1 });
    const client = (await server.client()).send(String.raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`);
    await client.closed();
    client.end();
    await server.stopped;
    expect(types(events)).to.deep.equal(['listening', 'open', 'read', 'request line', 'header section', 'framing', 'persistence', 'chunk', 'last chunk', 'queue', 'turn', 'route',
      'write', 'close', 'stopping', 'end', 'gone', 'stopped']);
    expect(events.find(({ type }) => type === 'framing')).to.have.nested.property('framing.rule', 4);
    expect(events.find(({ type }) => type === 'route')).to.deep.include({ way: ['start', 'POST', 'post', 'path is "/tasks"', 'created'], status: 200, connection: 1 });
  });

  it('says for what it waits', async () => {
    const events: TraceEvent[] = [];
    const server = await serve({ trace: (event) => events.push(event) });
    await (await server.client()).send('GET').end().closed();
    expect(events.find(({ type }) => type === 'wait')).to.include({ missing: 'the SP after the method', section: '9112 3' });
  });

  it('a sink that throws is not called again, and takes nothing down', async () => {
    let calls = 0;
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
    const server = await serve({
      trace: () => {
        calls += 1;
        throw new Error('no more');
      },
    });
    expect((await (await server.client()).ask('GET /')).status).to.equal(200);
    expect(calls).to.equal(1);
    expect((await warned).message).to.contain('no more');
  });
});

describe('the story', () => {
  const story = new Story(false);
  const told = (event: TraceEvent): string => story.lines(event);
  const base = { at: 2104.4, connection: 1 } as const;

  it('has time, connection, verb and text', () => {
    expect(told({ ...base, type: 'open', remote: '127.0.0.1:57032' })).to.equal('  2.104 c1  open   127.0.0.1:57032\n');
  });
  it('shows octets by line, with their offsets, and escapes whatever could move a terminal', () => {
    expect(told({ ...base, type: 'read', offset: 7, octets: octets(String.raw`a\\\r\n\x1b[2J\x9b\x7f\xff\t\0`) })).to.equal(
      ['  2.104 c1  read   13 bytes', '               7 | a\\\\\\r\\n', '              11 | \\x1b[2J\\x9b\\x7f\\xff\\t\\x00', ''].join('\n'),
    );
  });
  it('is plain ASCII, whatever comes', () => {
    const every = Buffer.from(Array.from({ length: 256 }, (_, octet) => octet));
    expect(told({ ...base, type: 'read', offset: 0, octets: every })).to.match(/^[\n\x20-\x7e]*$/);
  });
  it('shows 256 octets of a method, a path and a Host, and counts the rest', () => {
    const long = 'x'.repeat(1000);
    const some = `${'x'.repeat(256)}... 744 more`;
    expect(told({ ...base, type: 'request line', method: long, form: 'origin-form', path: `/${long}`, version: 'HTTP/1.1' })).to.equal(
      `  2.104 c1  parse  request line: ${some}, origin-form, path "/${'x'.repeat(255)}... 745 more", HTTP/1.1 (RFC 9112 section 3)\n`,
    );
    expect(told({ ...base, type: 'header section', lines: [], host: long })).to.contain(`Host "${some}"`);
  });
  it('shows 256 octets of a read, and counts the rest', () => {
    expect(told({ ...base, type: 'read', offset: 0, octets: Buffer.alloc(1000, 'x') })).to.contain(`${'x'.repeat(256)}\n`).and.contain('... 744 more');
  });
  it('shows eight chunks of a message, and counts the rest', () => {
    expect(told({ ...base, type: 'chunk', number: 8, size: 1, data: 9 })).to.not.equal('');
    expect(told({ ...base, type: 'chunk', number: 9, size: 1, data: 9 })).to.equal('');
    expect(told({ ...base, type: 'last chunk', number: 101, line: 500, trailerLines: 1, end: 505, content: 100 })).to.contain('92 more chunks, then the last chunk at 500, 1 trailer field');
  });
  it('marks the wrong octet, behind escapes and in long lines too', async () => {
    const lines: string[] = [];
    const server = await serve({ trace: (event) => void lines.push(...told(event).split('\n')) });
    await (await server.client()).send(String.raw`GET / HTTP/1.1\r\nA: \t\x80\0z\r\n\r\n`).answer();
    const at = lines.findIndex((line) => line.endsWith('^ byte 21'));
    expect(lines[at - 1]).to.equal('              16 | A: \\t\\x80\\x00z\\r\\n');
    expect(lines[at]?.indexOf('^')).to.equal(lines[at - 1]?.indexOf('\\x00'));
    await (await server.client()).send(String.raw`GET / HTTP/1.1\r\nA: ${'x'.repeat(3000)}\0`).answer();
    const far = lines.findIndex((line) => line.endsWith('^ byte 3019'));
    expect(lines[far]?.indexOf('^')).to.equal(lines[far - 1]?.indexOf('\\x00')).and.be.lessThan(300);
  });
  it('shows the path as it was sent', async () => {
    const lines: string[] = [];
    const server = await serve({ trace: (event) => void lines.push(told(event)) });
    await (await server.client()).ask('GET /%74asks?q');
    expect(lines.join('')).to.contain('origin-form, path "/%74asks", HTTP/1.1');
  });
  it('marks an octet at the very start, and shows no line that is let go already', async () => {
    const lines: string[] = [];
    const server = await serve({ trace: (event) => void lines.push(...told(event).split('\n')) });
    await (await server.client()).send(String.raw` GET / HTTP/1.1\r\n`).answer();
    expect(lines.slice(lines.findIndex((line) => line.includes('reject')) + 1)).to.include.members(['               0 |  GET / HTTP/1.1\\r\\n', '                 | ^ byte 0']);
    const late = await server.client();
    late.send(String.raw`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n100001`);
    while (!lines.some((line) => line.includes('the end of the chunk line'))) await new Promise(setImmediate);
    await late.send(String.raw`\r\n`).answer();
    expect(lines.filter((line) => line.includes('^ byte'))).to.have.lengthOf(1);
  });
  it('has colours that carry no meaning of their own', () => {
    const event: TraceEvent = { ...base, type: 'read', offset: 7, octets: octets('x') };
    const coloured = new Story(true).lines(event);
    expect(coloured).to.contain('\x1b[32mx\x1b[0m').and.contain('\x1b[2m               7\x1b[0m');
    expect(coloured.replace(/\x1b\[\d+m/g, '')).to.equal(told(event));
  });
  for (const [env, terminal, coloured] of [
    [{}, true, true],
    [{}, false, false],
    [{ TERM: 'dumb' }, true, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '1', TERM: 'dumb' }, true, true],
  ] as const) {
    it(`${JSON.stringify(env)} ${terminal ? 'on a terminal' : 'elsewhere'}: ${coloured ? 'colour' : 'none'}`, () => expect(inColour(env, terminal)).to.equal(coloured));
  }
});
