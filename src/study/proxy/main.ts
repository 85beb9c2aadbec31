/** The command of the naive proxy: npm run proxy -- --to 8080 --mistake content-length */
import { listenFailure } from '../../command/listen-failure';
import { log } from '../../command/output';
import { onSignal, run } from '../../command/run';
import { NaiveProxy } from './naive-proxy';
import { MISTAKES } from '../../naive/naive-request';
import { parseProxyOptions, USAGE, type ProxyOptions } from './options';

void run(async (args) => {
  const options = parseProxyOptions(args);
  if (options === undefined) log(USAGE);
  else await serve(options);
});

async function serve(options: ProxyOptions): Promise<void> {
  const { mistake: name, to } = options;
  const proxy = new NaiveProxy({ ...options, say });
  onSignal(() => proxy.stop());
  const port = await proxy.listen(options.port).catch((error: unknown) => {
    throw listenFailure(error, { host: '127.0.0.1', port: options.port });
  });
  say(`Listening on port ${port}: forwards to port ${to}`);
  say(name === undefined ? 'It makes no mistake' : `Its mistake: it ${MISTAKES[name]}`);
}

function say(line: string): void {
  log(`${line}\n`);
}
