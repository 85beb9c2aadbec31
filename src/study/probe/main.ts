/** `npm run probe -- HOST:PORT`: sends the same bytes to any server. */
import { log, logError } from '../../command/output';
import { run } from '../../command/run';
import { cite } from '../../http/protocol-error';
import { conditionOf, isValid, readCase } from '../cases';
import { toCommand } from '../shell';
import { parseProbeOptions, USAGE, type ProbeOptions, type ShowOptions } from './options';
import { breaksMust, formatReport } from './report';
import { compare } from './target';

/** How wide the report is where standard output is not a terminal. */
const COLUMNS = 160;

void run(async (args) => {
  const options = parseProbeOptions(args);
  if (options === 'help') log(USAGE);
  else if ('show' in options) log(show(options));
  else return probe(options);
  return 0;
});

/** @returns lines for a shell: comments that explain the case, then the command that sends
 * it */
function show({ show: one, peer, host }: ShowOptions): string {
  const said = conditionOf(one);
  const condition = said && `, ${said}`;
  const explanation = isValid(one)
    ? `valid (${cite(one.section)})`
    : `${one.status} at this server (${one.authority}: ${cite(one.section)})${condition}`;
  const command = toCommand(readCase(one, host).text, peer.port, peer.host);
  return `# ${one.name}: ${one.what}
# ${explanation}
${command}
`;
}

/** @returns the exit code */
async function probe(options: ProbeOptions): Promise<number> {
  const total = 2 * options.groups.flatMap(({ cases }) => cases).length;
  let done = 0;
  const report = await compare(options, () => {
    done += 1;
    const more = done > total ? ', some of them again, alone' : '';
    showProgress(`${Math.min(done, total)} of ${total} conversations${more}`);
  }).finally(() => showProgress('\x1b[K'));
  log(formatReport(report, process.stdout.columns ?? COLUMNS));
  return breaksMust(report) ? 1 : 0;
}

/** One line on standard error, if that is a terminal. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) logError(`\r${text}`);
}
