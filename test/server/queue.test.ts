import { expect } from 'chai';
import { Queue } from '../../src/server/queue';

/** Somebody with a number of requests, who writes down each turn. */
function waiting(name: string, requests: number, queue: Queue<{ turn(): void; flush(): void }>, story: string[]) {
  let left = requests;
  const who = {
    turn: () => {
      story.push(name);
      left -= 1;
      if (left > 0) queue.add(who);
    },
    flush: () => story.push(`flush ${name}`),
  };
  queue.add(who);
}

describe('the queue', () => {
  it('gives turns in the order of the places; who has another request goes behind all who wait', async () => {
    const story: string[] = [];
    const queue = new Queue((send) => (story.push('log'), send()));
    waiting('a', 3, queue, story);
    waiting('b', 1, queue, story);
    waiting('c', 2, queue, story);
    expect(queue.length).to.equal(3);
    await new Promise(setImmediate);
    expect(story.slice(0, 6)).to.deep.equal(['a', 'b', 'c', 'a', 'c', 'a']);
    expect(story.slice(6)).to.deep.equal(['log', 'flush a', 'flush b', 'flush c', 'flush a', 'flush c', 'flush a']);
  });
  it('reads what has come meanwhile after 1,024 turns', async () => {
    const story: string[] = [];
    const queue = new Queue((send) => send());
    waiting('a', 3000, queue, story);
    await new Promise(setImmediate);
    waiting('b', 1, queue, story);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(story.filter((entry) => !entry.startsWith('flush')).indexOf('b')).to.equal(1025);
  });
  it('closed within a turn gives no more', async () => {
    const story: string[] = [];
    const queue = new Queue((send) => send());
    queue.add({ turn: () => queue.close(), flush: () => story.push('flush') });
    waiting('b', 1, queue, story);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    waiting('c', 1, queue, story);
    await new Promise(setImmediate);
    expect(story).to.deep.equal(['flush']);
  });
});
