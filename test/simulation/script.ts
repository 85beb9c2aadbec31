/** What happens in a world, as data: it can be made from a seed, printed, and made
 * shorter. */
import { Random } from '../support/random';

/** What a client does, one thing after another. Times are in milliseconds. */
export type Step =
  | { do: 'send'; text: string } // each character one byte
  | { do: 'wait'; ms: number }
  // Until it has so many responses (an interim one counts), or the server has closed.
  | { do: 'await'; responses: number; ms: number }
  | { do: 'read'; bytes: number; every: number } // slowly from now on; 0 bytes: not at all
  | { do: 'end' }
  | { do: 'reset' }
  | { do: 'close' };

/** A client that reads at once, and closes when the server does. */
export const CALM_CLIENT = {
  at: 0,
  inputRoom: 300_000,
  outputRoom: 300_000,
  steps: [] as Step[],
  closesAfter: 0, // how long after the server it closes its side; -1: never
};
export type ClientScript = typeof CALM_CLIENT;

/** A script in which nothing comes near a limit. Those of the server are in seconds. */
export const CALM = {
  seed: 0, // of what the system chooses
  requestTimeout: 60,
  idleTimeout: 5,
  maxRequests: 0,
  maxConnections: 10_000,
  contentBudget: 268_435_456,
  slowMs: 1, // how long a slow service takes
  standstills: [] as { at: number; ms: number }[],
  stopAt: -1, // once nothing happens any more
  clients: [] as ClientScript[],
};
export type Script = typeof CALM;

const chunked = (head: string, chunks: string, end = '0\r\n\r\n'): string =>
  `${head}Transfer-Encoding: chunked\r\n\r\n${chunks}${end}`;
const CHUNK = '1\r\nx\r\n';

/** Requests that are well formed. What the service does is in the path.
 * @param id is unique, so that the log and the responses tell which request it was */
function validRequest(id: string, random: Random): string {
  const head = (start: string): string => `${start} HTTP/1.1\r\nHost: a\r\n`;
  const length = random.oneOf([0, 1, 5, 300, 5000, 30_000]);
  const chunks = random.oneOf([1, 127, 128, 129, 300, 1500]);
  return random.oneOf([
    head(`GET /${id}`) + '\r\n',
    head(`PUT /${id}`) + '\r\n',
    head(`HEAD /${id}`) + '\r\n',
    head(`PUT /missing/${id}`) + '\r\n',
    head(`GET /empty/${id}`) + '\r\n',
    head(`GET http://b:80/${id}?q=1|2`) + 'C:\t d \r\n\r\n',
    '\r\n' + head(`GET /${id}`) + '\r\n',
    head(`OPTIONS /${id}`) + 'Connection: a, ,b\r\n\r\n',
    `GET /${id} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`,
    head(`POST /${id}`) + `Content-Length: ${length}\r\n\r\n${'y'.repeat(length)}`,
    chunked(
      head(`POST /${id}`),
      '3;a=b\r\nabc\r\n0A\r\n0123456789\r\n',
      '0\r\nT: u\r\n\r\n',
    ),
    chunked(head(`POST /${id}`), CHUNK.repeat(chunks)),
  ]);
}

/** Requests for which the service does something else than respond at once. */
function specialRequest(id: string, random: Random): string {
  const size = random.oneOf([1000, 40_000, 70_000, 140_000, 400_000]);
  const what = random.oneOf(['slow', 'slow', `large/${size}`]);
  return `GET /${what}/${id} HTTP/1.1\r\nHost: a\r\n\r\n`;
}

