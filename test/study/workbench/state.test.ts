import { expect } from 'chai';
import { Conversation } from '../../../src/page/model/conversation';
import { EXPERIMENTS } from '../../../src/study/experiments';
import type { EventsData } from '../../../src/study/workbench/bench';
import {
  readAddress,
  writeAddress,
  keptOf,
} from '../../../src/study/workbench/browser/address';
import { linkOf } from '../../../src/study/workbench/browser/link';
import { choiceOf, choose } from '../../../src/study/workbench/browser/menu';
import {
  BEGINNING,
  judgedKey,
  needsJudging,
  nextClient,
  obstacle,
  reportOf,
  update,
  verdict,
  type Action,
  type State,
} from '../../../src/study/workbench/browser/state';
import type { ClientData } from '../../../src/study/workbench/clients';
import type { Judgement } from '../../../src/study/workbench/judge';
import { TEXT_LIMIT } from '../../../src/study/workbench/scenes';

const GET = 'GET / HTTP/1.1\nHost: a\n\n';
const C1: ClientData = {
  ...{ id: 1, address: '127.0.0.1:5000', proxied: '', through: 'server' },
  ...{ isOpen: true, sent: 5, unsent: 0 },
};
const SERVER = { name: 'tasks', port: 8080, isReady: true, problem: '' };

const WHY = 'no request within 5 s of the last response';
const TRACE = Conversation.of(
  [
    { type: 'open', remoteAddress: C1.address },
    { type: 'close', reason: WHY, section: '9112 9.5' },
  ].map((event) => JSON.stringify({ event: { at: 0, connection: 1, ...event } })),
).describe();

const told = (clients: readonly ClientData[] = [], server = {}): Action => {
  const events = { clients, server: { ...SERVER, ...server } };
  return { type: 'told', events: events as unknown as EventsData, trace: TRACE };
};
const after = (state: State, ...actions: readonly Action[]): State =>
  actions.reduce(update, state);
const typed = (text: string): Action => ({
  type: 'type',
  after: { text, start: text.length, end: text.length },
});
const open = (name: string): Action => {
  const choice = choose(name);
  if (choice === undefined) throw new Error(`no choice ${name}`);
  return { type: 'open', choice };
};
/** The server was asked what it makes of the bytes. */
const judged = (state: State, kind: Judgement['kind'], says = ''): State => {
  const judgement = { kinds: [], digits: '', wrong: undefined, kind, says };
  const { bytes } = state.script;
  const known = { key: judgedKey(state), bytes, judgement };
  return update(state, { type: 'set', to: { judged: known } });
};
const ready = after(BEGINNING, told(), typed(GET));
const sent = (client: number): Action => ({ type: 'sent', client });

