/** The trace of a short conversation, in its colours, as a picture: a request that arrives
 * in two pieces, and one that is rejected. */
import { SYSTEM } from '../../src/server/system';
import type { TraceEvent } from '../../src/trace/events';
import { TraceFormatter } from '../../src/trace/terminal';
import { Client } from './client';
import { Notifier } from './notifier';
import { serve } from './test-server';

/** Each connection: the pieces that it sends, and the events that are shown. */
const CONVERSATION = [
  {
    pieces: ['GET /ta', 'sks HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
    shown: [
      'read',
      'wait',
      'parse',
      'frame',
      'keep',
      'queue',
      'turn',
      'route',
      'write',
      'close',
    ],
  },
  {
    pieces: ['GET / HTTP/1.1\r\nHost : localhost\r\n\r\n'],
    shown: ['read', 'reject', 'close'],
  },
];
/** So many milliseconds are between two pieces, and between two connections, for the
 * reader. */
const PAUSE = 1000;

/** In columns, and in pixels. */
const COLUMNS = 80;
const [CHAR, LINE, MARGIN, SIZE] = [7.5, 18, 20, 12.5];

/** How each style of the trace looks: its colour, and the attributes of its text. */
const STYLES: Readonly<Record<string, readonly [colour: string, attributes?: string]>> = {
  '1': ['#e6edf3', 'font-weight="bold"'],
  '38;5;243': ['#848d97'],
  '38;5;28': ['#7ee787'],
  '38;5;63': ['#79c0ff'],
  '38;5;160': ['#ff7b72'],
  '1;38;5;160': ['#ff7b72', 'font-weight="bold"'],
};
const INVERSE = '7;38;5;160';
const WRONG = '#ff7b72';
const [FOREGROUND, BACKGROUND] = ['#e6edf3', '#0d1117'];
const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";

/** @param previous the picture that is there
 * @returns the picture, and whether the previous one equals it but for times and dates */
export async function drawTrace(
  previous: string,
): Promise<{ svg: string; isEqual: boolean }> {
  const svg = draw(await converse());
  return { svg, isEqual: blur(previous) === blur(svg) };
}

function blur(svg: string): string {
  const time = /\d+\.\d{3}(?=\s*c\d)/g;
  const date = /\w{3},\s\d\d\s\w{3}\s\d{4}\s[\d:]{8}/g;
  return svg.replace(time, 'time').replace(date, 'date');
}

/** Holds the conversation with a server. @returns the lines of its trace */
async function converse(): Promise<string[]> {
  const formatter = new TraceFormatter(true, { columns: COLUMNS });
  const changes = new Notifier();
  const lines = ['$ node dist/main.js --trace'];
  let seen: string[] = [];
  let pause = 0;
  const trace = (event: TraceEvent): void => {
    const { shown = [] } = CONVERSATION[event.connection - 1] ?? {};
    const isFirst = seen.includes('read') || event.type !== 'wait';
    if (shown.includes(event.type) && isFirst) {
      const text = formatter.format({ ...event, at: event.at + pause });
      lines.push(...text.split('\n').slice(0, -1));
    }
    seen.push(event.type);
    changes.notify();
  };
  const server = await serve({ maxRequests: 10, trace }, SYSTEM);
  for (const { pieces } of CONVERSATION) {
    seen = [];
    const client = await server.client();
    for (const piece of pieces) {
      await changes.until(() => seen.includes('wait'));
      seen = seen.filter((type) => type !== 'wait');
      client.socket.write(piece);
      await changes.until(() =>
        ['wait', 'idle', 'close'].some((type) => seen.includes(type)),
      );
      pause += PAUSE;
    }
    await leave(client);
    await changes.until(() => seen.includes('gone'));
  }
  return lines;
}

async function leave(client: Client): Promise<void> {
  client.end();
  await client.closed();
}

function draw(lines: readonly string[]): string {
  const width = 2 * MARGIN + COLUMNS * CHAR;
  const height = 2 * MARGIN + lines.length * LINE;
  const drawn = lines.flatMap((line, index) =>
    drawLine(line, MARGIN + (index + 0.75) * LINE),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    '<title>A trace of two requests: one arrives in two pieces, one is rejected</title>',
    `<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>`,
    `<g font-family="${FONT}" font-size="${SIZE}" fill="${FOREGROUND}">`,
    ...drawn,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** Each column has its width, whatever the font. */
function drawLine(line: string, y: number): string[] {
  const runs = split(line);
  const length = runs.reduce((sum, { text }) => sum + text.length, 0);
  if (length === 0) return [];
  let column = 0;
  const boxes: string[] = [];
  const spans = runs.map(({ text, style }) => {
    const x = MARGIN + column * CHAR;
    column += text.length;
    if (style === INVERSE) {
      const box = `x="${x}" y="${y - 0.75 * LINE}" width="${text.length * CHAR}" height="${LINE}"`;
      boxes.push(`<rect ${box} fill="${WRONG}"/>`);
      return `<tspan fill="${BACKGROUND}">${escape(text)}</tspan>`;
    }
    const [colour, attributes] = STYLES[style] ?? [];
    if (colour === undefined) return escape(text);
    const more = attributes === undefined ? '' : ` ${attributes}`;
    return `<tspan fill="${colour}"${more}>${escape(text)}</tspan>`;
  });
  const size = `textLength="${length * CHAR}"`;
  return [...boxes, `<text x="${MARGIN}" y="${y}" ${size}>${spans.join('')}</text>`];
}

/** The parts of a line by their styles. */
function split(line: string): { readonly text: string; readonly style: string }[] {
  const parts = line.split('\x1b[').map((part, index) => {
    if (index === 0) return { text: part, style: '' };
    const [, style = '', text = ''] = /^([\d;]+)m([^]*)$/.exec(part) ?? [];
    return { text, style };
  });
  return parts.filter(({ text }) => text !== '');
}

/** Every space as one that is never joined with others. */
function escape(text: string): string {
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
  return escaped.replaceAll(' ', '\u00a0');
}
