/** The options of the lab. */
import {
  parseArguments,
  UsageError,
  valueError,
  wholeNumber,
} from '../../command/arguments';
import { EXPERIMENTS } from '../experiments';

export const USAGE = `Usage: npm run lab -- NUMBER [--play] [--trace] [--free-ports]

Sets up an experiment of src/LAB.md: two servers, one of them without one of its defences. It
prints what to type. Control-C ends it. Only programs of this machine can connect to them.

  --play          play the experiment, and show both outcomes side by side
  --trace         show the traces of both servers
  --free-ports    let the system choose the ports, if 8080, 8081, 8000 or 8001 is in use
  --help          print this help
`;

const OPTIONS = {
  play: { type: 'boolean', default: false },
  trace: { type: 'boolean', default: false },
  'free-ports': { type: 'boolean', default: false },
  help: { type: 'boolean' },
} as const;

export type LabOptions = NonNullable<ReturnType<typeof parseLabOptions>>;

/** @returns undefined where --help is asked for
 * @throws UsageError */
export function parseLabOptions(args: readonly string[]) {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: OPTIONS,
  });
  if (values.help === true) return undefined;
  const [word, ...others] = positionals;
  if (word === undefined) throw new UsageError('The number of an experiment is missing');
  if (others.length > 0) throw valueError('The lab', 'one number', positionals.join(' '));
  const number = wholeNumber('The lab', word, 1, EXPERIMENTS.length);
  const experiment = EXPERIMENTS[number - 1];
  if (experiment === undefined) throw new Error(`no experiment ${number}`);
  const { play: isPlayed, trace: isTraced, 'free-ports': hasFreePorts } = values;
  return { experiment, isPlayed, isTraced, hasFreePorts };
}
