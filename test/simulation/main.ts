/** Plays many worlds: npm run simulate -- --worlds N --seed S. */
import { parseArgs } from 'node:util';
import { judge } from './oracle';
import { play } from './play';
import { makeScript } from './script';
import { report } from './shrink';

/** How often it tells how far it is, in worlds. */
const PROGRESS = 1000;

async function main(): Promise<void> {
  const number = (text: string): number => {
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw new RangeError('--worlds and --seed are whole numbers');
  };
  const option = (text: string) => ({ type: 'string', default: text }) as const;
  const options = { worlds: option('1000'), seed: option('1') };
  const { worlds, seed } = parseArgs({ options }).values;
  const [first, count] = [number(seed), number(worlds)];
  const begin = performance.now(); // for the progress; a world has its own time
  let requests = 0;
  for (let done = 1; done <= count; done += 1) {
    const script = makeScript(first + done - 1);
    const played = await play(script);
    requests += played.handled.length;
    if (judge(played).length > 0) {
      console.log(await report(script));
      process.exitCode = 1;
      return;
    }
    if (done % PROGRESS !== 0 && done < count) continue;
    const rate = Math.round((1000 * done) / (performance.now() - begin));
    console.log(`${done} worlds, ${rate} a second: ${requests} requests`);
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
});
