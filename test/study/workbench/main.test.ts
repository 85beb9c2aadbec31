import { expect } from 'chai';
import { Failure, UsageError } from '../../../src/command/arguments';
import { Bench } from '../../../src/study/workbench/bench';
import { parseWorkbenchOptions } from '../../../src/study/workbench/options';
import { serve } from '../../support/test-server';

describe('the command of the workbench', () => {
  for (const [args, message] of [
    [['--port', '65536'], '--port takes a whole number from 0 to 65535, not "65536"'],
    [['--page-port', 'x'], '--page-port takes a whole number from 0 to 65535, not "x"'],
    [['--port', '80', '--page-port', '80'], '--port and --page-port must differ'],
    [['--host', '0.0.0.0'], 'There is no option --host'],
  ] as const)
    it(`says what is wrong with ${args.join(' ')}`, () => {
      expect(() => parseWorkbenchOptions(args)).to.throw(UsageError, message);
    });

  it('says in one line which port is in use', async () => {
    const { port } = await serve();
    for (const [option, ports] of [
      ['--port', [port, 0]],
      ['--page-port', [0, port]],
    ] as const) {
      const error: unknown = await Bench.start(ports[0], ports[1]).catch(
        (failure: unknown) => failure,
      );
      if (!(error instanceof Failure)) throw new Error('it started');
      expect(error.message).to.match(new RegExp(`^Port ${port} is in use: .* ${option} `));
    }
  });
});
