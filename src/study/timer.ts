/** A timer that a test can replace, so that a time limit takes it no time.
 * @param act is called once, after some milliseconds
 * @returns what keeps it from being called */
export type After = (milliseconds: number, act: () => void) => () => void;

export const afterReal: After = (milliseconds, act) => {
  const timer = setTimeout(act, milliseconds);
  return () => clearTimeout(timer);
};
