/** The real server on a port that the system chooses, and clients of it. What a test starts
 * ends with the test. */
import { createServer, type Server } from 'node:net';
import { taskService, type RunningServer, type ServerOptions } from '../../src/index';
import { startServer } from '../../src/server/server';
import { SYSTEM, type System } from '../../src/server/system';
import { Client } from './client';

export interface TestServer extends RunningServer {
  /** The log so far, one line per element. */
  readonly log: string[];
  /** The system reports there what the server cannot cause itself. */
  readonly listener: Server;
  client(): Promise<Client>;
}

/** The time of every response: the example of 9110 §5.6.7. */
export const DATE = 'Sun, 06 Nov 1994 08:49:37 GMT';

const running: RunningServer[] = [];
const clients: Client[] = [];

const TEST_SYSTEM: System = { ...SYSTEM, date: () => Date.parse(DATE) };

export async function serve(
  options: Partial<ServerOptions> = {},
  system = TEST_SYSTEM,
): Promise<TestServer> {
  const log: string[] = [];
  const here: ServerOptions = {
    service: taskService,
    host: '127.0.0.1',
    log: (lines) => log.push(...lines.split('\n').slice(0, -1)),
  };
  let listener = createServer(); // until the server has its own
  const createListener: System['createListener'] = (...args) =>
    (listener = system.createListener(...args));
  const server = await startServer({ ...here, ...options }, { ...system, createListener });
  running.push(server);
  return {
    port: server.port,
    stopped: server.stopped,
    stop: () => server.stop(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    log,
    listener,
    client: async () => {
      const client = await Client.connect(server.port);
      clients.push(client);
      return client;
    },
  };
}

export async function stopServers(): Promise<void> {
  for (const client of clients.splice(0)) client.socket.destroy();
  await Promise.all(running.splice(0).map((server) => server.stop()));
}
