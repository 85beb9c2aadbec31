/** An experiment as the commands of a shell, to be played by hand. */
import { CURL, type Experiment, type Sender } from '../experiments';
import { toNetcat, toSteps } from '../shell';

/** The most columns of a line. */
const WIDTH = 90;

/** @param port that of the server, or of the proxy in front of it */
export function toCommands(experiment: Experiment, port: number): string {
  const { clients, mistakes, program } = experiment;
  if (program !== undefined) return `node -e '${program.trimEnd()}'`;
  if (mistakes !== undefined)
    return clients
      .map((sender, at) => {
        if (sender.curl !== undefined) return toCurl(sender, port);
        const isLast = at === clients.length - 1;
        return toSender(sender, port) + (isLast ? '' : '; echo'); // nc prints no line end
      })
      .join('\n');
  if (clients.length === 1) return clients.map((sender) => toSender(sender, port)).join();
  // The server is halted until all clients have sent.
  return [
    ...clients.map((sender, at) => `${toSender(sender, port, 2 + at)} &`),
    'sleep 1; kill -STOP $server',
    `sleep ${clients.length + 1}; kill -CONT $server`,
  ].join('\n');
}

function toCurl({ bytes, curl }: Sender, port: number): string {
  const [start = '', added = ''] = bytes.split(CURL);
  const [, path] = start.split(' ');
  const fields = added.trimEnd().replace(/.+/g, " -H '$&'");
  return `curl${curl === 'whole' ? ' -i' : ''}${fields} localhost:${port}${path}`;
}

/** @param late the client sends so many seconds later */
function toSender(sender: Sender, port: number, late = 0): string {
  const { bytes, counts, isDeaf } = sender;
  const steps = toSteps(bytes).map(breakUp);
  if (late > 0) steps.unshift(`sleep ${late}`);
  const source =
    steps.length === 1 ? steps.join() : `(${steps.join(steps.length < 3 ? '; ' : '\n ')})`;
  const counted = counts === undefined ? '' : ` | (sleep 1; grep -c '${counts}')`;
  const sink = isDeaf === true ? ' | sleep 10' : counted;
  const nc = `| ${toNetcat(bytes, port)}${sink}`;
  const [last = ''] = source.split('\n').slice(-1);
  return `${source}${`${last} ${nc}; echo`.length > WIDTH ? ' \\\n  ' : ' '}${nc}`;
}

/** Cuts the text of a long printf before each request, and where a line is full. */
function breakUp(step: string): string {
  if (step.length < WIDTH) return step;
  const lines = [''];
  for (const part of step.split(/(?<=\\r\\n)|(?=%%|GET \/|POST \/|DELETE \/)/)) {
    const joined = `${lines.at(-1)}${part}`;
    const isFull = joined.length > WIDTH - "printf '\\".length;
    if (isFull || /^(?:GET|POST|DELETE) \/(?!%%)/.test(part)) lines.push(`'${part}`);
    else lines[lines.length - 1] = joined;
  }
  return lines.join("'\\\n").replace(/^printf ''\\\n/, 'printf ');
}
