/** The real server on a port that the system chooses, and clients of it. Whatever a test starts ends with it. */
import { start, type RunningServer, type ServerOptions } from '../../src/server/server';
import { dispatch } from '../../src/tasks/dispatcher';
import { Client } from './client';

export interface TestServer extends RunningServer {
  /** The log so far, a line an element. */
  readonly log: string[];
  client(): Promise<Client>;
}

const running: RunningServer[] = [];
const clients: Client[] = [];

export async function serve(options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const log: string[] = [];
  const server = await start({
    service: ({ method, path }, explain) => dispatch(method, path, explain),
    host: '127.0.0.1',
    clock: () => Date.UTC(1994, 10, 6, 8, 49, 37),
    log: (lines) => log.push(...lines.split('\n').slice(0, -1)),
    ...options,
  });
  running.push(server);
  return {
    port: server.port,
    stopped: server.stopped,
    stop: () => server.stop(),
    log,
    client: async () => {
      const client = await Client.connect(server.port);
      clients.push(client);
      return client;
    },
  };
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.destroy();
  await Promise.all(running.splice(0).map((server) => server.stop()));
});
