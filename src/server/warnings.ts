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
 * warn once and never call it again.
 * @param check throws if what the callback returns is of no use
 * @returns what the callback returns, or undefined */
export function guard<Value, Result>(
  name: string,
  callback: (value: Value) => Result,
  check: (result: Result) => void = () => {},
): (value: Value) => Result | undefined {
  let isBroken = false;
  const onError = (error: unknown): void => {
    if (!isBroken) warn(`The ${name} failed, and will not be called again`, error);
    isBroken = true;
  };
  return (value) => {
    if (isBroken) return undefined;
    try {
      const result = callback(value);
      if (result instanceof Promise) onRejection(result, onError);
      check(result);
      return result;
    } catch (error) {
      onError(error);
      return undefined;
    }
  };
}