/** Requests after which the server closes. */
function lastRequest(id: string, random: Random): string {
  return random.oneOf([
    `GET /${id} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    `GET /${id} HTTP/1.0\r\n\r\n`,
    `CONNECT ${id}.x:443 HTTP/1.1\r\nHost: a\r\n\r\n`,
    `HEAD /throw/${id} HTTP/1.1\r\nHost: a\r\n\r\n`,
    `GET /throw/${id} HTTP/1.1\r\nHost: a\r\n\r\n`,
    `GET /unsendable/${id} HTTP/1.1\r\nHost: a\r\n\r\n`,
    `GET /stop/${id} HTTP/1.1\r\nHost: a\r\n\r\n`,
  ]);
}

/** Requests that are rejected, for reasons that are found at different places. */
function malformedRequest(id: string, random: Random): string {
  const head = (start: string): string => `${start} HTTP/1.1\r\nHost: a\r\n`;
  return random.oneOf([
    `GET /${id} HTTP/1.1\nHost: a\r\n\r\n`,
    `GET /${id} HTTP/1.1\r\n\r\n`,
    `GET /${id} HTTP/2.0\r\nHost: a\r\n\r\n`,
    `GET /${id} HTTP/1.1\r\nHost : a\r\n\r\n`,
    `\r\n\r\nGET /${id} HTTP/1.1\r\nHost: a\r\n\r\n`,
    head(`HEAD /${id}`) + 'Expect: b\r\n\r\n',
    head(`POST /${id}`) + 'Transfer-Encoding: gzip, chunked\r\n\r\n',
    head(`POST /${id}`) + 'Content-Length: 1048577\r\n\r\ny',
    chunked(head(`POST /${id}`), '3\r\nabcd\r\n'),
    chunked(head(`POST /${id}`), CHUNK.repeat(200), 'z\r\n'),
    head(`GET /${id}`) + 'A: b\r\n'.repeat(100) + '\r\n',
    '\x16\x03\x01\x02',
  ]);
}

/** @returns the same world for the same seed */
export function makeScript(seed: number): Script {
  const random = new Random(seed);
  const script: Script = {
    seed,
    requestTimeout: random.oneOf([0.05, 0.2, 1, 3, 60]),
    idleTimeout: random.oneOf([0.02, 0.1, 0.7, 5]),
    maxRequests: random.onceIn(2) ? 0 : 1 + random.below(12),
    maxConnections: random.onceIn(4) ? 1 + random.below(3) : 10_000,
    contentBudget: random.onceIn(3) ? random.oneOf([0, 3000, 20_000, 60_000]) : 268_435_456,
    slowMs: random.oneOf([1, 20, 60, 120, 400]),
    standstills: [],
    stopAt: random.onceIn(3) ? random.oneOf([0, 5, 50, 300, 1000]) + moment(random) : -1,
    clients: [],
  };
  while (random.onceIn(3)) {
    const ms = random.oneOf([5, 50, 300, 1000, 3000]);
    script.standstills.push({ at: random.below(1500), ms });
  }
  const count = 1 + random.below(random.oneOf([2, 4, 9]));
  const isCalm = random.onceIn(3); // nobody waits until a deadline is near
  for (let number = 1; number <= count; number += 1) {
    script.clients.push(new ClientMaker(script, random, isCalm).make(`c${number}`));
  }
  return script;
}

/** A part of a millisecond. */
function moment(random: Random): number {
  return random.below(1000) / 1000;
}

class ClientMaker {
  private readonly steps: Step[] = [];
  private requests = 0;

  constructor(
    private readonly script: Script,
    private readonly random: Random,
    private readonly isCalm: boolean,
  ) {}

  make(name: string): ClientScript {
    const { random, script, steps } = this;
    if (random.onceIn(8)) steps.push({ do: 'read', bytes: 0, every: 0 });
    else if (random.onceIn(6)) {
      const bytes = random.oneOf([100, 1000, 5000, 20_000]);
      steps.push({ do: 'read', bytes, every: random.oneOf([1, 10, 40]) });
    }
    for (let left = random.below(7); left > 0; left -= 1) {
      this.wait();
      this.addRequests(name);
      if (random.onceIn(3)) steps.push({ do: 'await', responses: this.requests, ms: 5000 });
    }
    this.wait();
    const end = random.below(9);
    if (end === 0) steps.push({ do: 'reset' });
    if (end === 1) steps.push({ do: 'close' });
    if (end === 2 || end === 3 || end === 4) steps.push({ do: 'end' });
    const isLate = script.stopAt >= 0 && random.onceIn(4);
    return {
      at: isLate
        ? script.stopAt + random.below(40) / 1000
        : random.oneOf([0, 0, 0, 0.5, 5, 100, 700, 1500]) + moment(random),
      inputRoom: random.oneOf([200, 4096, 70_000, 300_000]),
      outputRoom: random.oneOf([300, 2000, 20_000, 300_000]),
      steps,
      closesAfter: random.oneOf([0, 0, 0, 1, 100, 1999, 2001, -1]),
    };
  }

  /** Waits for a time that may be just about a time limit. */
  private wait(): void {
    const { isCalm, random, script } = this;
    if (isCalm || !random.onceIn(3)) return;
    const { idleTimeout, requestTimeout } = script;
    const limits = [1000 * idleTimeout, 1000 * requestTimeout, 500 * requestTimeout];
    const ms = random.oneOf([0, 1, 3, 10, 50, ...limits]);
    const about = ms > 50 ? random.oneOf([-2, -1, 0, 1, 2, 30]) : 0;
    this.steps.push({ do: 'wait', ms: Math.max(0, ms + about) + moment(random) });
  }

  private addRequests(name: string): void {
    const { random } = this;
    const next = (): string => `${name}r${(this.requests += 1)}`;
    const kind = random.below(16);
    if (kind < 6) this.send(validRequest(next(), random));
    else if (kind < 9) {
      let pipeline = '';
      for (let left = random.oneOf([2, 3, 8, 40]); left > 0; left -= 1) {
        const make = random.onceIn(9) ? specialRequest : validRequest;
        pipeline += make(next(), random);
      }
      this.send(pipeline);
    } else if (kind < 11) this.send(specialRequest(next(), random));
    else if (kind < 12) this.send(lastRequest(next(), random));
    else if (kind < 13) this.send(malformedRequest(next(), random));
    else if (kind < 14) {
      const make = random.onceIn(3) ? malformedRequest : validRequest;
      const whole = make(next(), random);
      this.send(whole.slice(0, random.below(whole.length)));
    } else if (kind < 15) this.sendAfterContinue(next());
    else this.steps.push({ do: 'read', bytes: 1_000_000, every: 0 });
  }

  private sendAfterContinue(id: string): void {
    const { random, steps } = this;
    const head = `POST /${id} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n`;
    const length = random.oneOf([1, 400, 9000]);
    const isChunked = random.onceIn(3);
    const framing = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
    this.send(`${head}${framing}\r\n\r\n`);
    const ms = random.oneOf([0, 100, 5000]);
    steps.push({ do: 'await', responses: this.requests, ms });
    this.send(isChunked ? `4\r\nabcd\r\n0\r\n\r\n` : 'z'.repeat(length));
  }

  /** Sends it in one piece, or in pieces that may arrive one after another. */
  private send(text: string): void {
    const { isCalm, random, steps } = this;
    if (random.onceIn(2) || text.length === 0) {
      steps.push({ do: 'send', text });
      return;
    }
    const longest = Math.max(random.oneOf([1, 3, 20, 100, 2000]), text.length / 50);
    const gap = random.onceIn(isCalm ? 20 : 5) ? random.oneOf([0.1, 1, 7]) : 0.02;
    for (let at = 0, end = 0; at < text.length; at = end) {
      end = at + 1 + random.below(longest);
      steps.push({ do: 'send', text: text.slice(at, end) }, { do: 'wait', ms: gap });
    }
  }
}
