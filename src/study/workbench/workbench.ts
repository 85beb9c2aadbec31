/** Servers on this machine: that of the tasks, and that of the page, which shows what the
 * first one does and sends bytes to it. When something else is chosen, another one joins
 * them. */
import { Failure, listenFailure } from '../../command/arguments';
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

/** @throws Failure where one of the ports cannot be had */
export async function startWorkbench(port: number, pagePort: number): Promise<Workbench> {
  const bench = new Bench();
  const fail = (option: string, wanted: number) => async (error: unknown) => {
    await bench.stop();
    const { message } = listenFailure(error, { host: HOST, port: wanted });
    throw new Failure(message.replaceAll('--port', option));
  };
  const tasks = await bench.servers.tasks.start(port).catch(fail('--port', port));
  const settings = { service: makeService(bench), maxConnections: CONNECTIONS_LIMIT };
  const pages = await startServer({ ...settings, host: HOST, port: pagePort }).catch(
    fail('--page-port', pagePort),
  );
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
