import { expect } from 'chai';
import { SYSTEM } from '../../src/server/system';
import { TurnQueue, type TurnQueueOptions } from '../../src/server/turn-queue';

/** A queue of names that writes down what it does. Each name has some turns left. */
function queueOf(
  turns: Readonly<Record<string, number>>,
  options: Partial<TurnQueueOptions<string>> = {},
) {
  const story: string[] = [];
  const left = new Map(Object.entries(turns));
  const queue: TurnQueue<string> = new TurnQueue<string>({
    system: SYSTEM,
    turnsPerBatch: 1024,
    msPerBatch: 10_000,
    onBatchStart: () => story.push('start'),
    takeTurn: (name) => {
      story.push(name);
      const more = (left.get(name) ?? 0) - 1;
      left.set(name, more);
      if (more > 0) queue.enqueue(name);
    },
    onBatchEnd: (names) => story.push(`end of ${names.join(' and ')}`),
    ...options,
  });
  return { queue, story };
}

const batch = (): Promise<void> => new Promise(setImmediate);

describe('the queue of turns', () => {
  it('the queue serves in order, and an entry with another turn goes to the back', async () => {
    const { queue, story } = queueOf({ a: 3, b: 1, c: 2 });
    for (const name of ['a', 'b', 'c']) queue.enqueue(name);
    expect([queue.size, queue.last]).to.deep.equal([3, 'c']);
    await batch();
    expect(story).to.deep.equal([
      'start',
      'a',
      'b',
      'c',
      'a',
      'c',
      'a',
      'end of a and b and c',
    ]);
    expect([queue.size, queue.last]).to.deep.equal([0, undefined]);
  });
  it('no turn is taken before the event loop goes on', async () => {
    const { queue, story } = queueOf({ a: 1 });
    queue.enqueue('a');
    expect(story).to.deep.equal([]);
    await batch();
    expect(story).to.include('a');
  });
  it('a batch ends after its most turns, and the next one goes on', async () => {
    const { queue, story } = queueOf({ a: 5 }, { turnsPerBatch: 3 });
    queue.enqueue('a');
    await batch();
    queue.enqueue('b');
    await batch();
    expect(story.join(' ')).to.equal('start a a a end of a start a b a end of a and b');
  });
  it('a batch ends when its time is over, but after one turn at the earliest', async () => {
    const { queue, story } = queueOf({ a: 2 }, { msPerBatch: 0 });
    const busy = (): void => {
      const now = performance.now();
      while (performance.now() - now < 1);
    };
    const slow = queueOf({}, { msPerBatch: 5, takeTurn: busy });
    for (let entry = 0; entry < 20; entry += 1) slow.queue.enqueue(`${entry}`);
    queue.enqueue('a');
    await batch();
    expect(slow.queue.size).to.be.within(1, 19);
    await batch();
    expect(story.filter((name) => name === 'a')).to.have.lengthOf(2);
  });
  it('a closed queue gives no more turns', async () => {
    const { queue, story } = queueOf({}, { takeTurn: () => queue.close() });
    queue.enqueue('a');
    queue.enqueue('b');
    await batch();
    queue.enqueue('c');
    await batch();
    expect(story).to.deep.equal(['start', 'end of a']);
    expect(queue.size).to.equal(0);
  });
});
