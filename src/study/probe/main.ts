/** `npm run probe -- HOST:PORT`: sends the same bytes to any server. */
import { run } from '../../command/run';
import { cite } from '../../http/protocol-error';
import { addressOf } from '../../server/server';
import { isValid, toShell } from './cases';
import { parseProbeOptions, USAGE, type ProbeOptions, type ShowOptions } from './options';
import { breaksMust, formatJson, formatSummary, formatTable, type Report } from './report';
import { openOurs, openTarget, readAll } from './target';

/** How wide the report is where standard output is not a terminal. */
const COLUMNS = 160;

void run(async (args) => {
  const options = parseProbeOptions(args);
  if (options === 'help') process.stdout.write(USAGE);
  else if ('show' in options) process.stdout.write(show(options));
  else return probe(options);
  return 0;
});

/** @returns lines for a shell: comments that explain the case, then the command that sends
 * it */
function show({ show: one, peer, host }: ShowOptions): string {
  const condition =
    isValid(one) || one.condition === undefined ? '' : `, ${one.condition.text}`;
  const explanation = isValid(one)
    ? `valid (${cite(one.section)})`
    : `${one.status} at this server (${one.authority}: ${cite(one.section)})${condition}`;
  return `# ${one.name}: ${one.what}
# ${explanation}
${toShell(one, host)} | nc ${peer.host} ${peer.port}
`;
}

/** @returns the exit code */
async function probe({ target, other, groups, host, json }: ProbeOptions): Promise<number> {
  const left = other === undefined ? await openOurs() : await openTarget(target, host);
  try {
    const right = await openTarget(other ?? target, host);
    const cases = groups.flatMap((group) => group.cases);
    const progress = new Progress(2 * cases.length);
    const onRead = (): void => progress.advance();
    const [leftReadings, rightReadings] = await Promise.all([
      readAll(left, cases, onRead),
      readAll(right, cases, onRead),
    ]);
    progress.clear();
    const isOurs = other === undefined;
    const report: Report = {
      sides: [
        { ...left, address: addressOf(target), isOurs, readings: leftReadings },
        {
          ...right,
          address: addressOf(other ?? target),
          isOurs: false,
          readings: rightReadings,
        },
      ],
      groups,
      host,
    };
    const columns = process.stdout.columns ?? COLUMNS;
    const text = `${formatTable(report, columns)}\n${formatSummary(report)}`;
    process.stdout.write(json ? formatJson(report) : text);
    return breaksMust(report) ? 1 : 0;
  } finally {
    await left.close();
  }
}

/** One line on standard error, if that is a terminal. */
class Progress {
  private done = 0;
  private readonly total: number;

  constructor(total: number) {
    this.total = total;
  }

  advance(): void {
    this.done += 1;
    const more = this.done > this.total ? ', some of them again, alone' : '';
    this.write(
      `\r${Math.min(this.done, this.total)} of ${this.total} conversations${more}`,
    );
  }

  clear(): void {
    this.write('\r\x1b[K');
  }

  private write(text: string): void {
    if (process.stderr.isTTY) process.stderr.write(text);
  }
}
