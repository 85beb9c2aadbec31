/** Sends the cases to two servers: one that the reader names, and another one or ours. */
import type { After } from '../../command/timer';
import type { Peer } from './conversation';
import type { ProbeOptions } from './options';
import type { Report } from './report';
import { openOurs, openTarget, readAll, type Target } from './target';

/** @param onRead is called after each case that runs
 * @throws UnusableError */
export async function compare(
  { target, other, groups, host }: ProbeOptions,
  onRead: () => void,
  after?: After,
): Promise<Report> {
  const open = (peer: Peer): Promise<Target> => openTarget(peer, host, after);
  const [named, another] = await Promise.all([open(target), other && open(other)]);
  const left = another === undefined ? await openOurs(after) : named;
  const right = another ?? named;
  const cases = groups.flatMap((group) => group.cases);
  const read = async (side: Target) => {
    return { ...side, readings: await readAll(side, cases, onRead) };
  };
  try {
    return { sides: await Promise.all([read(left), read(right)]), groups, host };
  } finally {
    await left.close();
  }
}
