import { expect } from 'chai';
import { Conversation } from '../../../src/page/model/conversation';
import { receiptsIn } from '../../../src/page/model/runs';
import type { EventsData } from '../../../src/study/workbench/bench';
import {
  readAddress,
  recall,
  writeAddress,
  keptOf,
} from '../../../src/study/workbench/browser/address';
import { linkOf } from '../../../src/study/workbench/browser/link';
import { choose } from '../../../src/study/workbench/browser/menu';
import * as states from '../../../src/study/workbench/browser/state';
import type { ClientData } from '../../../src/study/workbench/clients';
import type { Judgement } from '../../../src/study/workbench/judge';
import { TEXT_LIMIT } from '../../../src/study/workbench/scenes';
import { DELETE, GET as GET_1, proxied } from '../../support/page-data';

const { BEGINNING, needsJudging, nextClient, obstacle, reportOf, sent, verdict } = states;
type State = states.State;
const GET = 'GET / HTTP/1.1\nHost: a\n\n';
const C1: ClientData = {
  id: 1,
  address: '127.0.0.1:5000',
  proxied: '',
  through: 'server',
  isOpen: true,
  sent: 5,
  unsent: 0,
};
const SERVER = { name: 'tasks', port: 8080, isReady: true, problem: '' };

const WHY = 'no request within 5 s of the last response';
const TRACE = Conversation.of(
  [
    { type: 'open', remoteAddress: C1.address },
    { type: 'close', reason: WHY, section: '9112 9.5' },
  ].map((event) => JSON.stringify({ event: { at: 0, connection: 1, ...event } })),
).describe();

const told = (state: State, clients: readonly ClientData[] = [], server = {}): State => {
  const events = { clients, server: { ...SERVER, ...server } };
  return states.told(state, events as unknown as EventsData, TRACE);
};
const typed = (state: State, text: string): State =>
  states.typed(state, { text, start: text.length, end: text.length });
const open = (state: State, name: string): State =>
  states.opened(state, choose(name) ?? expect.fail());
/** The server was asked what it makes of the bytes. */
const judged = (state: State, kind: Judgement['kind'], says = ''): State => {
  const judgement = { kinds: [], digits: '', wrong: undefined, kind, says };
  const { bytes } = state.script;
  const known = { key: states.judgedKey(state), bytes, judgement };
  return { ...state, judged: known };
};
const ready = typed(told(BEGINNING), GET);

