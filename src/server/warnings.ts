/** Warnings for the program that runs the server, about its own mistakes and the errors of
 * the system. */
import { oneLine } from '../text/text';

/** Reports a mistake as one warning: a line, and below it where an error was thrown, since
 * the author of the service needs that.
 * @param thrown whatever was thrown or returned; it may have no text at all */
export function warn(what: string, thrown: unknown): void {
  process.emitWarning(`${what}: ${describe(thrown)}`);
}

function describe(thrown: unknown): string {
  try {
    const stack = thrown instanceof Error ? String(thrown.stack).split('\n') : [];
    const places = stack.filter((line) => /^ +at /.test(line));
    const lines = places.map((line) => `\n   ${oneLine(line)}`);
    return `${oneLine(String(thrown))}${lines.join('')}`;
  } catch {
    return 'a value that has no text';
  }
}

/** Calls back if a promise of the program rejects, which would otherwise end the process.
 * The promise may have broken methods of its own, so we call none of them. */
export function onRejection(
  promise: Promise<unknown>,
  callback: (error: unknown) => void,
): void {
  void Promise.prototype.then.call(promise, undefined, callback);
}

/** Wraps a callback of the program. If it throws, or returns a promise that rejects, we
 * warn once and never call it again. */
export function guard<Value>(
  name: string,
  callback: (value: Value) => unknown,
): (value: Value) => void {
  let isBroken = false;
  const onError = (error: unknown): void => {
    if (!isBroken) warn(`The ${name} sink failed, and is not called again`, error);
    isBroken = true;
  };
  return (value) => {
    if (isBroken) return;
    try {
      const result = callback(value);
      if (result instanceof Promise) onRejection(result, onError);
    } catch (error) {
      onError(error);
    }
  };
}

/** How far from 1970 a time may be that a Date can hold, in milliseconds. */
const MAX_TIME = 8.64e15;

/** Wraps the clock of a program. If it throws, or gives no time, we warn once and read the
 * other one from then on.
 * @param clock gives milliseconds since 1970 */
export function guardClock(clock: () => number, other: () => number): () => number {
  let current = clock;
  return () => {
    try {
      const now = Number(current());
      if (Math.abs(now) <= MAX_TIME) return now;
      throw new RangeError(`${now} is not a time`);
    } catch (error) {
      warn('The date failed, and is not asked for again', error);
      current = other;
      return other();
    }
  };
}
