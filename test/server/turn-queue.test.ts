import { expect } from 'chai';
import { TurnQueue, type TurnQueueOptions } from '../../src/server/turn-queue';
import { Kernel } from '../simulation/kernel';

/** A queue of names that writes down what it does. Each name has some turns left. */
function queueOf(
  turns: Readonly<Record<string, number>>,
  options: Partial<TurnQueueOptions<string>> = {},
) {
  const kernel = new Kernel();
  const story: string[] = [];
  const left = new Map(Object.entries(turns));
  const queue: TurnQueue<string> = new TurnQueue<string>({
    system: kernel,
    turnsPerBatch: 1024,
    msPerBatch: 100,
    takeTurn: (name) => {
      story.push(name);
      const more = (left.get(name) ?? 0) - 1;
      left.set(name, more);
      if (more > 0) queue.enqueue(name);
    },
    settle: (name) => story.push(`(${name})`),
    onBatchEnd: () => story.push('|'),
    ...options,
  });
  /** Runs all batches. */
  const run = (): Promise<void> => kernel.playUntil(kernel.time);
  return { kernel, queue, story, run };
}

describe('the queue of turns', () => {
  it('the queue serves in order, and an entry with another turn goes to the back', async () => {
    const { queue, run, story } = queueOf({ a: 3, b: 1, c: 2 });
    for (const name of ['a', 'b', 'c']) queue.enqueue(name);
    expect([queue.size, queue.last]).to.deep.equal([3, 'c']);
    await run();
    expect(story.join(' ')).to.equal('a b c a c a (a) (b) (c) |');
    expect([queue.size, queue.last]).to.deep.equal([0, undefined]);
  });
  it('no turn is taken before the event loop goes on', async () => {
    const { queue, run, story } = queueOf({ a: 1 });
    queue.enqueue('a');
    expect(story).to.deep.equal([]);
    await run();
    expect(story).to.include('a');
  });
  it('a batch ends after its most turns, and the next one goes on', async () => {
    const { queue, run, story } = queueOf({ a: 5 }, { turnsPerBatch: 3 });
    queue.enqueue('a');
    await run();
    expect(story.join(' ')).to.equal('a a a (a) | a a (a) |');
  });
  it('an entry that comes between two batches waits behind those who are left', async () => {
    let batches = 0;
    const { queue, run, story } = queueOf(
      { a: 4, b: 1 },
      {
        turnsPerBatch: 3,
        onBatchEnd: () => {
          batches += 1;
          if (batches === 1) queue.enqueue('b');
        },
      },
    );
    queue.enqueue('a');
    await run();
    expect(story.join(' ')).to.equal('a a a (a) a b (a) (b)');
  });
  it('a batch ends once its time is over, and the next one goes on', async () => {
    const { kernel, queue, run, story } = queueOf(
      {},
      {
        msPerBatch: 100,
        takeTurn: (name) => {
          kernel.standStill(50);
          story.push(name);
        },
      },
    );
    for (const name of ['a', 'b', 'c', 'd']) queue.enqueue(name);
    await run();
    // Its time is not over as long as it is just used up.
    expect(story.join(' ')).to.equal('a b c (a) (b) (c) | d (d) |');
  });
  it('a batch gives one turn at the least, whatever that takes', async () => {
    const { kernel, queue, run, story } = queueOf(
      {},
      {
        msPerBatch: 0,
        takeTurn: (name) => {
          kernel.standStill(1000);
          story.push(name);
        },
      },
    );
    queue.enqueue('a');
    queue.enqueue('b');
    await run();
    expect(story.join(' ')).to.equal('a (a) | b (b) |');
  });
  it('a closed queue gives no more turns', async () => {
    const { queue, run, story } = queueOf({}, { takeTurn: () => queue.close() });
    queue.enqueue('a');
    queue.enqueue('b');
    await run();
    queue.enqueue('c');
    await run();
    expect(story).to.deep.equal(['(a)', '|']);
    expect(queue.size).to.equal(0);
  });
});
