/** Sends the cases to a server that the reader names, and to ours. */
import type { After } from '../../command/timer';
import type { ProbeOptions } from './options';
import type { Report } from './report';
import { openOurs, openTarget, readAll, type Target } from './target';

/** @param onRead is called after each case that runs
 * @throws UnusableError */
export async function compare(
  { target, groups, host }: ProbeOptions,
  onRead: () => void,
  after?: After,
): Promise<Report> {
  const theirs = await openTarget(target, host, after);
  const ours = await openOurs(after);
  const cases = groups.flatMap((group) => group.cases);
  const read = async (side: Target) => {
    return { ...side, readings: await readAll(side, cases, onRead) };
  };
  try {
    return { sides: await Promise.all([read(ours), read(theirs)]), groups };
  } finally {
    await ours.close();
  }
}
