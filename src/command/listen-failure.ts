import { Failure, reasonOf } from './arguments';

/** @param error of the system
 * @returns why a program could not listen, and what to do about it */
export function listenFailure(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): Failure {
  const { code } = error as NodeJS.ErrnoException;
  const advice: { readonly [code: string]: string } = {
    EADDRINUSE:
      `Port ${port} is in use: stop the program that is using it, or choose another ` +
      'port with --port (0 lets the system choose)',
    EACCES: `No permission to listen on port ${port}: choose one above 1023 with --port`,
    EADDRNOTAVAIL:
      `No network interface of this machine has the address ${host}: ` +
      'choose another with --host',
    ENOTFOUND: `Cannot resolve the host name ${host}: choose another with --host, or leave it out`,
  };
  const known = advice[code === 'EAI_AGAIN' ? 'ENOTFOUND' : (code ?? '')];
  return new Failure(known ?? `Cannot listen on port ${port}: ${reasonOf(error)}`);
}
