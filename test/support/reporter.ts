/** What `npm test` prints: a line for each file, everything about what fails, and what this
 * machine cannot run. (`npm test -- --reporter spec` prints the title of each test.) */
import { reporters, Runner, type MochaOptions, type Suite, type Test } from 'mocha';
import { relative } from 'node:path';
import { notRun } from './not-run';

const { EVENT_RUN_END, EVENT_SUITE_END, EVENT_TEST_FAIL, EVENT_TEST_PASS } =
  Runner.constants;

class FileReporter extends reporters.Base {
  private file = '';
  private passed = 0;
  /** The titles of the tests of the file that failed. */
  private failed: string[] = [];

  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    runner.on(EVENT_TEST_PASS, (test) => {
      this.enter(test);
      this.passed += 1;
    });
    // A hook that fails is told as a test.
    runner.on(EVENT_TEST_FAIL, (test) => {
      this.enter(test);
      this.failed.push(test.fullTitle());
    });
    runner.on(EVENT_SUITE_END, ({ root }: Suite) => root && this.leave());
    runner.once(EVENT_RUN_END, () => {
      this.leave();
      this.epilogue();
      for (const sentence of notRun()) console.log(`  ${sentence}\n`);
    });
  }

  private enter({ file = '' }: Test): void {
    if (file !== this.file) this.leave();
    this.file = file;
  }

  /** The tests of a file come together, whichever process ran them. */
  private leave(): void {
    const { failed, file, passed } = this;
    if (passed + failed.length === 0) return;
    const name = relative(process.cwd(), file) || 'no file';
    const { color, symbols } = reporters.Base;
    const line = `${name}: ${passed} passed`;
    if (failed.length === 0) console.log(`  ${color('checkmark', symbols.ok)} ${line}`);
    else console.log(color('fail', `  ${symbols.err} ${line}, ${failed.length} failed`));
    for (const title of failed) console.log(color('fail', `      ${title}`));
    this.passed = 0;
    this.failed = [];
  }
}

export = FileReporter;
