import { expect } from 'chai';
import type { TraceEvent } from '../../src/index';
import { allowedBy } from '../../src/http/protocol-error';
import { explain } from '../../src/trace/explain';
import { parseLine, type Line } from '../../src/trace/line';
import { TraceRecorder } from '../../src/trace/recorder';
import { EVERY_BYTE } from '../support/bytes';

const EVENTS = 10_000;
const BYTES = 4_194_304;

const read = (at: number, length: number): TraceEvent => {
  return { at, connection: 1, type: 'read', bytes: 'x'.repeat(length), offset: 0 };
};
const write = (at: number, ...texts: string[]): TraceEvent => {
  const responses = texts.map((text) => ({ text, length: text.length }));
  return { at, connection: 1, type: 'write', responses, isSent: true };
};
const linesOf = (recorder: TraceRecorder, known = 0): Line[] =>
  Array.from(recorder.linesAfter(known), parseLine);
const eventsOf = (recorder: TraceRecorder, known = 0): TraceEvent[] =>
  linesOf(recorder, known).flatMap(({ event }) => event ?? []);
const times = (recorder: TraceRecorder, known = 0): number[] =>
  eventsOf(recorder, known).map(({ at }) => at);

describe('a trace recorder', () => {
  it('keeps the last 10,000 events, and counts the others', () => {
    const recorder = new TraceRecorder();
    for (let at = 0; at < EVENTS; at += 1) recorder.record(read(at, 1));
    expect(recorder.leftOut).to.deep.equal({ events: 0, bytes: 0 });
    for (let at = EVENTS; at < 2 * EVENTS + 5; at += 1) recorder.record(read(at, 1));
    expect(recorder.leftOut).to.deep.equal({ events: EVENTS + 5, bytes: EVENTS + 5 });
    const kept = Array.from({ length: EVENTS }, (_, index) => EVENTS + 5 + index);
    expect(times(recorder)).to.deep.equal(kept);
  });

  it('keeps 4 MiB of what was received and sent', () => {
    const recorder = new TraceRecorder();
    for (let at = 0; at < 4; at += 1) recorder.record(read(at, BYTES / 4));
    expect(times(recorder)).to.deep.equal([0, 1, 2, 3]);
    recorder.record(write(4, 'x'));
    expect(times(recorder)).to.deep.equal([1, 2, 3, 4]);
    expect(recorder.leftOut).to.deep.equal({ events: 1, bytes: BYTES / 4 });
    recorder.record(read(5, BYTES + 1));
    expect(times(recorder)).to.deep.equal([]);
    recorder.record({ at: 6, connection: 1, type: 'end' });
    expect(times(recorder)).to.deep.equal([6]);
  });

  it('keeps the beginning of each long response, and says how long it was', () => {
    const recorder = new TraceRecorder();
    recorder.record(write(1, 'first', 'x'.repeat(100_000), 'another'));
    const [, recorded] = linesOf(recorder);
    const kept = [
      { text: 'first', length: 5 },
      { text: 'x'.repeat(65_536), length: 100_000 },
      { text: 'another', length: 7 },
    ];
    expect(recorded?.event).to.deep.include({ responses: kept });
    const [says] = recorded?.event === undefined ? [] : explain(recorded.event);
    expect(says).to.match(/^3 resp.*, 100012 bytes$/);
    expect(recorder.leftOut.events).to.equal(0);
  });

  it('gives what is new, and all of it where some of that is left out', () => {
    const recorder = new TraceRecorder();
    for (let at = 0; at < 250; at += 1) recorder.record(read(at, 1));
    for (const known of [1, 100, 101, 249])
      expect(times(recorder, known)).to.deep.equal(times(recorder).slice(known));
    expect([...recorder.linesAfter(250)]).to.deep.equal([]);
    for (let at = 250; at < EVENTS + 50; at += 1) recorder.record(read(at, 1));
    const [leftOut, first] = linesOf(recorder, 49);
    expect(leftOut?.leftOut).to.deep.equal({ events: 50, bytes: 50 });
    expect(first?.event?.at).to.equal(50);
    expect(times(recorder, EVENTS + 49)).to.deep.equal([EVENTS + 49]);
    expect(linesOf(recorder, EVENTS + 51)).to.have.length(EVENTS + 1); // of another one
  });

  it('gives back what it got, with every byte, also after it left out others', () => {
    const recorder = new TraceRecorder();
    const error = allowedBy('9112 5', 9, 'No colon', { hint: 'Send one' });
    const excerpt = { bytes: EVERY_BYTE, offset: 7 };
    const events: TraceEvent[] = [
      { at: 0.5, connection: 1, type: 'open', remoteAddress: '127.0.0.1:1' },
      { at: 1, connection: 1, type: 'read', bytes: EVERY_BYTE, offset: 7 },
      write(2, EVERY_BYTE),
      { at: 3, connection: 0, type: 'error', message: 'too many \u2026 \ud83d\ude00' },
      { at: 3.5, connection: 1, type: 'reject', error, excerpt },
      { at: 4, connection: 1, type: 'gone', reason: '', unsent: 0 },
    ];
    for (let round = 0; round < EVENTS / 2; round += 1) events.forEach(recorder.record);
    const kept = eventsOf(recorder);
    expect(kept.slice(-events.length)).to.deep.equal(JSON.parse(JSON.stringify(events)));
    expect(kept).to.have.length(EVENTS);
    expect(kept.slice(-2).map(explain)).to.deep.equal(events.slice(-2).map(explain));
    const left = 2 * EVENTS; // of each six, two show 256 bytes
    const bytes = recorder.leftOut.bytes;
    expect(recorder.leftOut.events).to.equal(left);
    expect(bytes).to.be.closeTo((left * 2 * 256) / 6, 512);
  });
});
