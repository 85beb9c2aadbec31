/** The experiments of the lab (src/LAB.md) that the page can play: what their clients
 * send. */
import type { Experiment } from '../lab/experiments';
import { readPipelines, readProgram, readStatements, type Pipeline } from '../lab/script';

/** More than this is no request to look at. */
const BYTES_LIMIT = 16_384;

/** A client of an experiment. */
export interface Sender {
  readonly who: string;
  /** A character for each byte. */
  readonly bytes: string;
  /** Whether it begins together with the next one. */
  readonly isHeld: boolean;
}

/** @returns the clients in the order in which they send, or none where the page cannot play
 * it: a client sends too much, or reads late or never, or there is no client */
export function sendersOf({ mistake, script }: Experiment): Sender[] {
  if (mistake !== undefined)
    return readStatements(script.text).map(({ type, bytes }) => ({
      who: type === 'curl' ? 'victim' : 'attacker',
      bytes: bytes.toString('latin1'),
      isHeld: false,
    }));
  const pipelines = readPipelines(script.text);
  if (!pipelines.every(isPlayable)) return [];
  return pipelines.map(({ pieces }, index) => ({
    who: `client ${index + 1}`,
    bytes: Buffer.concat(pieces).toString('latin1'),
    isHeld: index < pipelines.length - 1,
  }));
}

function isPlayable({ pieces, reading }: Pipeline): boolean {
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return bytes <= BYTES_LIMIT && reading === 'at once';
}

/** @returns the name of the server of an experiment that has the defence */
export function defendedName({ isEcho, number, script }: Experiment): string {
  if (isEcho) return 'echo';
  return readProgram(script.text) === undefined ? 'tasks' : `${number}-defended`;
}
