/** The listener of a server: the system reports there what the server cannot cause
 * itself. */
import { Server } from 'node:net';

/** @param start starts one server
 * @returns what it returned, and the listener of the server */
export async function listenerOf<Result>(
  start: () => Promise<Result>,
): Promise<[Result, Server]> {
  const { listen } = Server.prototype;
  let listener: Server | undefined;
  Server.prototype.listen = function (this: Server, ...args: unknown[]): Server {
    listener = this;
    return Reflect.apply(listen, this, args);
  };
  try {
    const result = await start();
    if (listener === undefined) throw new Error('no server was started');
    return [result, listener];
  } finally {
    Server.prototype.listen = listen;
  }
}
