/** Plays many worlds: npm run simulate -- --worlds N --seed S. With --digest FILE, it
 * writes a line for each world that tells what happened in it: a rewriting that changes
 * nothing leaves the file as it is. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { parseArgs } from 'node:util';
import type { TraceEvent } from '../../src/index';
import { judge } from './oracle';
import { play, type Played } from './play';
import { makeScript } from './script';
import { report } from './shrink';

/** How often it tells how far it is, in worlds. */
const PROGRESS = 1000;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      worlds: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
      digest: { type: 'string' },
    },
  });
  const first = Number(values.seed);
  const count = Number(values.worlds);
  if (!Number.isInteger(first) || !Number.isInteger(count))
    throw new RangeError('--worlds and --seed are whole numbers');
  const digests =
    values.digest === undefined ? undefined : createWriteStream(values.digest);
  const begin = performance.now(); // for the progress; a world has its own time
  let [requests, virtualMs] = [0, 0];
  for (let done = 0; done < count; done += 1) {
    const script = makeScript(first + done);
    const played = await play(script);
    digests?.write(`${script.seed} ${digest(played)}\n`);
    requests += played.handled.length;
    virtualMs += (played.stopped ?? played.start) - played.start;
    const found = judge(played);
    if (found.length > 0) {
      console.log(await report(script));
      process.exitCode = 1;
      return;
    }
    if ((done + 1) % PROGRESS !== 0 && done + 1 < count) continue;
    const seconds = (performance.now() - begin) / 1000;
    const rate = Math.round((done + 1) / seconds);
    const hours = (virtualMs / 3_600_000).toFixed(1);
    console.log(
      `${done + 1} worlds, ${rate} a second: ${requests} requests, ${hours} hours`,
    );
  }
}

/** Everything that a client, the log or the trace tells, but for the parts of messages. */
function digest({ actors, events, log }: Played): string {
  const hash = createHash('sha256').update(log);
  for (const { client } of actors) hash.update(client?.received ?? '');
  for (const event of events) hash.update(JSON.stringify(plain(event)));
  return hash.digest('hex').slice(0, 16);
}

function plain(event: TraceEvent): unknown {
  const values = Object.entries(event).filter(([name]) => name !== 'parts');
  return values.map(([name, value]) => {
    if (Buffer.isBuffer(value)) return [name, value.toString('latin1')];
    return [name, value instanceof Error ? value.message : value];
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
});
