import { expect } from 'chai';
import { UsageError } from '../../../src/command/arguments';
import { parseProbeOptions } from '../../../src/study/probe/options';

describe('the options of the probe', () => {
  for (const [args, why] of [
    [[], /name a server/],
    [['8080'], /HOST:PORT/],
    [['http://localhost:80/'], /HOST:PORT/],
    [['a:0'], /HOST:PORT/],
    [['a:80', 'b:80'], /one server at a time/],
    [['a:80', '--only', 'no-such-word'], /no case has the word "no-such-word"/],
    [['a:80', '--host', 'a b'], /--host/],
    [['--show', 'pipelin'], /perhaps pipelined, /],
    [['\x1b[31m'], /\\x1b\[31m/],
    [['--no-such-option'], /--no-such-option/],
  ] as const) {
    it(`${args.join(' ').replace('\x1b', '\\x1b') || 'no argument'} is explained`, () => {
      expect(() => parseProbeOptions(args)).to.throw(UsageError, why);
    });
  }

  for (const [tag, has, hasNot] of [
    ['smuggling', 'length-and-chunked', 'no-host'],
    ['flooding', 'long-target', 'length-and-chunked'],
    ['injection', 'nul-in-field-value', 'get'],
  ] as const) {
    it(`--only ${tag} takes the cases of that attack`, () => {
      const options = parseProbeOptions(['a:80', '--only', tag]);
      if (options === 'help' || 'show' in options) throw new Error('it does not probe');
      const names = options.groups.flatMap(({ cases }) => cases.map(({ name }) => name));
      expect(names).to.include(has).and.not.include(hasNot);
    });
  }
});
