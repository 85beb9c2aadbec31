/** Makes a world that fails shorter, as long as it still fails. */
import { judge } from './oracle';
import { play, type Played } from './play';
import { CALM, CALM_CLIENT, type Script } from './script';

/** How many milliseconds it may take. */
const SHRINKING = 20_000;

/** Says what is wrong in a world. */
type Oracle = (played: Played) => string[];
/** Takes a part out of a script, if it is there. */
type Cut = (copy: Script) => unknown;

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

/** Leaves out whatever may be left out, as long as there is time. */
async function shrink(script: Script, oracle: Oracle, kind: string): Promise<Script> {
  const end = performance.now() + SHRINKING;
  let shortest = script;
  for (let isShorter = true; isShorter;) {
    isShorter = false;
    for (const cut of cutsOf(shortest)) {
      const copy = structuredClone(shortest);
      cut(copy);
      if (performance.now() > end) return shortest;
      if (JSON.stringify(copy) === JSON.stringify(shortest)) continue;
      const found = oracle(await play(copy));
      if (!found.some((what) => kindOf(what) === kind)) continue;
      shortest = copy;
      isShorter = true;
    }
  }
  return shortest;
}

/** The largest parts first. What was cut before may leave nothing to the next cut. */
function* cutsOf(script: Script): Generator<Cut> {
  const { clients } = script;
  for (const number of backwards(clients)) yield (copy) => copy.clients.splice(number, 1);
  for (const [name, value] of Object.entries(CALM)) {
    if (name !== 'clients') yield (copy) => Object.assign(copy, { [name]: value });
  }
  for (const [number, { steps }] of clients.entries()) {
    const { steps: _, ...calm } = CALM_CLIENT;
    for (const [name, value] of Object.entries(calm))
      yield ({ clients: copies }) => Object.assign(copies[number] ?? {}, { [name]: value });
    for (const at of backwards(steps)) {
      yield ({ clients: copies }) => copies[number]?.steps.splice(at, 1);
      const step = steps[at];
      for (let size = step?.do === 'send' ? step.text.length : 0; size > 0; size >>= 1) {
        for (let from = 0; step?.do === 'send' && from < step.text.length; from += size)
          yield ({ clients: copies }) => {
            const copy = copies[number]?.steps[at];
            if (copy?.do !== 'send') return;
            copy.text = copy.text.slice(0, from) + copy.text.slice(from + size);
          };
      }
    }
  }
}

function backwards(list: readonly unknown[]): number[] {
  return [...list.keys()].reverse();
}
