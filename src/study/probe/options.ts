/** The options of the probe. */
import { parseArguments, UsageError } from '../../command/arguments';
import { findRisk } from '../../naive/risk';
import { GROUPS, hasAnother, isValid, requestOf, type Case, type Group } from '../cases';
import type { Peer } from './conversation';

export type ProbeOptions = ReturnType<typeof parseProbeOptions>;

export const USAGE = `Usage: npm run probe -- HOST:PORT [options]

Sends the requests of test/CONFORMANCE.md to a server, each on a connection of
its own, and compares how that server and this one (which it starts) read them.
Probe only servers that are yours: half of the requests are malformed, as an
attacker's would be.

  --only WORD            send only the cases that have this word in their name,
                         section, rule or description, or that are about an
                         attack: smuggling, flooding or injection
  --host NAME            send "Host: NAME" where a case has "Host: a"
  --show NAME            print one case as a shell command, to send it by hand
  --help                 print this help

It sends GET, HEAD, OPTIONS, POST, CONNECT and methods that do not exist, most
of them for "/", and no PUT, PATCH or DELETE. One case has 1 MiB of content. The
cases run one at a time, for at most three seconds each. A server on the same
machine needs a few seconds for all of them, and three more for each silence.

Exit code: 0 if no MUST is broken, 1 if one is, 2 if a server cannot be probed.
`;

const OPTIONS = {
  only: { type: 'string', default: '' },
  host: { type: 'string', default: 'a' },
  show: { type: 'string' },
} as const;

/** The statuses by which this server defends its memory and its time. */
const FLOODED: readonly number[] = [408, 413, 414, 431, 503];

/** What an attacker can do with a case. Smuggling: the request holds another one, or a reader
 * with a known mistake finds its end elsewhere. Flooding: it takes memory or time.
 * Injection: it has control characters other than a tab and the CR and LF of a line end. */
const ATTACKS: Readonly<Record<string, (one: Case) => boolean>> = {
  smuggling: (one) => hasAnother(one) || findRisk(requestOf(one), undefined) !== undefined,
  flooding: (one) => !isValid(one) && FLOODED.includes(one.status),
  injection: (one) => /[\0-\x08\x0b\x0c\x0e-\x1f]|\r(?!\n)/.test(requestOf(one)),
};

/** @param args the arguments after the name of the program
 * @throws UsageError for an unknown option or an invalid value */
export function parseProbeOptions(args: readonly string[]) {
  const { values, positionals } = parseArguments({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
  });
  const { host, only, show } = values;
  if (!/^[\w.:[\]-]+$/.test(host)) throw new UsageError('--host takes a host name');
  if (positionals.length > 1) throw new UsageError('one server at a time');
  const address = positionals[0] ?? (show === undefined ? undefined : 'localhost:8080');
  if (address === undefined) throw new UsageError('name a server, such as localhost:80');
  return {
    target: parsePeer(address),
    groups: findCases(only),
    /** What Host says in the cases. */
    host,
    /** A case to print instead of sending any. */
    show: show === undefined ? undefined : findCase(show),
  };
}

function parsePeer(text: string): Peer {
  const [, literal, name, port] =
    /^(?:\[([\da-f:.%]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = literal ?? name;
  if (host !== undefined && Number(port) >= 1 && Number(port) <= 65_535) {
    return { host, port: Number(port) };
  }
  throw new UsageError(
    `a server is HOST:PORT, such as localhost:80, not ${JSON.stringify(text)}`,
  );
}

/** @returns the groups with the cases that have the word in their name, section, rule or
 * text, or for which it names an attack */
function findCases(word: string): Group[] {
  const has = (text: string): boolean => text.toLowerCase().includes(word.toLowerCase());
  const isChosen = (one: Case): boolean =>
    (Object.hasOwn(ATTACKS, word) && ATTACKS[word]?.(one)) ||
    [one.name, one.section, one.what, isValid(one) ? 'valid' : one.authority].some(has);
  const groups = GROUPS.map(({ title, cases }) => ({
    title,
    cases: has(title) ? cases : cases.filter(isChosen),
  })).filter(({ cases }) => cases.length > 0);
  if (groups.length === 0)
    throw new UsageError(`no case has the word ${JSON.stringify(word)}`);
  return groups;
}

function findCase(name: string): Case {
  const cases = GROUPS.flatMap((group) => group.cases);
  const found = cases.find((one) => one.name === name);
  if (found !== undefined) return found;
  const similar = cases.filter((one) => one.name.includes(name)).map((one) => one.name);
  const advice = similar.length > 0 ? `: perhaps ${similar.slice(0, 5).join(', ')}` : '';
  throw new UsageError(`no case has the name ${JSON.stringify(name)}${advice}`);
}
