import { expect } from 'chai';
import type { TraceEvent } from '../../src/index';
import { allowedBy } from '../../src/http/protocol-error';
import { explain } from '../../src/trace/explain';
import { TraceRecorder } from '../../src/trace/recorder';

const EVENTS = 10_000;
const BYTES = 4_194_304;
const GET_ROOT = { method: 'GET', path: '/' };

const read = (at: number, length: number): TraceEvent => ({
  at,
  connection: 1,
  type: 'read',
  bytes: Buffer.alloc(length, 'x'),
  offset: 0,
});
const times = (recorder: TraceRecorder): number[] =>
  Array.from(recorder, ({ event }) => event.at);

describe('a trace recorder', () => {
  it('keeps the last 10,000 events, and counts the others', () => {
    const recorder = new TraceRecorder();
    for (let at = 0; at < EVENTS; at += 1) recorder.record(read(at, 1));
    expect(recorder.leftOut).to.deep.equal({ events: 0, bytes: 0 });
    for (let at = EVENTS; at < 2 * EVENTS + 5; at += 1) recorder.record(read(at, 1));
    expect(recorder.leftOut).to.deep.equal({ events: EVENTS + 5, bytes: EVENTS + 5 });
    expect(times(recorder)).to.deep.equal(
      Array.from({ length: EVENTS }, (_, index) => EVENTS + 5 + index),
    );
  });

  it('keeps 4 MiB of what was received and sent', () => {
    const recorder = new TraceRecorder();
    for (let at = 0; at < 4; at += 1) recorder.record(read(at, BYTES / 4));
    expect(times(recorder)).to.deep.equal([0, 1, 2, 3]);
    recorder.record({ at: 4, connection: 1, type: 'write', text: 'x', isSent: true });
    expect(times(recorder)).to.deep.equal([1, 2, 3, 4]);
    expect(recorder.leftOut).to.deep.equal({ events: 1, bytes: BYTES / 4 });
    recorder.record(read(5, BYTES + 1));
    expect(times(recorder)).to.deep.equal([]);
    recorder.record({ at: 6, connection: 1, type: 'end' });
    expect(times(recorder)).to.deep.equal([6]);
  });

  it('copies the bytes: an event may show a few of a large buffer', () => {
    const recorder = new TraceRecorder();
    const bytes = Buffer.from('some bytes');
    recorder.record({ at: 0, connection: 1, type: 'read', bytes, offset: 0 });
    bytes.fill('x');
    const [recorded] = recorder;
    if (recorded?.event.type !== 'read') throw new Error('not recorded');
    expect(recorded.event.bytes.toString()).to.equal('some bytes');
  });

  it('keeps the beginning of each long response, and says how long it was', () => {
    const recorder = new TraceRecorder();
    const lengths = [5, 100_000, 7];
    const text = `first${'x'.repeat(100_000)}another`;
    recorder.record({ at: 1, connection: 1, type: 'write', text, isSent: true, lengths });
    const [recorded] = recorder;
    if (recorded?.event.type !== 'write') throw new Error('not recorded');
    const kept = `first${'x'.repeat(65_536)}another`;
    expect(recorded.event).to.deep.include({ text: kept, lengths: [5, 65_536, 7] });
    expect(recorded.whole?.lengths).to.deep.equal(lengths);
    expect(recorded.whole?.sentences.join()).to.contain('100012 bytes');
    expect(recorder.leftOut.events).to.equal(0);
  });

  it('counts the turns of a connection that are left out, as long as it is open', () => {
    const recorder = new TraceRecorder();
    const about = { at: 1, connection: 7 };
    recorder.record({ ...about, type: 'turn', request: 1, limit: 0, ...GET_ROOT });
    recorder.record({ ...about, type: 'turn', request: 2, limit: 0, ...GET_ROOT });
    recorder.record({ ...about, type: 'gone', reason: '', unsent: 0 });
    for (let at = 0; at < EVENTS - 1; at += 1) recorder.record(read(at, 1));
    expect([...recorder.turnsLeftOut]).to.deep.equal([[7, 2]]);
    recorder.record(read(0, 1));
    expect([...recorder.turnsLeftOut]).to.deep.equal([]);
  });

  it('gives back what it got, with every byte, also after it left out others', () => {
    const recorder = new TraceRecorder();
    const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const error = allowedBy('9112 5', 9, 'No colon', { hint: 'Send one' });
    const events: TraceEvent[] = [
      { at: 0.5, connection: 1, type: 'open', remoteAddress: '127.0.0.1:1' },
      { at: 1, connection: 1, type: 'read', bytes: every, offset: 7 },
      { at: 2, connection: 1, type: 'write', text: every.toString('latin1'), isSent: true },
      { at: 3, connection: 0, type: 'error', message: 'too many \u2026 \ud83d\ude00' },
      {
        at: 3.5,
        connection: 1,
        type: 'reject',
        error,
        excerpt: { bytes: every, offset: 7 },
      },
      { at: 4, connection: 1, type: 'gone', reason: '', unsent: 0 },
    ];
    for (let round = 0; round < EVENTS / 2; round += 1) events.forEach(recorder.record);
    const kept = Array.from(recorder, ({ event }) => event);
    expect(kept.slice(-events.length)).to.deep.equal(events);
    expect([...recorder]).to.have.length(EVENTS);
    expect(kept.slice(-2).map(explain)).to.deep.equal(events.slice(-2).map(explain));
    const left = 2 * EVENTS; // of each six, two show 256 bytes
    const bytes = recorder.leftOut.bytes;
    expect(recorder.leftOut.events).to.equal(left);
    expect(bytes).to.be.closeTo((left * 2 * 256) / 6, 512);
  });
});
