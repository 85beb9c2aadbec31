/** The scripts of the experiments with a proxy: an attacker sends bytes with nc, and when they have
 * had their effect, a victim asks for something with curl. */
import { Client } from '../support/client';
import { Command } from '../support/command';
import { Curl } from '../support/curl';
import { LabServer } from './laboratory';
import { readPipelines, type Outcome } from './scripts';
import { join } from 'node:path';

const LEFT_OVER = 'left over: ';

/** What the attacker and the victim get, each on lines of its own. */
export interface ProxiedOutcome extends Outcome {
  readonly attacker: string;
  readonly victim: string;
}

/** @param command that starts the proxy, for example "npm run proxy -- --to 8080 --mistake number"
 * @param folder of the build that both the server and the proxy are taken from */
export async function playProxied(
  command: string,
  script: string,
  folder: string,
): Promise<ProxiedOutcome> {
  const [, mistake] = /^npm run proxy -- --to 8080 --mistake (\S+)$/.exec(command) ?? [];
  const [pipeline, ...others] = readPipelines(script);
  const [, url] = /\ncurl (\S+)$/.exec(script) ?? [];
  const isKnown = mistake !== undefined && url !== undefined && others.length === 0;
  if (!isKnown || pipeline?.halfCloses !== true) {
    throw new Error(`cannot be played:\n${command}\n${script}`);
  }
  const server = new LabServer(folder);
  await server.start();
  try {
    const main = join(folder, 'dist', 'study', 'proxy', 'main.js');
    const to = String(server.port);
    const proxy = Command.runFile(main, '--port', '0', '--to', to, '--mistake', mistake);
    const port = await proxy.port;

    const sender = await Client.connect(port);
    for (const piece of pipeline.pieces) sender.socket.write(piece);
    sender.end();
    const { rest } = await sender.closed();
    // Either the server closes the connection to the proxy, or it has sent a response too many.
    await Promise.race([server.heard('close'), proxy.printedTimes('stdout', LEFT_OVER, 1)]);

    const curl = new Curl([url]);
    const [transfer] = curl.transfers;
    if (transfer === undefined) throw new Error(`no transfer: ${url}`);
    const asker = await Client.connect(port);
    asker.socket.write(transfer.head, 'latin1');
    const victim = curl.output(transfer, await asker.answer());
    asker.end();
    if (proxy.stdout.includes(LEFT_OVER)) await proxy.printedTimes('stdout', LEFT_OVER, 2);

    const attacker = rest.replaceAll('\r\n', '\n');
    const [, , ...lines] = proxy.stdout.trimEnd().split('\n');
    const turns = server.count('turn');
    const said = { trace: server.trace(), log: server.log, turns, proxy: lines.join('\n') };
    return { answer: `${attacker}\n${victim}`, attacker, victim, ...said };
  } finally {
    await server.stop();
  }
}
