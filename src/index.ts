/** What a program may import: the server, the service of the tasks, the page of a trace, and
 * a server that misbehaves on demand. */
export { startServer, type RunningServer } from './server/server';
export type { ServerOptions } from './server/server-options';
export type { TraceEvent } from './trace/events';
export type { Field, Request, Response, Service } from './http/message';
export { taskService } from './tasks/dispatcher';
export { tracePage } from './page/page';
export {
  startReplies,
  type RepliesOptions,
  type RunningReplies,
} from './study/reply/replies';
export type { Asked, ConnectionReport, Reply } from './study/reply/connection';
