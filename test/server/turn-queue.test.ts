import { expect } from 'chai';
import type { Request } from '../../src/index';
import { LAST_REQUEST, type Persistence } from '../../src/http/persistence';
import { ResponseSerializer } from '../../src/http/response';
import { TurnQueue, type Queued } from '../../src/server/turn-queue';

function request(path: string): Request {
  return { method: 'GET', path, headers: [], body: '' };
}

const STAYS_OPEN: Persistence = {
  persists: true,
  connectionOption: undefined,
  reason: 'HTTP/1.1 without "close"',
  section: '9112 9.3',
};

/** A queue that writes down what it does. */
function queueWith({ maxRequests = 0, serializer = new ResponseSerializer(() => 0) } = {}) {
  const story: string[] = [];
  const queue = new TurnQueue<Queued>(
    () => ({ status: 200, body: '' }),
    serializer,
    maxRequests,
    (lines) => story.push(`log ${JSON.stringify(lines)}`),
    () => story.push('limit'),
  );
  /** Enqueues a connection with so many requests. */
  const enqueue = (name: string, requests: number): Queued => {
    let left = requests;
    const entry: Queued = {
      takeTurn: () => {
        story.push(name);
        queue.handle(request(`/${name}`), STAYS_OPEN);
        left -= 1;
        if (left > 0) queue.enqueue(entry);
      },
      flush: () => story.push(`flush ${name}`),
    };
    queue.enqueue(entry);
    return entry;
  };
  return { queue, story, enqueue };
}

const batch = (): Promise<void> => new Promise(setImmediate);

describe('the queue of turns', () => {
  it('the queue serves in order; a connection with another request goes to the back', async () => {
    const { queue, story, enqueue } = queueWith();
    enqueue('a', 3);
    enqueue('b', 1);
    const last = enqueue('c', 2);
    expect(queue.size).to.equal(3);
    expect(queue.last).to.equal(last);
    await batch();
    expect(story.slice(0, 6)).to.deep.equal(['a', 'b', 'c', 'a', 'c', 'a']);
    expect(queue.size).to.equal(0);
    expect(queue.last).to.equal(undefined);
  });
  it('what is handled is logged before responses that leave in the middle of a batch', async () => {
    const { queue, story } = queueWith();
    const entry: Queued = {
      takeTurn: () => {
        queue.handle(request('/a'), STAYS_OPEN);
        queue.flush([entry]);
      },
      flush: () => story.push('flush'),
    };
    queue.enqueue(entry);
    await batch();
    expect(story).to.deep.equal(['log "GET /a\\n"', 'flush', 'flush']);
  });
  it('a batch is logged before its responses are sent', async () => {
    const { story, enqueue } = queueWith();
    enqueue('a', 2);
    enqueue('b', 1);
    await batch();
    expect(story.slice(3)).to.deep.equal([
      'log "GET /a\\nGET /b\\nGET /a\\n"',
      'flush a',
      'flush b',
      'flush a',
    ]);
  });
  it('the event loop continues after a batch of 1,024 turns', async () => {
    const { story, enqueue } = queueWith();
    enqueue('a', 3000);
    await batch();
    expect(story.filter((entry) => entry === 'a')).to.have.lengthOf(1024);
    enqueue('b', 1);
    await batch();
    expect(story.filter((entry) => entry === 'a' || entry === 'b').indexOf('b')).to.equal(1025);
  });
  it('the clock is read once for a batch, before its turns', async () => {
    const serializer = new ResponseSerializer(() => 0);
    const { story, enqueue } = queueWith({ serializer });
    serializer.updateDate = () => void story.push('date');
    enqueue('a', 1);
    enqueue('b', 1);
    await batch();
    expect(story.slice(0, 3)).to.deep.equal(['date', 'a', 'b']);
  });
  it('a closed queue gives no more turns, and sends what is handled', async () => {
    const { queue, story, enqueue } = queueWith();
    queue.enqueue({ takeTurn: () => queue.close(), flush: () => story.push('flush') });
    enqueue('b', 1);
    await batch();
    enqueue('c', 1);
    await batch();
    expect(story.filter((entry) => !entry.startsWith('log'))).to.deep.equal(['flush']);
  });

  describe('the limit of requests', () => {
    it('turns end after the last request', async () => {
      const { story, enqueue } = queueWith({ maxRequests: 2 });
      enqueue('a', 3);
      enqueue('b', 3);
      await batch();
      await batch();
      expect(story).to.deep.equal([
        'a',
        'b',
        'log "GET /a\\nGET /b\\n"',
        'flush a',
        'flush b',
        'log "Maximum of 2 requests reached: no more are handled\\n"',
        'limit',
      ]);
    });
    it('the last request is marked', () => {
      const { queue } = queueWith({ maxRequests: 2 });
      const answers = ['/1', '/2'].map((path) => queue.handle(request(path), STAYS_OPEN));
      expect(answers.map(({ persistence }) => persistence)).to.deep.equal([
        STAYS_OPEN,
        LAST_REQUEST,
      ]);
      expect(answers.map(({ message }) => message.includes('Connection: close'))).to.deep.equal([
        false,
        true,
      ]);
    });
    it('a limit of 0 marks no request', () => {
      const { queue } = queueWith();
      for (let count = 0; count < 20; count += 1) {
        expect(queue.handle(request('/'), STAYS_OPEN).persistence).to.equal(STAYS_OPEN);
      }
    });
    it('the limit is never reached if it is 0', async () => {
      const { queue, story } = queueWith();
      queue.enqueue({ takeTurn: () => {}, flush: () => {} });
      await batch();
      queue.enqueue({ takeTurn: () => {}, flush: () => {} });
      queue.close();
      await batch();
      expect(story).to.not.include('limit');
    });
  });

  it('nothing is logged if nothing is handled', async () => {
    const { queue, story } = queueWith();
    queue.enqueue({ takeTurn: () => {}, flush: () => {} });
    await batch();
    expect(story.filter((entry) => entry.startsWith('log'))).to.deep.equal([]);
  });
});
