import { expect } from 'chai';
import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { Command } from './support/command';
import { DIAGRAMS } from './support/diagrams';
import { octets } from './support/octets';
import { Page, ROOT, WRITING } from './support/pages';

const README = new Page('README.md');
const TOUR = new Page('src/TOUR.md');

/** Compares a block with what it should say, or writes it there. */
function check(page: Page, at: number, text: string, blur: (text: string) => string = (same) => same): void {
  const printed = page.blocks[at]?.text ?? '';
  if (WRITING) page.write(at, text);
  else expect(blur(printed), `block ${at + 1} of ${page.name}; README=write npm test would rewrite it`).to.equal(blur(text));
}

describe('the pages', () => {
  for (const [name, diagram] of Object.entries(DIAGRAMS)) {
    it(`the diagram of "${name}" is its table`, () => {
      const at = README.blocks.findIndex(({ mark }) => mark === `diagram ${name}`);
      expect(at, 'place in the README').to.be.at.least(0);
      check(README, at, diagram);
    });
  }

  it('every source file has its line in the README, and every file named there exists', () => {
    const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts')).map((file) => `src/${file}`);
    const named = Array.from(README.text.matchAll(/`((?:src|test)\/[\w./-]+\.\w+)`/g), ([, file = '']) => file);
    expect(named).to.include.members(files);
    expect(named.filter((file) => !existsSync(join(ROOT, file)))).to.deep.equal([]);
  });

  it('every link of theirs leads somewhere', () => {
    for (const [page, folder] of [[README, ''], [TOUR, 'src']] as const) {
      const links = Array.from(page.text.matchAll(/\]\(([^)#:]+)[^):]*\)/g), ([, link = '']) => join(ROOT, folder, link));
      expect(links).to.not.be.empty;
      expect(links.filter((link) => !existsSync(link))).to.deep.equal([]);
    }
  });

  for (const page of [README, TOUR]) {
    it(`every conversation of ${page.name} goes as it is printed`, async function () {
      this.slow(5000);
      let server: Command | undefined;
      let said = { answer: '', trace: '' };
      let compared = 0;
      for (const [at, { language, text }] of page.blocks.entries()) {
        if (language === 'sh' && /^node dist\/main.js/.test(text)) server = await Command.serve(...text.trim().split(/\s+/).slice(2));
        if (language === 'sh' && text.includes('| nc localhost 8080')) said = await converse((server ??= await Command.serve('--trace', '--max-requests', '0')), text);
        if (language === 'http') check(page, at, said.answer, undated);
        if (language === 'trace') check(page, at, said.trace, (trace) => untimed(undated(trace)));
        if (language === 'http' || language === 'trace') compared += 1;
      }
      expect(compared).to.be.at.least(2);
    });
  }
});

const undated = (text: string): string => text.replace(/Date: [\w ,:]+/g, 'Date: …');
/** Neither the time nor the port is the same twice. */
const untimed = (text: string): string => text.replace(/^ *\d+\.\d{3} /gm, '').replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:…');

/** Plays `printf '…' | nc localhost 8080`, or `(printf '…'; sleep 1; printf '…') | nc localhost 8080`: the second waits until the first is read. */
async function converse(server: Command, script: string): Promise<{ answer: string; trace: string }> {
  const pieces = Array.from(script.replace(/\\\n/g, '').matchAll(/printf '([^']*)'/g), ([, piece = '']) => octets(piece.replaceAll('%%', '%')));
  const before = server.stderr.length;
  const socket = connect({ port: await server.port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  let answer = '';
  socket.on('data', (data) => (answer += data.toString('latin1')));
  const ended = once(socket, 'end');
  let seen = before;
  for (const [at, piece] of pieces.entries()) {
    if (at > 0) await server.printed('stderr', / (wait|idle) /, seen);
    seen = server.stderr.length;
    socket.write(piece);
  }
  await ended;
  socket.end();
  await server.printed('stderr', / gone /, before);
  if (server.stderr.includes(', the maximum\n')) await server.printed('stderr', /everything is closed\n/, before);
  return { answer: answer.replaceAll('\r\n', '\n').trimEnd(), trace: server.stderr.slice(before).trimEnd() };
}