describe('the state of the live page', () => {
  it('is live, lost, or a page of a workbench that is gone', () => {
    expect([200, 204, 400, 503].map(linkOf)).to.deep.equal(new Array(4).fill('live'));
    expect([linkOf(undefined), linkOf(403)]).to.deep.equal(['lost', 'replaced']);
    for (const link of ['lost', 'replaced'] as const) {
      const gone = update(judged(ready, 'respond', 'It responds.'), {
        ...{ type: 'set', to: { link } },
      });
      expect(obstacle(gone)).to.equal('The workbench is gone.');
      expect(needsJudging(update(gone, typed('x')))).to.equal(false);
      expect(verdict(update(gone, typed('x'))).says, 'of other bytes').to.equal('1 byte. ');
      expect(obstacle(update(gone, { type: 'set', to: { link: 'live' } }))).to.equal('');
    }
  });

  it('tells its own limits in its own words, and asks nobody beyond them', () => {
    const most = (text: string): string => {
      const state = update(ready, typed(text));
      expect(needsJudging(state)).to.equal(false);
      expect(verdict(state).says).to.contain(obstacle(state));
      return obstacle(state);
    };
    const sends = 'The workbench itself sends at most ';
    expect(most('x'.repeat(TEXT_LIMIT + 1))).to.equal(
      `${sends}1,048,576 bytes of text at once.`,
    );
    expect(most('\u2016'.repeat(401))).to.equal(`${sends}400 cuts at once.`);
    expect(most('a\u2016120001\u2016b')).to.equal(`${sends}pauses of 120000 ms.`);
    expect(obstacle(update(ready, typed('x'.repeat(TEXT_LIMIT))))).to.equal('');
  });

  it('is judged again where anything changes that the verdict depends on', () => {
    const known = judged(ready, 'respond', 'It responds.');
    expect(needsJudging(known)).to.equal(false);
    expect(verdict(known).says).to.equal('27 bytes. It responds.');
    const changes: readonly Action[] = [
      typed('G'),
      { type: 'end', ending: 'close' },
      { type: 'set', to: { through: 'proxy' } },
      told([], { name: '1' }),
    ];
    for (const change of changes)
      expect(needsJudging(update(known, change)), change.type).to.equal(true);
    const on = judged(after(known, told([C1]), { type: 'client', client: 1 }), 'respond');
    expect(needsJudging(update(on, told([{ ...C1, sent: 6 }])))).to.equal(true);
    expect(needsJudging(update(on, { type: 'set', to: { isPredicting: true } }))).to.equal(
      false,
    );
  });

  it('goes on with a connection, but not with one that is closed', () => {
    const on = update(judged(ready, 'respond'), sent(1));
    expect(nextClient(on)).to.equal(1);
    expect(nextClient(update(on, told([C1])))).to.equal(1);
    expect(nextClient(update(on, told([{ ...C1, isOpen: false }])))).to.equal('new');
    expect(after(on, told([C1]), told()).client, 'forgotten').to.equal('new');
    const closing = judged(update(ready, { type: 'end', ending: 'close' }), 'respond');
    expect(closing.editor.text).to.equal(`${GET}\u2016close\u2016`);
    expect(update(closing, sent(1)).client).to.equal('new');
    const open = after(closing, { type: 'end', ending: 'stay' });
    expect(open.editor.text).to.equal(GET);
    expect(after(open, { type: 'undo' }).script.ending, 'undone').to.equal('close');
    expect(obstacle(update(ready, { type: 'end', ending: 'never' }))).to.match(/^Only a s/);
  });

  it('asks for what comes next, which can be undone, until the connection is closed', () => {
    const part = judged(update(ready, typed('GET /t')), 'wait');
    const waiting = after(part, sent(1), told([C1]));
    expect(reportOf(waiting)).to.equal('Now type what comes next.');
    expect(waiting.editor.text).to.equal('');
    expect(update(waiting, { type: 'undo' }).editor.text).to.equal('GET /t');
    const over = update(waiting, told([{ ...C1, isOpen: false }]));
    const says = `c1 is closed: ${WHY} (RFC 9112 section 9.5). The next Send opens another.`;
    expect(reportOf(over)).to.equal(says);
    expect(reportOf(update(over, sent(2)))).to.equal('');
    const predicting = update(over, { type: 'set', to: { isPredicting: true } });
    expect(reportOf(predicting)).to.equal('');
  });

  it('offers the bytes of a command that is pasted, which can be undone, too', () => {
    const text = 'GET \n';
    const at = { text, start: 4, end: 4 };
    const paste: Action = { type: 'paste', at, text: String.raw`curl http://a/` };
    const pasted = after(ready, typed(text), paste);
    expect(pasted.editor.text).to.equal('GET curl http://a/\n');
    const taken = update(pasted, { type: 'take the offer' });
    expect(taken.editor.text).to.match(/^GET GET \/ HTTP\/1\.1\nHost: a\n.*\n\n\n$/s);
    expect(update(taken, { type: 'undo' }).editor.text).to.equal(pasted.editor.text);
    expect(update(pasted, typed('x')).offer).to.equal(undefined);
    expect(update(ready, { ...paste, text: 'a\r\nb' }).editor.text).to.equal('GET a\nb\n');
  });

  it('loses no text to the gallery', () => {
    const loaded = update(ready, open('example/1'));
    expect(loaded).to.include({ title: 'POST /tasks, content comes later', client: 'new' });
    expect(update(loaded, typed('x')).title).to.match(/later, changed$/);
    expect(update(loaded, { type: 'undo' }).editor.text).to.equal(GET);
  });

  it('says that a server is being made, or why there is none, and lets nothing be sent', () => {
    const making = update(ready, told([], { isReady: false }));
    expect(obstacle(making)).to.equal('The server is being made \u2026');
    expect(reportOf(making)).to.equal(obstacle(making));
    expect(reportOf(update(making, told()))).to.equal('');
    const failed = update(making, told([], { problem: 'no room' }));
    expect(reportOf(failed)).to.equal('It cannot be started: no room');
    expect(obstacle(failed)).to.equal('');
    expect(reportOf(update(failed, { type: 'server', name: '1' }))).to.equal(
      obstacle(making),
    );
  });

  it('fits into an address, with what else is there, and into the storage of a tab', () => {
    const [scene = expect.fail()] = EXPERIMENTS;
    const choice = choiceOf(scene);
    const state = after(ready, { type: 'open', choice }, { type: 'server', name: '1' });
    const hash = writeAddress('#x=4.1&step=9&byte=78', keptOf(state));
    expect(hash).to.match(/^#x=4\.1&step=9&byte=78&text=/);
    const kept = readAddress(hash);
    expect(kept).to.deep.equal(keptOf(state));
    expect(kept).to.include({
      server: '1',
      lab: '1',
      turn: '0',
      through: 'content-length',
    });
    const restored = update(BEGINNING, {
      ...{ type: 'restore', kept: kept ?? expect.fail(), scene },
    });
    expect(keptOf(update(restored, { type: 'server', name: '1' }))).to.deep.equal(kept);
    expect(readAddress('#x=4.1')).to.equal(undefined);
    const long = writeAddress(hash, { ...keptOf(state), text: 'x'.repeat(5000) });
    expect(long).to.equal('#x=4.1&step=9&byte=78');
  });
});
