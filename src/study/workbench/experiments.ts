/** The experiments of the lab (src/LAB.md) that the page can play: what their clients
 * send. */
import type { Experiment } from '../experiments';
import { expand } from '../bytes';

/** More than this is no request to look at. */
const BYTES_LIMIT = 16_384;

/** A client of an experiment. */
interface Client {
  readonly who: string;
  /** What it sends, in the notation of bytes.ts. */
  readonly text: string;
  /** Whether it begins together with the next one. */
  readonly isHeld: boolean;
}

/** @returns the clients in the order in which they send, or none where the page cannot play
 * it: a client sends too much, or reads late or never, or there is no client */
export function sendersOf({ clients, mistakes }: Experiment): Client[] {
  const isPlayable = clients.every(
    ({ bytes, reads }) => reads === undefined && expand(bytes).length <= BYTES_LIMIT,
  );
  if (!isPlayable) return [];
  const isProxied = mistakes !== undefined;
  return clients.map(({ bytes, who }, index) => ({
    who: isProxied ? who : `client ${index + 1}`,
    text: expand(bytes),
    isHeld: !isProxied && index < clients.length - 1,
  }));
}

/** @returns the name of the server of an experiment that has the defence */
export function defendedName({ number, service }: Experiment): string {
  return service === 'redirect' ? `${number}-defended` : service;
}
