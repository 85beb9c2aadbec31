/** The service of simulated worlds: its path says what it does. */
import type { Response } from '../../src/index';

/** What the service responds. What else it does is up to the player. */
export function respondTo(path: string): Response {
  const [, what, size] = path.split('/');
  if (what === 'empty') return { status: 204, body: '' };
  if (what === 'missing') return { status: 404, body: JSON.stringify({ path }) };
  const filling = what === 'large' ? 'x'.repeat(Number(size)) : '';
  return { status: 200, body: JSON.stringify({ path }) + filling };
}

/** Whether the service throws, or responds with what cannot be sent. */
export function failsFor(path: string): boolean {
  return path.startsWith('/throw/') || path.startsWith('/unsendable/');
}

export const FAILURE = '{"error":"The service failed to respond to this request"}';
