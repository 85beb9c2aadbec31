/** What curl sends and prints, for the options that the pages use. */
import { parseArgs } from 'node:util';
import type { Answer } from './client';

/** That of Debian 12. Another version names itself; the rest is the same. */
const VERSION = 'curl/7.88.1';
const OPTIONS = {
  data: { type: 'string', short: 'd' },
  include: { type: 'boolean', short: 'i' },
} as const;

export class Curl {
  /** What it sends. */
  readonly request: string;
  private readonly showsHead: boolean;

  /** @throws Error for an option that is not known here */
  constructor(args: readonly string[]) {
    const options = { args: [...args], options: OPTIONS, allowPositionals: true };
    const { positionals, values } = parseArgs(options);
    const [, authority = '', target = '/'] =
      /^([^/]+)(\/.*)?$/.exec(positionals[0] ?? '') ?? [];
    const { data, include = false } = values;
    const lines = [
      `${data === undefined ? 'GET' : 'POST'} ${target} HTTP/1.1`,
      `Host: ${authority}`,
      `User-Agent: ${VERSION}`,
      'Accept: */*',
    ];
    if (data !== undefined)
      lines.push(
        `Content-Length: ${data.length}`,
        'Content-Type: application/x-www-form-urlencoded',
      );
    this.request = [...lines, '', data ?? ''].join('\r\n');
    this.showsHead = include;
  }

  /** What is printed for a response. */
  output({ content, raw }: Answer): string {
    return this.showsHead ? raw : content;
  }
}
