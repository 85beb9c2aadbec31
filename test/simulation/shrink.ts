/** Makes a world that fails shorter, as long as it still fails. */
import { judge } from './oracle';
import { play, type Played } from './play';
import { CALM, CALM_CLIENT, type Script, type Step } from './script';

/** How many milliseconds it may take. */
const SHRINKING = 20_000;

/** Says what is wrong in a world. */
type Oracle = (played: Played) => string[];

/** @returns what is wrong with a world, and a test of the shortest world found that is
 * wrong in the same way */
export async function report(script: Script, oracle: Oracle = judge): Promise<string> {
  const [first = 'nothing is wrong'] = oracle(await play(script));
  const shortest = await shrink(script, oracle, kindOf(first));
  const found = oracle(await play(shortest));
  return `seed ${script.seed}: ${found.join('; ')}

  it('a world that must be named', async () => {
    expect(judge(await play(${JSON.stringify(shortest)}))).to.deep.equal([]);
  });`;
}

/** What is wrong, without numbers. */
function kindOf(what: string): string {
  return what.replace(/[\d.]+/g, '').slice(0, 40);
}

/** Leaves out whatever may be left out, the largest parts first, as long as there is
 * time. */
async function shrink(script: Script, oracle: Oracle, kind: string): Promise<Script> {
  const end = performance.now() + SHRINKING;
  let shortest = script;
  /** @returns whether a change leaves it wrong in the same way; if so, it stays */
  const attempt = async (change: (copy: Script) => void): Promise<boolean> => {
    const copy = structuredClone(shortest);
    change(copy);
    if (performance.now() > end || JSON.stringify(copy) === JSON.stringify(shortest))
      return false;
    const found = oracle(await play(copy));
    if (!found.some((what) => kindOf(what) === kind)) return false;
    shortest = copy;
    return true;
  };
  /** Leaves out slices of a list or a text, ever smaller ones. */
  const cut = async (length: () => number, slice: Slice): Promise<void> => {
    for (let size = length(); size > 0; size >>= 1) {
      for (let at = 0; at < length();) {
        if (!(await attempt((copy) => slice(copy, at, size)))) at += size;
      }
    }
  };
  let before: Script;
  do {
    before = shortest;
    await cut(
      () => shortest.clients.length,
      ({ clients }, at, size) => clients.splice(at, size),
    );
    for (const name of Object.keys(CALM) as (keyof Script)[]) {
      if (name !== 'clients')
        await attempt((copy) => Object.assign(copy, { [name]: CALM[name] }));
    }
    for (const number of shortest.clients.keys()) {
      const steps = (copy = shortest): Step[] => copy.clients[number]?.steps ?? [];
      await cut(
        () => steps().length,
        (copy, at, size) => steps(copy).splice(at, size),
      );
      for (let at = steps().length - 1; at >= 0; at -= 1) {
        await attempt((copy) => joinSends(steps(copy), at));
        await attempt((copy) => roundTime(steps(copy)[at]));
        const text = (copy = shortest): { text: string } => {
          const step = steps(copy)[at];
          return step?.do === 'send' ? step : { text: '' };
        };
        await cut(
          () => text().text.length,
          (copy, from, size) => {
            const step = text(copy);
            step.text = step.text.slice(0, from) + step.text.slice(from + size);
          },
        );
      }
      for (const name of ['at', 'inputRoom', 'outputRoom', 'closesAfter'] as const) {
        await attempt(({ clients }) =>
          Object.assign(clients[number] ?? {}, { [name]: CALM_CLIENT[name] }),
        );
      }
    }
  } while (shortest !== before);
  return shortest;
}

type Slice = (copy: Script, at: number, size: number) => unknown;

/** Sends what is sent here, and what was sent last, at once. */
function joinSends(steps: Step[], at: number): void {
  const before = steps
    .slice(0, at)
    .map((step) => step.do)
    .lastIndexOf('send');
  const [first, second] = [steps[before], steps[at]];
  if (first?.do !== 'send' || second?.do !== 'send') return;
  second.text = first.text + second.text;
  steps.splice(before, 1);
}

function roundTime(step: Step | undefined): void {
  if (step?.do === 'wait') step.ms = Math.round(step.ms);
}
