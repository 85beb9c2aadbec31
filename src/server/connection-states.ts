/** The states of a connection: see the diagram in the README. */
import type { TransitionTable } from './state-machine';

/**
 * reading    no complete request is here
 * queued     holds a complete request, which waits for its turn
 * blocked    holds one, but the client does not take the answers to earlier ones: it gets no turn
 * lingering  nothing more is answered; what arrives is dropped until the client closes (9112 §9.6)
 */
export type ConnectionState = 'reading' | 'queued' | 'blocked' | 'lingering' | 'closed';
type ClientEvent = 'closed';
export type OwnEvent =
  | 'complete' | 'rejected' | 'inputEnded' | 'timedOut'
  | 'responded' | 'finalResponse' | 'writeBlocked' | 'drained' | 'stopped';

export const CONNECTION = {
  reading: {
    complete: 'queued', rejected: 'lingering', inputEnded: 'lingering', timedOut: 'lingering',
    stopped: 'lingering', closed: 'closed',
  },
  queued: {
    responded: 'reading', finalResponse: 'lingering', writeBlocked: 'blocked',
    stopped: 'lingering', closed: 'closed',
  },
  blocked: { drained: 'queued', timedOut: 'closed', stopped: 'lingering', closed: 'closed' },
  lingering: { timedOut: 'closed', closed: 'closed' },
  closed: { closed: 'closed' },
} as const satisfies TransitionTable<ConnectionState, ClientEvent, OwnEvent>;

/** What becomes of bytes that arrive, in each state. */
export const INTAKE: { readonly [S in ConnectionState]: 'read' | 'keep' | 'drop' } = {
  reading: 'read', queued: 'keep', blocked: 'keep', lingering: 'drop', closed: 'drop',
};
