/** Waiting for what others do. */
import { setTimeout } from 'node:timers/promises';

/** Waits until something is true in this process, and lets everything else have its
 * turn. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

/** Waits for a time, and then for what other timers of this process that were due have
 * begun. */
export async function pause(milliseconds: number): Promise<void> {
  await setTimeout(milliseconds);
  for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
}
