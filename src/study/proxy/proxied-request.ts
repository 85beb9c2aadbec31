/** How much of a request the naive proxy holds before it forwards it. */
import {
  readNaively,
  Unreadable,
  type Mistake,
  type NaiveRequest,
} from '../../naive/naive-request';

/** The most bytes of a request. */
export const REQUEST_LIMIT = 16_384;

/** A request that the proxy can forward. */
export interface ProxiedRequest extends NaiveRequest {
  /** Whether all of it is here. A chunk that is too long to be held never is. */
  readonly isComplete: boolean;
}

/** A request that the proxy does not hold. */
export class TooLarge extends Unreadable {
  constructor(readonly status: string) {
    super(`A request exceeds ${REQUEST_LIMIT} bytes`);
  }
}

/** Reads the first request of some bytes.
 * @param text each byte is one character
 * @returns undefined where more bytes are needed
 * @throws Unreadable, and TooLarge where they could not be held */
export function readRequest(text: string, mistake?: Mistake): ProxiedRequest | undefined {
  const request = readNaively(text, mistake);
  if (request === undefined) {
    if (text.length <= REQUEST_LIMIT) return undefined;
    throw new TooLarge('431 Request Header Fields Too Large');
  }
  const { end, isEndKnown, isMistaken } = request;
  if (end > REQUEST_LIMIT || (!isEndKnown && text.length > REQUEST_LIMIT)) {
    const isEndless = isMistaken && !isEndKnown && mistake === '64-bit';
    if (isEndless) return { ...request, isComplete: false };
    throw new TooLarge('413 Content Too Large');
  }
  const isComplete = isEndKnown && end <= text.length;
  return isComplete ? { ...request, isComplete } : undefined;
}
