/** Runs a client, and compares what it does with what HTTP asks of it. */
import { spawn } from 'node:child_process';
import { Failure } from '../../command/arguments';
import { afterReal } from '../../command/timer';
import type { ReplyCase } from './cases';
import type { ConnectionReport } from './connection';

/** What a client made of a response: its exit code is 0, or another one; or it did not end
 * in time. */
export type Result = 'takes' | 'rejects' | 'hangs';

export interface Verdict {
  readonly isRight: boolean;
  /** One line. */
  readonly says: string;
}

/** @param reports what it did on its connections */
export function judgeClient(
  { asks, method, name, section }: Pick<ReplyCase, 'asks' | 'method' | 'name' | 'section'>,
  result: Result,
  reports: readonly ConnectionReport[],
): Verdict {
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
  const says = said + (hasAsked ? again : `, without a ${request}`);
  return { isRight, says };
}

/** Runs a client once. What it prints goes where our output goes.
 * @param command a program and its arguments
 * @param patience in seconds
 * @throws Failure if there is no such program */
export function runClient(command: readonly string[], patience: number): Promise<Result> {
  const [program = '', ...args] = command;
  return new Promise((resolve, reject) => {
    // It leads a group of processes, so that those that it starts end with it.
    const child = spawn(program, args, {
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const kill = (): void => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
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
    child.on('error', ({ message }) => {
      stopTimer();
      reject(new Failure(`The client cannot be started: ${message}`));
    });
    child.on('close', (code) => {
      stopTimer();
      process.off('exit', kill);
      const ended = code === 0 ? 'takes' : 'rejects';
      resolve(isLate ? 'hangs' : ended);
    });
  });
}