describe('the state of the live page', () => {
  it('is live, lost, or a page of a workbench that is gone', () => {
    expect([200, 204, 400, 503].map(linkOf)).to.deep.equal(new Array(4).fill('live'));
    expect([linkOf(undefined), linkOf(403)]).to.deep.equal(['lost', 'replaced']);
    for (const link of ['lost', 'replaced'] as const) {
      const gone = { ...judged(ready, 'respond', 'It responds.'), link };
      expect(obstacle(gone)).to.equal('The workbench is gone.');
      expect(needsJudging(typed(gone, 'x'))).to.equal(false);
      expect(verdict(typed(gone, 'x')).says, 'of other bytes').to.equal('1 byte. ');
      expect(states.shownOf(gone), 'its looks').to.equal(gone.judged);
      expect(states.shownOf(typed(gone, 'x'))).to.equal(undefined);
      expect(obstacle({ ...gone, link: 'live' })).to.equal('');
    }
  });

  it('tells its own limits in its own words, and asks nobody beyond them', () => {
    const most = (text: string): string => {
      const state = typed(ready, text);
      expect(needsJudging(state)).to.equal(false);
      expect(verdict(state).says).to.contain(obstacle(state));
      return obstacle(state);
    };
    const sends = 'The workbench itself sends at most ';
    expect(most('x'.repeat(TEXT_LIMIT + 1))).to.equal(
      `${sends}1048576 bytes of text at once.`,
    );
    expect(most('\u2016'.repeat(401))).to.equal(`${sends}400 cuts at once.`);
    for (const pause of [120_001, 9_999_999])
      expect(most(`a\u2016${pause}\u2016b`)).to.equal(`${sends}pauses of 120.0 s.`);
    const long = judged(typed(ready, 'x'.repeat(TEXT_LIMIT)), 'wait', 'It waits.');
    expect(obstacle(long)).to.equal('');
    expect(verdict(long).says).to.match(/It waits. So long a text has no colours.$/);
  });

  it('is judged again where anything changes that the verdict depends on', () => {
    const known = judged(ready, 'respond', 'It responds.');
    expect(needsJudging(known)).to.equal(false);
    expect(verdict(known).says).to.equal('27 bytes. It responds.');
    for (const changed of [
      typed(known, 'G'),
      states.endedBy(known, 'close'),
      { ...known, through: 'proxy' },
      told(known, [], { name: '1' }),
    ])
      expect(needsJudging(changed)).to.equal(true);
    const on = judged(states.choseClient(told(known, [C1]), 1), 'respond');
    expect(needsJudging(on)).to.equal(false);
    expect(needsJudging(told(on, [{ ...C1, sent: 6 }]))).to.equal(true);
  });

  it('goes on with a connection, but not with one that is closed', () => {
    const on = sent(judged(ready, 'respond'), 1);
    expect(nextClient(on)).to.equal(1);
    expect(nextClient(told(on, [C1]))).to.equal(1);
    expect(nextClient(told(on, [{ ...C1, isOpen: false }]))).to.equal('new');
    expect(told(told(on, [C1])).client, 'forgotten').to.equal('new');
    const closing = judged(states.endedBy(ready, 'close'), 'respond');
    expect(closing.editor.text).to.equal(`${GET}\u2016close\u2016`);
    expect(sent(closing, 1).client).to.equal('new');
    const staying = states.endedBy(closing, 'stay');
    expect(staying.editor.text).to.equal(GET);
    expect(states.undone(staying).script.ending).to.equal('close');
    const reset = states.endedBy(ready, 'reset');
    expect(states.otherwiseOf(reset)).to.equal(' It cannot reset the connection.');
    const never = states.endedBy(ready, 'never');
    expect(obstacle(never)).to.match(/^Only a server/);
    expect(verdict(never).says).to.equal(`27 bytes. ${obstacle(never)}`);
  });

  it('asks for what comes next, which can be undone, until the connection is closed', () => {
    const part = judged(typed(ready, 'GET /t'), 'wait');
    const waiting = told(sent(part, 1), [C1]);
    expect(reportOf(waiting)).to.equal('Now type what comes next.');
    expect(waiting.editor.text).to.equal('');
    expect(states.undone(waiting).editor.text).to.equal('GET /t');
    const on = states.sent(typed(part, 'GET /tasks'), 1, 0, part);
    expect(on.editor.text, 'typed while it was sent').to.equal('asks');
    expect(reportOf(typed(waiting, 'asks'))).to.equal('');
    const over = told(waiting, [{ ...C1, isOpen: false }]);
    const says = `c1 is closed: ${WHY} (RFC 9112 section 9.5). The next Send opens another.`;
    expect(reportOf(over)).to.equal(says);
    expect(reportOf(sent(over, 2))).to.equal('');
    expect(reportOf({ ...over, isPredicting: true })).to.equal('');
  });

  it('hides from one who predicts whether the connection goes on', () => {
    const part = judged(states.predicted(typed(ready, 'GET /t'), true), 'wait');
    const waiting = told(sent(part, 1), [C1]);
    const closed = told(waiting, [{ ...C1, isOpen: false }]);
    for (const one of [waiting, closed]) {
      expect(nextClient(one)).to.equal(1);
      expect(states.choosableOf(one)).to.deep.equal(one.clients);
      expect([one.editor.text, reportOf(one)]).to.deep.equal(['GET /t', '']);
    }
    expect(states.revealed(waiting, 2), 'of another').to.equal(waiting);
    for (const after of [states.revealed(waiting, 1), states.predicted(waiting, false)]) {
      expect(after.editor.text).to.equal('');
      expect(reportOf(after)).to.equal('Now type what comes next.');
    }
    expect(reportOf(states.revealed(closed, 1))).to.equal('');
    expect(nextClient(states.predicted(closed, false))).to.equal('new');
  });

  it('offers the bytes of a command that is pasted, which can be undone, too', () => {
    const text = 'GET \n';
    const at = { text, start: 4, end: 4 };
    const pasted = states.pasted(typed(ready, text), at, 'curl http://a/');
    expect(pasted.editor.text).to.equal('GET curl http://a/\n');
    const taken = states.tookOffer(pasted);
    expect(taken.editor.text).to.match(/^GET GET \/ HTTP\/1\.1\nHost: a\n.*\n\n\n$/s);
    expect(states.undone(taken).editor.text).to.equal(pasted.editor.text);
    expect(typed(pasted, 'x').offer).to.equal(undefined);
    const line = typed(ready, 'GET / HTTP/1.1\\r\\nHost: a\\r\\n\n\\r\\n');
    expect(states.tookOffer(line).editor.text).to.equal(GET);
    expect(states.pasted(ready, at, 'a\r\nb').editor.text).to.equal('GET a\nb\n');
  });

  it('says what a client received, and not that nothing was sent', () => {
    const got = told(sent(judged(ready, 'respond'), 1), [C1]);
    expect(states.resultOf(got)).to.equal('c1 received no response yet.');
    const over = told(got, [{ ...C1, isOpen: false }]);
    expect(states.resultOf(over)).to.equal('c1 received no response.');
    expect(states.resultOf({ ...got, isPredicting: true })).to.equal('');
    expect(states.resultOf(states.cleared(got))).to.equal('');
    const none = told(sent(judged(typed(ready, '\u2016'), 'wait'), 1), [C1]);
    expect(reportOf(none)).to.equal('No byte was sent. Now type what comes next.');
    const serving = told(typed(ready, ''), [], { name: 'replies' });
    expect(reportOf(sent(serving, 0))).to.equal('From now on, each client gets no byte.');
  });

  it('goes to the response that the client of a proxy got, once it has sent', async () => {
    const trace = await proxied(GET_1 + DELETE + GET_1, [1, 2]);
    const p2 = { ...C1, id: 2, proxied: 'p2' };
    const first = { ...sent(ready, 2), clients: [p2], trace };
    expect(states.resultOf(first)).to.match(/^p2 received 200 OK in response to DELETE/);
    expect(states.newestOf(first)?.title).to.equal('DELETE /tasks/1');
    const two = { ...first, clients: [{ ...C1, id: 2, proxied: 'p1' }] };
    expect(states.resultOf(two)).to.match(/^p1 received 2 responses, the last 403 /);
    const at = receiptsIn(trace).filter(({ client }) => client === 0)[1]?.at;
    const fast = { ...two, sender: sent(ready, 2, at).sender };
    expect(states.resultOf(fast), 'all').to.equal(states.resultOf(two));
    const again = { ...sent(ready, 2, 8), clients: [p2], trace };
    expect(states.resultOf(again)).to.equal('p2 received no response yet.');
    expect(states.newestOf(again)?.title).to.equal('GET /tasks/1');
  });

  it('says that a byte is not the one, and forgets a challenge once it is met', () => {
    const { challenge } = choose('challenge/host-line') ?? {};
    const asked = states.challenged(ready, challenge);
    expect(states.challengeOf(asked)?.says).to.equal('Challenge: ');
    const wrong = states.challengeOf({ ...asked, wrongByte: 3 });
    expect(wrong?.asks).to.match(/Choose it\. Byte 3 is not the one\.$/);
    expect(open(asked, 'example/1').challenge).to.equal(challenge);
    const met = { ...asked, isSolved: true };
    for (const next of [states.cleared(met), open(met, 'example/1')])
      expect(states.challengeOf(next)).to.equal(undefined);
  });

  it('loses no text to the gallery, and says what is typed', () => {
    const loaded = open(ready, 'example/1');
    const title = 'POST /tasks, content comes later';
    expect(loaded.editor.title).to.equal(title);
    expect(nextClient(loaded)).to.equal('new');
    const changed = typed(loaded, 'x');
    expect(changed.editor.title).to.equal(`${title}, changed`);
    expect(states.undone(changed).editor.title).to.equal(title);
    expect(states.undone(loaded).editor.text).to.equal(GET);
    const other = states.undone(open(loaded, 'example/2'));
    expect(other.editor.title, 'of the text before').to.equal(title);
    const victim = sent(open(ready, 'lab/1'), 1);
    expect(victim.editor.title).to.match(/: victim$/);
    expect(states.undone(victim).editor.title).to.match(/: attacker$/);
    expect(reportOf(sent(typed(victim, 'x'), 2)), 'of its own').to.equal('');
  });

  it('says that a server is being made, or why there is none, and lets nothing be sent', () => {
    const lost = { ...states.choseServer(ready, '1'), link: 'lost' as const };
    expect(reportOf(lost), 'by nobody').to.equal('');
    const making = told(ready, [], { isReady: false });
    expect(obstacle(making)).to.equal('The server is being made \u2026');
    expect(reportOf(making)).to.equal(obstacle(making));
    expect(reportOf(told(making))).to.equal('');
    const failed = told(making, [], { problem: 'no room' });
    expect(reportOf(failed)).to.equal('It cannot be started: no room');
    expect(obstacle(failed)).to.equal('');
    expect(reportOf(states.choseServer(failed, '1'))).to.equal(obstacle(making));
  });

  it('shows which server is chosen, also where another tab has chosen it', () => {
    const wrong = { ...BEGINNING, says: 'No such server.' };
    const unknown = told(wrong, [], { name: 'replies' });
    expect(unknown.says, 'said before anything was told').to.equal('No such server.');
    const namesOf = (state: State) => states.serversOf(state).map(([, called]) => called);
    const own = ['You are the client', 'You are the server'];
    expect(namesOf(ready)).to.deep.equal(own);
    for (const [name, called] of [
      ['1', 'Lab 1, without its defence'],
      ['14-defended', 'Lab 14, with its defence'],
    ])
      expect(namesOf(told(ready, [], { name }))).to.deep.equal([...own, called]);
    const chosen = states.choseServer(ready, '1');
    const ready1 = told(chosen, [], { name: '1' });
    expect(reportOf(ready1)).to.match(/^What happened .* is forgotten\.$/);
    expect(reportOf(told(states.choseServer(ready, 'tasks')))).to.equal('');
    const served = sent(told(ready, [], { name: 'replies' }), 0);
    expect(reportOf(served)).to.equal('From now on, each client gets these bytes.');
    expect(reportOf(typed(served, 'x')), 'other bytes').to.equal('');
    expect(reportOf(told(served))).to.equal('');
    const lab = open(told(ready, [], { name: '1' }), 'lab/1');
    expect(namesOf(lab)).to.deep.equal(['no defence', 'with it', 'be the server']);
  });

  it('fits into an address, with what else is there, and into the storage of a tab', () => {
    const state = states.choseServer(open(ready, 'lab/1'), '1');
    const hash = writeAddress('#x=4.1&step=9&byte=78', keptOf(state));
    expect(hash).to.match(/^#x=4\.1&step=9&byte=78&text=/);
    const kept = readAddress(hash) ?? expect.fail();
    expect(kept).to.deep.equal(keptOf(state));
    expect(kept).to.include({ server: '1', choice: 'lab/1', through: 'content-length' });
    const restored = states.restored(BEGINNING, kept, choose(kept.choice));
    expect(keptOf(states.choseServer(restored, '1'))).to.deep.equal(kept);
    expect(readAddress('#x=4.1')).to.equal(undefined);
    const runs = { ...open(ready, 'lab/13'), isComparing: true, says: 'Saved.' };
    const followed = states.restored(runs, kept, choose(kept.choice));
    expect(followed).to.include({ isComparing: false, says: '' });
    expect(states.unknownIn(kept)).to.equal('');
    const strange = { ...kept, server: '99', through: 'mirror' };
    expect(states.unknownIn(strange)).to.equal('The workbench has no server "99".');
    expect(states.unknownIn({ ...strange, server: '' })).to.match(/no way "mirror"/);
    expect(states.restored(ready, strange, undefined).through).to.equal('server');
    const empty = writeAddress('', { ...kept, text: '' });
    expect(readAddress(empty)).to.deep.equal({ ...kept, text: '' });
    const stored = { ...kept, text: 'x'.repeat(5000) };
    const long = writeAddress(hash, stored);
    expect(long).to.match(/^#x=4\.1&step=9&byte=78&choice=lab%2F1&through=[^&]+&server=1$/);
    expect(recall(long, stored), 'after a reload').to.equal(stored);
    const linked = recall(long, { ...stored, server: 'tasks' }) ?? expect.fail();
    expect(linked).to.deep.equal({ ...kept, text: undefined });
    expect(states.unknownIn(linked)).to.match(/^The link does not have the text/);
    const typed = states.restored(BEGINNING, linked, choose(linked.choice));
    expect(typed.editor.text).to.equal(kept.text);
    expect(reportOf({ ...ready, editor: { ...ready.editor, ...stored } })).to.match(
      /too long/,
    );
  });
});
