/** What curl sends and prints, for the options that the pages use. */

/** That of Debian 12. Another version names itself; the rest is the same. */
const VERSION = 'curl/7.88.1';

export interface Transfer {
  /** The header section, with the empty line. */
  readonly head: string;
  readonly content: string;
  readonly isHead: boolean;
}

interface Options {
  readonly urls: string[];
  readonly fields: string[];
  readonly flags: Set<string>;
  method: string;
  data: string | undefined;
}

export class Curl {
  readonly transfers: readonly Transfer[];
  private readonly options: Options;

  /** @throws Error for an option that is not known here */
  constructor(args: readonly string[]) {
    this.options = parse(args);
    this.transfers = this.options.urls.map((url) => this.transfer(url));
  }

  /** What is printed for one response. */
  output(
    { head }: Transfer,
    answer: { readonly raw: string; readonly content: string },
  ): string {
    const { flags } = this.options;
    const received = answer.raw.slice(0, answer.raw.length - answer.content.length);
    if (flags.has('v'))
      return `${prefix('> ', head)}${prefix('< ', received)}${answer.content}`;
    return flags.has('i') || flags.has('I') ? answer.raw : answer.content;
  }

  private transfer(url: string): Transfer {
    const [, authority = '', target = '/'] =
      /^(?:http:\/\/)?([^/]+)(\/.*)?$/.exec(url) ?? [];
    const { data, fields, flags, method } = this.options;
    const verb = method || (flags.has('I') ? 'HEAD' : data === undefined ? 'GET' : 'POST');
    const length = `Content-Length: ${data?.length}`;
    const form = 'Content-Type: application/x-www-form-urlencoded';
    const isTyped = fields.some((field) => /^content-type:/i.test(field));
    const lines = [
      `${verb} ${target} HTTP/1.1`,
      `Host: ${authority}`,
      `User-Agent: ${VERSION}`,
      'Accept: */*',
      ...fields,
      ...(data === undefined ? [] : [length]),
      ...(data === undefined || isTyped ? [] : [form]),
    ];
    return {
      head: `${lines.join('\r\n')}\r\n\r\n`,
      content: data ?? '',
      isHead: verb === 'HEAD',
    };
  }
}

function parse(args: readonly string[]): Options {
  const options: Options = {
    urls: [],
    fields: [],
    flags: new Set(),
    method: '',
    data: undefined,
  };
  const left = [...args];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '-X') options.method = left.shift() ?? '';
    else if (word === '-d') options.data = left.shift() ?? '';
    else if (word === '-H') options.fields.push(left.shift() ?? '');
    else if (/^-[viIs]+$/.test(word))
      for (const flag of word.slice(1)) options.flags.add(flag);
    else if (word.startsWith('-')) throw new Error(`curl ${word} cannot be replayed`);
    else options.urls.push(word);
  }
  return options;
}

function prefix(mark: string, head: string): string {
  return head
    .split('\r\n')
    .slice(0, -1)
    .map((line) => `${mark}${line}\n`)
    .join('');
}
