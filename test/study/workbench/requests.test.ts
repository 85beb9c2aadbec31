import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { piecesOf, readScript } from '../../../src/study/bytes';
import { readPage } from '../../../src/study/workbench/pages';
import { Requests } from '../../../src/study/workbench/requests';
import { raw } from '../../support/bytes';
import { ROOT } from '../../support/page';

describe('the menu of the workbench', () => {
  const requests = new Requests();
  const pieces = (name: string): unknown => piecesOf(readScript(requests.read(name) ?? ''));

  it('names every request once, and has no other', () => {
    const names = requests.menu.flatMap((group) => group.requests.map(([name]) => name));
    expect(new Set(names).size).to.equal(names.length);
    expect(requests.read('toString')).to.equal(undefined);
  });
  it('tells the requests of a group apart', () => {
    for (const { requests: listed, title } of requests.menu) {
      const texts = listed.map(([, text]) => text);
      expect(new Set(texts).size, title).to.equal(texts.length);
    }
  });
  it('has the requests of the steps, the tour and the lab', () => {
    const titles = requests.menu.map(({ title }) => title);
    expect(titles).to.include.members(['Examples', 'Tour', 'Lab']);
    expect(titles.join()).to.match(/Steps: what this server, which is finished, does/);
  });
  it('has the experiments that a page can play, and says which ones it cannot', () => {
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 13, 14];
    expect(requests.experiments.map(({ number }) => number)).to.deep.equal(numbers);
    const lab = requests.menu.find(({ title }) => title === 'Lab');
    expect(lab?.requests.map(([name]) => name)).to.deep.equal(
      numbers.map((number) => `lab/${number}`),
    );
    expect(lab?.note).to.equal('9, 10, 11, 12: only with npm run lab');
  });
  it('has what the clients of an experiment send, in their order', () => {
    const sendersOf = (number: number): unknown =>
      requests.experiments
        .find((one) => one.number === number)
        ?.requests.map(({ isHeld, who }) => (isHeld ? `${who}, held` : who));
    expect(sendersOf(1)).to.deep.equal(['attacker', 'victim']);
    expect(sendersOf(13)).to.deep.equal(['client 1, held', 'client 2']);
    expect(pieces('lab/13/0')).to.deep.equal([
      'GET /tasks/1 HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(3),
    ]);
    expect(requests.read('lab/14/0')).to.match(
      /^GET \/%c4%8d%c4%8a.*spoofed! HTTP\/1\.1\n/,
    );
  });
  it('tells what the pages say of the requests that break a step, and of experiments', () => {
    const { experiments, stories } = requests;
    const told = Object.entries(stories).map(([name, { title }]) => `${name}: ${title}`);
    expect(told[0]).to.match(/^STEPS\.md\/0: Program 1: the bytes on the left/);
    // What several clients break needs a shell.
    const steps = Object.keys(stories).filter((name) => name.startsWith('STEPS'));
    expect(steps).to.deep.equal([0, 1, 2, 4].map((index) => `STEPS.md/${index}`));
    // What one has to know here: a mark, and why the content does not come back.
    const hereOf = (index: number): string =>
      /Send gives[^]*/.exec(stories[`STEPS.md/${index}`]?.text ?? '')?.[0] ?? '';
    expect(hereOf(0)).to.match(/program\. `‖1000‖` is a pause of 1000 ms\.$/);
    expect(hereOf(1)).to.match(/1000 ms\. The server responds to every `POST \/tasks`/);
    expect(hereOf(2)).to.match(/program\.$/); // it is rejected
    expect(stories['lab/1']?.text).not.to.contain('--mistake'); // the menu says it
    for (const name of experiments.map(({ number }) => `lab/${number}`)) {
      expect(stories[name]?.text, name).to.match(/\w{3}/);
      expect(stories[name]?.more, name).to.match(/^Without the defence, [^]*\n```diff\n/);
    }
    for (const [name, { more, text }] of Object.entries(stories)) {
      expect(text, name).to.not.match(/^```|:\n\n(?!    )/m);
      expect(more, name).to.match(/\w{3}[^]*```/);
      // On the page, "this server" is the finished one, and no shell sends the bytes.
      expect(`${text}\n${more}`, name).to.not.match(/\bthis server\b|\bbash\b/i);
    }
  });
  it('reads from a page what printf sends, and the pauses of sleep', () => {
    const page = [
      '## One *heading*\n',
      '```sh',
      raw`(printf 'GET /ta'; sleep 1`,
      raw` printf 'sks HTTP/1.1\r\n'\ `.trimEnd(),
      raw`'Host: a\r\n\r\n50%% \303\0') | nc localhost 8080`,
      '```',
    ].join('\n');
    expect(readPage(page)).to.deep.equal([
      {
        title: 'One heading: GET /tasks',
        pieces: ['GET /ta', 1000, 'sks HTTP/1.1\r\nHost: a\r\n\r\n50% \xc3\0'],
      },
    ]);
  });
  it('leaves out what is not fixed bytes, and what another shell does', () => {
    const page = (line: string): string => `# A\n\`\`\`sh\n${line}\n\`\`\`\n`;
    for (const line of [
      raw`printf 'GET /%s HTTP/1.1\r\n' 1 2 | nc localhost 8080`,
      raw`(printf 'GET /'; head -c 8000000 /dev/zero) | nc localhost 8080`,
      raw`printf "$(seq 2)" | nc localhost 8080`,
      'curl -i localhost:8080',
    ])
      expect(readPage(page(line)), line).to.deep.equal([]);
  });
  it('knows nearly all commands of the pages that send fixed bytes', () => {
    const page = readFileSync(join(ROOT, 'src', 'LAB.md'), 'utf8');
    const sent = readPage(page).map(({ pieces }) => pieces.join(''));
    const smuggled = sent.filter((text) => text.includes('DELETE /tasks/1 HTTP/1.1'));
    expect(smuggled.length).to.be.at.least(5);
  });
});
