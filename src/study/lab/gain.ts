/** What an attack gains where the defence is missing, found by comparing two outcomes. */
import type { Outcome } from './play';

type Finder = (kept: Outcome, removed: Outcome) => string | undefined;

const FINDERS: readonly Finder[] = [
  findStolen,
  findUnseen,
  findMisled,
  findOvertaken,
  findUnread,
  findEndless,
  findCounted,
  findSplit,
];

/** @returns a sentence about what differs without the defence */
export function describeGain(kept: Outcome, removed: Outcome): string {
  const found = FINDERS.flatMap((find) => find(kept, removed) ?? []);
  return found.length === 0
    ? 'Without the defence, nothing was gained this time.'
    : `Without the defence, ${found.join(', and ')}.`;
}

/** A line of the victim's request that the attacker reads. */
function findStolen(kept: Outcome, removed: Outcome): string | undefined {
  const read = ({ answers, clients }: Outcome): string =>
    answers.filter((_, at) => clients[at]?.name === 'attacker').join('\n');
  const lines = removed.clients.flatMap(({ name, sent }) =>
    name === 'victim' ? sent.split('\r\n') : [],
  );
  const isStolen = (line: string): boolean =>
    line !== '' && read(removed).includes(line) && !read(kept).includes(line);
  const stolen = lines.filter(isStolen).at(-1);
  return stolen === undefined
    ? undefined
    : `the attacker received a line of the victim's request (${stolen})`;
}

/** Requests that the server handled, and that the proxy took for something else. */
function findUnseen({ proxy }: Outcome, removed: Outcome): string | undefined {
  if (proxy === '') return undefined;
  const seen = Array.from(
    removed.proxy.matchAll(/ request \d+: (\S+ \S+),/g),
    ([, request]) => request,
  );
  const unseen = logged(removed).filter((request) => {
    const at = seen.indexOf(request);
    if (at >= 0) seen.splice(at, 1);
    return at < 0;
  });
  return unseen.length === 0
    ? undefined
    : `the server handled ${unseen.join(' and ')}, which the proxy did not see as a request`;
}

/** A victim behind a proxy that receives something else. */
function findMisled(kept: Outcome, removed: Outcome): string | undefined {
  const at = removed.clients.findIndex(({ name }) => name === 'victim');
  const [own = '', other = ''] = [kept, removed].map(({ answers }) => answers[at] ?? '');
  if (removed.proxy === '' || own === other) return undefined;
  // With its header section, a response begins with its status.
  const [first = ''] = other.replace('HTTP/1.1 ', '').split('\n');
  return `the victim received ${first.startsWith('{') ? first : `"${first}"`}`;
}

/** A victim whose request is handled later. */
function findOvertaken(kept: Outcome, removed: Outcome): string | undefined {
  const [before, after] = [logged(kept), logged(removed)];
  if ([...before].sort().join() !== [...after].sort().join()) return undefined;
  const late = before.find((request, at) => after.indexOf(request) > at);
  if (late === undefined) return undefined;
  const [from, to] = [before.indexOf(late) + 1, after.indexOf(late) + 1];
  return `the victim's ${late} was handled in place ${to} instead of ${from}`;
}

/** Requests of a client that reads no response. */
function findUnread(kept: Outcome, removed: Outcome): string | undefined {
  if (removed.turns <= kept.turns || removed.answers.join('') !== '') return undefined;
  return (
    `the server handled ${removed.turns} requests of a client that reads no response ` +
    `instead of ${kept.turns}`
  );
}

/** Bytes of a request that never becomes complete. */
function findEndless(kept: Outcome, removed: Outcome): string | undefined {
  if (removed.turns > 0 || removed.bytesRead <= kept.bytesRead) return undefined;
  return `the server read ${removed.bytesRead} bytes of one line instead of ${kept.bytesRead}`;
}

/** What a client or a program counted. */
function findCounted(kept: Outcome, removed: Outcome): string | undefined {
  const [good = '', bad = ''] = [kept, removed].map(
    ({ answers }) => answers.at(-1)?.split('\n').at(-1) ?? '',
  );
  if (good === bad || !/^\d/.test(good) || !/^\d/.test(bad)) return undefined;
  return /^\d+$/.test(bad)
    ? `${bad} responses arrived instead of ${good}`
    : `the last count is "${bad}" instead of "${good}"`;
}

/** More responses than requests. */
function findSplit(_: Outcome, { answers, proxy, turns }: Outcome): string | undefined {
  const responses = answers.join('\n').match(/^HTTP\/1\.1 \d/gm)?.length ?? 0;
  if (proxy !== '' || turns === 0 || responses <= turns) return undefined;
  return `the client received ${responses} responses to ${turns} request`;
}

const logged = ({ log }: Outcome): string[] =>
  log.split('\n').filter((line) => line !== '');
