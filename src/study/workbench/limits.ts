/** The limits of the workbench itself, which the page and its server know. */

/** The most bytes of one send, and those of all sends that are under way. */
export const SEND_LIMIT = 1_048_576;
export const WAITING_LIMIT = 8 * SEND_LIMIT;
/** The most connections that may be open. */
export const CONNECTIONS_LIMIT = 100;
/** The most cuts of one send, and the longest pause at one. */
export const CUTS_LIMIT = 400;
export const PAUSE_LIMIT_MS = 120_000;
