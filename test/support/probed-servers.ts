/** The probe, and servers for it that do anything but speak HTTP well. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { After } from '../../src/study/timer';
import { parseProbeOptions } from '../../src/study/probe/options';
import { breaksMust, formatReport } from '../../src/study/probe/report';
import { compare } from '../../src/study/probe/target';
import { flood } from './client';
import { inThread } from './command';

const PROBE = join(__dirname, '..', '..', 'dist', 'study', 'probe', 'main.js');

/** Runs the command. @returns how it ended, and what it printed */
export const runProbe = (...args: string[]) => inThread(PROBE, args).ended();

/** The milliseconds that pass in each round of the event loop, if a test counts rounds. */
const ROUND_MS = 20;

/** Counts rounds of the event loop, not time: however slow the machine is, what the servers
 * of this process have sent is read before a time limit is over. */
export const afterRounds: After = (milliseconds, act) => {
  let left = milliseconds / ROUND_MS;
  const round = (): void => {
    left -= 1;
    if (left > 0) timer = setTimeout(round, 1);
    else act();
  };
  let timer = setTimeout(round, 1); // a timer lets the sockets be read in between
  return () => clearTimeout(timer);
};

/** Probes in this process. @returns what the command would print, and its exit code */
export async function probe(...args: string[]) {
  const options = parseProbeOptions(args);
  const report = await compare(options, () => {}, afterRounds);
  const stdout = formatReport(report, 160);
  return { code: breaksMust(report) ? 1 : 0, stdout };
}

const running = new Set<Server>();
const sockets = new Set<Socket>();

/** @returns its address, as the probe takes it */
export async function listen(server: Server): Promise<string> {
  running.add(server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that does this with each connection once something has arrived. */
export const talking = (talk: (socket: Socket, bytes: Buffer) => void): Promise<string> =>
  listen(createServer((socket) => socket.on('data', (bytes) => talk(socket, bytes))));

/** Never stops sending. @param start what comes first */
export const sendForever = (start: string) => (socket: Socket) => {
  socket.write(start);
  flood(socket, 'x'.repeat(65_536));
};

export function closeProbed(): void {
  for (const server of running) server.close();
  for (const socket of sockets) socket.destroy();
  running.clear();
}
