/** Checks a rule on random bytes: on the same messages on every machine. */
import { Random } from './random';

/** How many milliseconds it may take to make a failing message smaller. */
const SHRINKING = 60_000;
/** More than a busy machine needs for the messages, and to make a failing one smaller. */
const PATIENCE = 600_000;

/** Throws where the bytes break the rule. Its random choices are the same whenever it
 * checks the same message. */
type Check = (whole: Buffer, random: Random) => void | Promise<void>;

/** An `it` that tries one seed after another. A failure shows the shortest message found
 * that still fails. */
export function fuzz(
  title: string,
  messages: number,
  generate: (random: Random) => Buffer,
  check: Check,
): void {
  it(title, async () => {
    for (let seed = 1; seed <= messages; seed += 1) {
      const errorOf = async (whole: Buffer): Promise<unknown> => {
        try {
          await check(whole, new Random(seed));
          return undefined;
        } catch (error) {
          return error;
        }
      };
      const whole = generate(new Random(seed));
      if ((await errorOf(whole)) === undefined) continue;
      const shortest = await shrink(whole, errorOf);
      const cause = await errorOf(shortest);
      const text = JSON.stringify(shortest.toString('latin1'));
      throw new Error(`seed ${seed}, with ${text}:\n${cause}`, { cause });
    }
  }).timeout(PATIENCE);
}

/** Leaves out ever smaller slices while the rest still fails and there is time. */
async function shrink(
  whole: Buffer,
  errorOf: (part: Buffer) => Promise<unknown>,
): Promise<Buffer> {
  const end = performance.now() + SHRINKING;
  let shortest = whole;
  for (let size = whole.length >> 1; size > 0; size >>= 1) {
    for (let at = 0; at < shortest.length && performance.now() < end;) {
      const part = Buffer.concat([shortest.subarray(0, at), shortest.subarray(at + size)]);
      if ((await errorOf(part)) === undefined) at += size;
      else shortest = part;
    }
  }
  return shortest;
}
