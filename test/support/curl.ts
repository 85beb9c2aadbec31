/** What curl sends and prints, for the options that the pages use. */
import { parseArgs } from 'node:util';

/** That of Debian 12. Another version names itself; the rest is the same. */
const VERSION = 'curl/7.88.1';
const OPTIONS = {
  method: { type: 'string', short: 'X' },
  data: { type: 'string', short: 'd' },
  field: { type: 'string', short: 'H', multiple: true, default: [] as string[] },
  verbose: { type: 'boolean', short: 'v' },
  include: { type: 'boolean', short: 'i' },
  head: { type: 'boolean', short: 'I' },
  silent: { type: 'boolean', short: 's' },
} as const;

export interface Transfer {
  /** The header section, with the empty line. */
  readonly head: string;
  readonly content: string;
  readonly isHead: boolean;
}

export class Curl {
  readonly transfers: readonly Transfer[];
  private readonly options: ReturnType<typeof parse>['values'];

  /** @throws Error for an option that is not known here */
  constructor(args: readonly string[]) {
    const { positionals, values } = parse(args);
    this.options = values;
    this.transfers = positionals.map((url) => this.transfer(url));
  }

  /** What is printed for one response. */
  output(
    { head }: Transfer,
    answer: { readonly raw: string; readonly content: string },
  ): string {
    const { head: isHead, include, verbose } = this.options;
    const received = answer.raw.slice(0, answer.raw.length - answer.content.length);
    if (verbose === true)
      return `${prefix('> ', head)}${prefix('< ', received)}${answer.content}`;
    return include === true || isHead === true ? answer.raw : answer.content;
  }

  private transfer(url: string): Transfer {
    const [, authority = '', target = '/'] =
      /^(?:http:\/\/)?([^/]+)(\/.*)?$/.exec(url) ?? [];
    const { data, field, head, method } = this.options;
    const verb = method ?? (head === true ? 'HEAD' : data === undefined ? 'GET' : 'POST');
    const lines = [`${verb} ${target} HTTP/1.1`, `Host: ${authority}`];
    lines.push(`User-Agent: ${VERSION}`, 'Accept: */*', ...field);
    if (data !== undefined) {
      const isTyped = field.some((line) => /^content-type:/i.test(line));
      lines.push(`Content-Length: ${data.length}`);
      if (!isTyped) lines.push('Content-Type: application/x-www-form-urlencoded');
    }
    const isHead = verb === 'HEAD';
    return { head: `${lines.join('\r\n')}\r\n\r\n`, content: data ?? '', isHead };
  }
}

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
}

function prefix(mark: string, head: string): string {
  return head
    .split('\r\n')
    .slice(0, -1)
    .map((line) => `${mark}${line}\n`)
    .join('');
}
