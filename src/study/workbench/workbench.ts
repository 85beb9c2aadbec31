/** Servers on this machine: that of the tasks, and that of the page, which shows what the
 * first one does and sends bytes to it. When an experiment of the lab is chosen, a server
 * without a defence joins them. All of them are startServer(). */
import { startServer } from '../../server/server';
import { Bench } from './bench';
import { CONNECTIONS_LIMIT } from './limits';
import { HOST } from './scenes';
import { makeService } from './service';

export interface Workbench {
  /** Of the task server, and of the page. */
  readonly port: number;
  readonly pagePort: number;
  /** "http://127.0.0.1:4000/" */
  readonly address: string;
  stop(): Promise<void>;
}

/** @returns a promise that rejects with the system's error, which names the port */
export async function startWorkbench(port: number, pagePort: number): Promise<Workbench> {
  const bench = new Bench();
  const tasks = await bench.servers.tasks.start(port);
  const service = makeService(bench);
  const maxConnections = CONNECTIONS_LIMIT;
  const settings = { service, host: HOST, port: pagePort, maxConnections };
  const pages = await startServer(settings).catch(async (error: unknown) => {
    await bench.stop();
    throw error;
  });
  bench.origin = `http://${HOST}:${pages.port}`;
  return {
    port: tasks.port,
    pagePort: pages.port,
    address: `${bench.origin}/`,
    stop: async () => {
      await Promise.all([bench.stop(), pages.stop()]);
    },
  };
}
