/** The warnings of a test: kept, and not printed between its results. */
const { emitWarning } = process;

/** @returns the warnings from now to the end of the test, as they are emitted */
export function collectWarnings(): string[] {
  const warnings: string[] = [];
  process.emitWarning = (warning: string | Error): void => {
    warnings.push(typeof warning === 'string' ? warning : warning.message);
  };
  return warnings;
}

export function restoreWarnings(): void {
  process.emitWarning = emitWarning;
}
