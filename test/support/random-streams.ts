/** Checks a rule on random bytes: on as many messages on every machine, unless the
 * environment says for how long (FUZZ_SECONDS). It may also say with which seed to begin
 * (FUZZ_SEED). */
import { Random } from './random';
import { toSource } from './requests';

/** How many milliseconds it may take to make a failing message smaller. */
const SHRINKING = 60_000;
/** More than a busy machine needs for the messages, and to make a failing one smaller. */
const PATIENCE = 600_000;
const { FUZZ_SEED = '1', FUZZ_SECONDS } = process.env;

/** Throws where the bytes break the rule. Its random choices are the same whenever it
 * checks the same message. */
type Check = (whole: Buffer, random: Random) => void | Promise<void>;

/** An `it` that tries one seed after another. A failure names the seed, and the shortest
 * message found that still fails. */
export function fuzz(
  title: string,
  messages: number,
  generate: (random: Random) => Buffer,
  check: Check,
): void {
  const milliseconds = 1000 * Number(FUZZ_SECONDS || NaN);
  it(title, async () => {
    const end = performance.now() + milliseconds;
    const first = Number(FUZZ_SEED);
    const isOver = (seed: number): boolean =>
      Number.isNaN(end) ? seed >= first + messages : performance.now() > end;
    for (let seed = first; !isOver(seed); seed += 1) {
      const whole = generate(new Random(seed));
      const cause = await findError(whole, seed, check);
      if (cause === undefined) continue;
      const isBroken = async (part: Buffer): Promise<boolean> =>
        (await findError(part, seed, check)) !== undefined;
      const shortest = await shrink(whole, isBroken);
      const error = await findError(shortest, seed, check);
      const repeat = `FUZZ_SEED=${seed} repeats it with String.raw\`${toSource(shortest)}\``;
      throw new Error(`${error}\n${repeat}`, { cause });
    }
  }).timeout(FUZZ_SECONDS ? milliseconds + PATIENCE : PATIENCE);
}

async function findError(whole: Buffer, seed: number, check: Check): Promise<unknown> {
  try {
    await check(whole, new Random(seed));
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Leaves out ever smaller slices while the rest still fails and there is time. */
async function shrink(
  whole: Buffer,
  fails: (part: Buffer) => Promise<boolean>,
  end = performance.now() + SHRINKING,
): Promise<Buffer> {
  let shortest = whole;
  for (let size = whole.length >> 1; size > 0; size >>= 1) {
    for (let at = 0; at < shortest.length && performance.now() < end;) {
      const part = Buffer.concat([shortest.subarray(0, at), shortest.subarray(at + size)]);
      if (await fails(part)) shortest = part;
      else at += size;
    }
  }
  return shortest.length < whole.length ? shrink(shortest, fails, end) : shortest;
}
