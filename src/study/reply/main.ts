/** The command: npm run reply. It runs until Control-C, or until the client has ended. */
import { readFileSync } from 'node:fs';
import { listenFailure, UsageError } from '../../command/arguments';
import { log } from '../../command/output';
import { ending, onInputEnd, onSignal, run } from '../../command/run';
import { loadPrinter } from '../../command/tracing';
import { cite } from '../../http/protocol-error';
import { expand, readScript } from '../bytes';
import { REPLY_CASES, type ReplyCase } from './cases';
import type { Asked, ConnectionReport, Reply } from './connection';
import { judgeClient, runClient } from './expectation';
import { asksOf, judgeResponse, type ResponseJudgement } from './judgement';
import { parseReplyOptions, USAGE, type ReplyOptions } from './options';
import { startReplies, type RunningReplies } from './replies';

void run(USAGE, async (args) => {
  const options = parseReplyOptions(args);
  const { expect, name, show } = options;
  const chosen = name === undefined ? REPLY_CASES : [findCase(name)];
  if (show) return log(chosen.map(name === undefined ? titleOf : textOf).join(''));
  return expect ? tryClient(chosen, options) : serve(chosen, options);
});

/** @param name of a case, or the path of a file */
function findCase(name: string): ReplyCase {
  const known = REPLY_CASES.find((one) => one.name === name);
  if (known !== undefined) return known;
  let text;
  try {
    text = readFileSync(name, 'utf8');
  } catch {
    const advice = '--show lists the cases';
    throw new UsageError(`No case and no file is named ${JSON.stringify(name)}: ${advice}`);
  }
  const script = text.replaceAll('\r\n', '\n').replace(/\n$/, '');
  return { ...asksOf(judge(script)), name, script, what: 'The response of a file' };
}

function judge(script: string, method = 'GET'): ResponseJudgement {
  const { bytes, ending } = readScript(expand(script));
  return judgeResponse(bytes, { ending, methods: [method] });
}

function titleOf({ asks, name, section, what }: ReplyCase): string {
  return `${name.padEnd(22)} ${asks.padEnd(11)} ${section.padEnd(11)} ${what}\n`;
}

function textOf(one: ReplyCase): string {
  return `${remarksOn(one)}${one.script}\n`;
}

function remarksOn({ asks, method, script, section, what }: ReplyCase): string {
  return `# ${what} (${asks}: ${cite(section)})\n# ${judge(script, method).says}\n`;
}

async function start(
  { host, port, timeout, trace: isTraced }: ReplyOptions,
  chosen: readonly ReplyCase[],
  report?: (report: ConnectionReport) => void,
): Promise<RunningReplies> {
  const [only] = chosen;
  const choose = ({ path }: Asked): Reply =>
    (chosen.length > 1 ? chosen.find(({ name }) => path === `/${name}`) : only) ??
    'HTTP/1.1 404 Not Found\nContent-Length: 0\n\n';
  const replies = await startReplies({
    host,
    port,
    timeout,
    report,
    replies: choose,
    log: (line) => log(`${line}\n`),
    trace: isTraced ? await loadPrinter() : undefined,
  }).catch((error: unknown) => {
    throw listenFailure(error, { host, port });
  });
  log(`Listening on port ${replies.port}: ${urlOf(replies)}\n`);
  return replies;
}

const urlOf = ({ host, port }: RunningReplies): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}/`;

async function serve(chosen: readonly ReplyCase[], options: ReplyOptions): Promise<void> {
  let replies: RunningReplies | undefined;
  const stop = (): void => void replies?.stop();
  // Installed before the port opens, because a signal can arrive at any time after that.
  onSignal(stop);
  if (options.untilStdinEnds) onInputEnd(stop);
  replies = await start(options, chosen);
  if (options.name !== undefined) log(chosen.map(remarksOn).join(''));
  if (ending.isSignalled) stop();
  await replies.stopped;
}

/** @returns the exit code */
async function tryClient(
  chosen: readonly ReplyCase[],
  options: ReplyOptions,
): Promise<number> {
  const { command, name, patience } = options;
  onSignal(() => process.exit(1));
  // A client that asks for a page shows nothing of a response to another method.
  const tried = chosen.filter(({ method }) => name !== undefined || method === undefined);
  let reports: ConnectionReport[] = [];
  const replies = await start(options, chosen, (report) => reports.push(report));
  let wrong = 0;
  try {
    for (const one of tried) {
      reports = [];
      const url = urlOf(replies) + (name === undefined ? one.name : '');
      const filled = command.map((arg) =>
        arg.replaceAll('{url}', url).replaceAll('{port}', String(replies.port)),
      );
      const result = await runClient(filled, patience);
      await replies.idle();
      const { isRight, says } = judgeClient(one, result, reports);
      if (!isRight) wrong += 1;
      log(`${says}\n`);
    }
  } finally {
    await replies.stop();
  }
  log(`${tried.length - wrong} right, ${wrong} wrong\n`);
  return wrong > 0 ? 1 : 0;
}
