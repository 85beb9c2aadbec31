/** What a program may import: the server, the service of the tasks, and the page of a
 * trace. */
export { startServer, type RunningServer } from './server/server';
export type { ServerOptions } from './server/server-options';
export type { TraceEvent } from './trace/events';
export type { Field, Request, Response, Service } from './http/message';
export { taskService } from './tasks/dispatcher';
export { tracePage } from './page/page';
