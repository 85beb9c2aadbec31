/** Tries a rule on octets that chance made. FUZZ_SECONDS says for how long, FUZZ_SEED from which seed on. */
import { Random } from './random';
import { visible } from './requests';

/** Milliseconds that a failure may take to be made small. */
const SHRINKING = 10_000;
const { FUZZ_SEED = '1', FUZZ_SECONDS } = process.env;

/** Throws where the octets break the rule. It may use chance itself: the same each time that it looks at these octets. */
type Check = (whole: Buffer, random: Random) => void | Promise<void>;

/** An `it` that tries one seed after the other until the time is over. A failure names its seed, and the fewest octets found that show it. */
export function fuzz(title: string, seconds: number, make: (random: Random) => Buffer, check: Check): void {
  const milliseconds = 1000 * Number(FUZZ_SECONDS || seconds);
  it(title, async () => {
    const end = performance.now() + milliseconds;
    for (let seed = Number(FUZZ_SEED); performance.now() < end; seed += 1) {
      const whole = make(new Random(seed));
      const wrong = await complaint(whole, seed, check);
      if (wrong === undefined) continue;
      const few = await shrink(whole, async (fewer) => (await complaint(fewer, seed, check)) !== undefined);
      throw new Error(`${await complaint(few, seed, check)}\nFUZZ_SEED=${seed} repeats it; the octets are String.raw\`${visible(few)}\``, { cause: wrong });
    }
  }).timeout(milliseconds + 2 * SHRINKING);
}

async function complaint(whole: Buffer, seed: number, check: Check): Promise<unknown> {
  try {
    await check(whole, new Random(seed));
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Leaves out ever smaller slices, as long as what is left still fails, and as there is time. */
async function shrink(whole: Buffer, fails: (fewer: Buffer) => Promise<boolean>, end = performance.now() + SHRINKING): Promise<Buffer> {
  let few = whole;
  for (let size = whole.length >> 1; size > 0; size >>= 1) {
    for (let at = 0; at < few.length && performance.now() < end; ) {
      const fewer = Buffer.concat([few.subarray(0, at), few.subarray(at + size)]);
      if (await fails(fewer)) few = fewer;
      else at += size;
    }
  }
  return few.length < whole.length ? shrink(few, fails, end) : few;
}
