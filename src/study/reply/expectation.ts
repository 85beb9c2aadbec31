/** Runs a client, and compares what it does with what HTTP asks of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Failure } from '../../command/arguments';
import { afterReal } from '../timer';
import type { ReplyCase } from './cases';
import type { ConnectionReport } from './connection';

/** What a client made of a response: its exit code is 0, or another one; or it did not end
 * in time. */
export type Result = 'takes' | 'rejects' | 'hangs';

/** @param reports what it did on its connections
 * @returns whether that is right, and the same in one line */
export function judgeClient(
  { asks, method, name, section }: Pick<ReplyCase, 'asks' | 'method' | 'name' | 'section'>,
  result: Result,
  reports: readonly ConnectionReport[],
) {
  const misuse = reports.find((report) => report.misuse !== undefined)?.misuse;
  const isWrong = {
    takes: asks === 'MUST reject',
    rejects: asks === 'MUST take' || asks === 'valid',
    hangs: true,
  }[result];
  const hasAsked = reports
    .flatMap(({ requests }) => requests)
    .some((request) => method === undefined || request.startsWith(`${method} `));
  const isRight = hasAsked && !isWrong && misuse === undefined;
  const said = `${isRight ? 'right' : 'WRONG'} ${name}: ${result} (${asks}, ${section})`;
  const again = misuse === undefined ? '' : `, and uses the connection again: ${misuse}`;
  const request = method === undefined ? 'request' : `${method} request`;
  return { isRight, says: said + (hasAsked ? again : `, without a ${request}`) };
}

/** Runs a client once. What it prints goes where our output goes.
 * @param command a program and its arguments
 * @param patience in seconds
 * @throws Failure if there is no such program */
export async function runClient(
  [program = '', ...args]: readonly string[],
  patience: number,
): Promise<Result> {
  // It leads a group of processes, so that those that it starts end with it.
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  let isLate = false;
  const stopTimer = afterReal(patience * 1000, () => {
    isLate = true;
    kill();
  });
  process.once('exit', kill);
  try {
    const [code]: unknown[] = await once(child, 'close');
    if (isLate) return 'hangs';
    return code === 0 ? 'takes' : 'rejects';
  } catch (error) {
    const { message } = error as Error;
    throw new Failure(`The client cannot be started: ${message}`);
  } finally {
    stopTimer();
    process.off('exit', kill);
  }
}
