/** `npm run probe -- HOST:PORT`: sends the same bytes to any server. */
import { log, logError } from '../../command/output';
import { run } from '../../command/run';
import { cite } from '../../http/protocol-error';
import { conditionOf, isValid, readCase, type Case } from '../cases';
import { toCommand } from '../shell';
import { parseProbeOptions, USAGE, type ProbeOptions } from './options';
import { breaksMust, formatReport } from './report';
import { compare } from './target';

/** How wide the report is where standard output is not a terminal. */
const COLUMNS = 160;

void run(USAGE, async (args) => {
  const options = parseProbeOptions(args);
  if (options.show === undefined) return probe(options);
  return log(describeCase(options.show, options));
});

/** @returns lines for a shell: comments that explain the case, then the command that sends
 * it */
function describeCase(one: Case, { target, host }: ProbeOptions): string {
  const said = conditionOf(one);
  const condition = said && `, ${said}`;
  const explanation = isValid(one)
    ? `valid (${cite(one.section)})`
    : `${one.status} at this server (${one.authority}: ${cite(one.section)})${condition}`;
  const command = toCommand(readCase(one, host).text, target.port, target.host);
  return `# ${one.name}: ${one.what}
# ${explanation}
${command}
`;
}

/** @returns the exit code */
async function probe(options: ProbeOptions): Promise<number> {
  const total = options.groups.flatMap(({ cases }) => cases).length;
  let done = 0;
  const report = await compare(options, () => {
    done += 1;
    showProgress(`${done} of ${total} cases`);
  }).finally(() => showProgress('\x1b[K'));
  log(formatReport(report, process.stdout.columns ?? COLUMNS));
  return breaksMust(report) ? 1 : 0;
}

/** One line on standard error, if that is a terminal. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) logError(`\r${text}`);
}
