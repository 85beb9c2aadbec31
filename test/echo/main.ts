/** Starts the echo service, without a limit of requests: npm run echo -- 8081 */
import { startServer } from '../../src/index';
import { echo } from './service';

async function main(port = '8081'): Promise<void> {
  const server = await startServer({ service: echo, port: Number(port) });
  console.log(`Echo service on port ${server.port}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void server.stop());
  }
}

main(process.argv[2]).catch((error: unknown) => {
  console.error(String(error));
  process.exitCode = 1;
});
