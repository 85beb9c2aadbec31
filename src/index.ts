/** What a program may import: the server, the service of the tasks, the page of a trace, and
 * a server that misbehaves on demand. */
import * as server from './server/server';
import type { ServerOptions } from './server/server-options';

export type { RunningServer } from './server/server';
export type { ServerOptions } from './server/server-options';
export type { TraceEvent } from './trace/events';
export type { Field, Request, Response, Service } from './http/message';
export { taskService } from './tasks/dispatcher';
export { tracePage } from './page/page';
export { startReplies } from './study/reply/replies';
export type { RepliesOptions, RunningReplies } from './study/reply/replies';
export type { Asked, ConnectionReport, Reply } from './study/reply/connection';

/** @returns a promise of the listening server. It rejects with a TypeError or RangeError
 * that names the option, or with the system's error. */
export async function startServer(options: ServerOptions): Promise<server.RunningServer> {
  const trace = (options as ServerOptions | null | undefined)?.trace;
  if (typeof trace !== 'function') return server.startServer(options);
  const { withRisk } = await import('./trace/risk.js');
  return server.startServer({ ...options, trace: withRisk(trace) });
}
