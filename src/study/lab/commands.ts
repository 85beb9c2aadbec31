/** An experiment as the commands of a shell, to be played by hand. */
import { expand, piecesOf, readScript, REPEATED } from '../bytes';
import type { Curl, Experiment, Sender } from '../experiments';
import { toWord } from '../shell';

/** @param port that of the server, or of the proxy in front of it
 * @returns lines of at most 90 columns */
export function toCommands(experiment: Experiment, port: number): string {
  const { clients, mistakes, program } = experiment;
  if (program !== undefined) return `node -e '${program.trimEnd()}'`;
  if (mistakes !== undefined)
    return clients
      .map((sender, at) => {
        if (sender.curl !== undefined) return toCurl(sender.curl, port);
        const isLast = at === clients.length - 1;
        return toNetcat(sender, port) + (isLast ? '' : '; echo'); // nc prints no line end
      })
      .join('\n');
  const [first, ...others] = clients;
  if (first === undefined || others.length === 0)
    return clients.map((sender) => toNetcat(sender, port)).join('\n');
  // The server is halted until all clients have sent.
  const pause = clients.length + 1;
  return [
    ...clients.map((sender, at) => `${toNetcat(sender, port, 2 + at)} &`),
    'sleep 1; kill -STOP $server',
    `sleep ${pause}; kill -CONT $server`,
  ].join('\n');
}

function toCurl({ field, isWhole, path }: Curl, port: number): string {
  const shown = isWhole === true ? ' -i' : '';
  const added = field === undefined ? '' : ` -H '${field}'`;
  return `curl${shown}${added} localhost:${port}${path}`;
}

/** @param late the client sends so many seconds later */
function toNetcat(sender: Sender, port: number, late = 0): string {
  const { bytes, counts, reads } = sender;
  const { ending } = readScript(bytes);
  const steps = bytes
    .split(REPEATED)
    .filter((part) => part !== '')
    .flatMap(toSteps);
  if (late > 0) steps.unshift(`sleep ${late}`);
  const isShort = steps.length < 3;
  const source = `(${steps.join(isShort ? '; ' : '\n ')})`;
  const nc = `nc ${ending === 'close' ? '-N ' : ''}localhost ${port}`;
  const reader = counts === undefined ? '' : `grep -c '${counts}'`;
  const sink =
    reads === 'never' ? ' | sleep 10' : reads === 'late' ? ` | (sleep 1; ${reader})` : '';
  const from = steps.length === 1 ? steps.join('') : source;
  const [last = ''] = from.split('\n').slice(-1);
  const isLong = `${last} | ${nc}${sink}; echo`.length > WIDTH;
  return `${from}${isLong ? ' \\\n ' : ''} | ${nc}${sink}`;
}

const WIDTH = 90;

/** A part of what a client sends, as one command. */
function toSteps(part: string): string[] {
  const [, unit = '', times] = /^‹([^]*) × (\d+)›$/.exec(part) ?? [];
  if (times !== undefined && unit.length === 1) {
    const zeros = `head -c ${times} /dev/zero`;
    return [unit === '\0' ? zeros : `${zeros} | tr '\\0' ${unit}`];
  }
  const text = piecesOf(readScript(times === undefined ? part : expand(unit))).join('');
  if (text === '') return [];
  const words = breakUp(text).map(toWord).join('\\\n');
  if (times === undefined) return [`printf ${words}`];
  return [`printf ${words.slice(0, -1)}%.0s' $(seq ${times})`];
}

/** Cuts a long text before each request, and then where a line of the page is full. */
function breakUp(text: string): string[] {
  const fits = (part: string): boolean => toWord(part).length < WIDTH - 'printf \\'.length;
  if (fits(text)) return [text];
  return text.split(/(?=(?:GET|POST|DELETE) \/)/).flatMap((message) => {
    if (fits(message)) return [message];
    const parts = [''];
    for (const line of message.split(/(?<=\r\n)|(?=%)/)) {
      const joined = `${parts.at(-1)}${line}`;
      if (fits(joined)) parts[parts.length - 1] = joined;
      else parts.push(line);
    }
    return parts;
  });
}
