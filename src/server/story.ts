/**
 * The story of every connection as a learner reads it: an event a line, and below it the octets that it speaks of. Knows no rule: each
 * sentence comes with its event.
 */
import { inWords } from '../http/failure';
import type { TraceEvent } from './trace';

/** Octets shown of one read, write or name, and chunk lines of one message. What is beyond is counted. */
const OCTETS = 256;
const CHUNKS = 8;
/** Where the text of a line starts, behind time, connection and verb. */
const MARGIN = 20;

const COLOURS = { dim: 2, red: 31, green: 32, blue: 34 } as const;

/** Colour: never where NO_COLOR is set; else where FORCE_COLOR is; else on a terminal that can show it. */
export function inColour(env: { readonly [name: string]: string | undefined }, isTerminal: boolean): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR']) return true;
  return isTerminal && env['TERM'] !== 'dumb';
}

export class Story {
  constructor(private readonly coloured: boolean) {}

  /** @returns the lines of an event, each with its line end, in ASCII */
  lines(event: TraceEvent): string {
    switch (event.type) {
      case 'listening':
        return this.line(event, 'listen', `port ${event.port}`);
      case 'stopping':
        return this.line(event, 'stop', event.why);
      case 'stopped':
        return this.line(event, 'stop', 'everything is closed');
      case 'open':
        return this.line(event, 'open', event.remote);
      case 'read':
        return this.line(event, 'read', bytes(event.octets.length)) + this.octets(event.octets, event.offset, 'green');
      case 'wait':
        return this.line(event, 'wait', `for ${event.missing} (${inWords(event.section)})`);
      case 'request line':
        return this.line(event, 'parse', `request line: ${shown(event.method)}, ${event.form}, path "${shown(event.path)}", ${event.version} (${inWords('9112 3')})`);
      case 'header section': {
        const host = event.host === undefined ? 'no Host' : `Host "${shown(event.host)}"`;
        return this.line(event, 'parse', `${event.lines.length} field line${event.lines.length === 1 ? '' : 's'}, ${host} (${inWords('9112 3.2')})`);
      }
      case 'framing':
        return this.line(event, 'frame', `${event.framing.why} (${inWords('9112 6.3')}, rule ${event.framing.rule})`);
      case 'expectation':
        return this.line(event, 'expect', `the client waits for 100 (Continue) before it sends its content (${inWords('9110 10.1.1')})`);
      case 'persistence': {
        const { persists, why, section } = event.persistence;
        return this.line(event, 'keep', `${persists ? 'stays open' : 'closes after the answer'}: ${why} (${inWords(section)})`);
      }
      case 'chunk': {
        const { number, size, data } = event;
        if (number > CHUNKS) return '';
        return this.line(event, 'parse', `chunk ${number}: size ${size.toString(16)} = ${size}, data ${data}-${data + size - 1} (${inWords('9112 7.1')})`);
      }
      case 'last chunk': {
        const { number, line, trailerLines, end, content } = event;
        const more = number - 1 > CHUNKS ? `${number - 1 - CHUNKS} more chunks, then the ` : '';
        const trailer = `${trailerLines === 0 ? 'no' : trailerLines} trailer field${trailerLines === 1 ? '' : 's'}`;
        return this.line(event, 'parse', `${more}last chunk at ${line}, ${trailer}, end at ${end}: ${bytes(content)} of content (${inWords('9112 7.1')})`);
      }
      case 'queue':
        return this.line(event, 'queue', `complete; place ${event.place}${event.behind === undefined ? '' : `, behind c${event.behind}`}`);
      case 'full':
        return this.line(event, 'queue', 'the client does not take the answers before: no turn until it does');
      case 'turn':
        return this.line(event, 'turn', `request ${event.request}${event.of === 0 ? '' : ` of ${event.of}`}`);
      case 'route':
        return this.line(event, 'route', `${event.way.map((word, at) => (at % 2 === 0 ? word : ` -${word}-> `)).join('')} = ${event.status}`);
      case 'write': {
        const octets = Buffer.from(event.text, 'latin1');
        return this.line(event, 'write', bytes(octets.length)) + this.octets(octets, 0, 'blue');
      }
      case 'idle':
        return this.line(event, 'idle', `waiting for the next request, closes in ${event.seconds} s`);
      case 'refuse': {
        const { failure, excerpt } = event;
        const caret = this.caret(excerpt.octets, excerpt.offset, failure.offset);
        return this.line(event, 'reject', `${failure.status} ${failure.sentence} (${inWords(failure.section)})`, 'red') + caret + aside('not handled: not logged, not counted');
      }
      case 'end':
        return this.line(event, 'end', 'the client sends no more');
      case 'drop':
        return this.line(event, 'drop', `${bytes(event.count)}, unread: nothing is answered any more (${inWords('9112 9.6')})`);
      case 'close':
        return this.line(event, 'close', `${event.why} (${inWords(event.section)})`);
      case 'gone':
        return this.line(event, 'gone', 'both sides are closed');
    }
  }

  private line({ at, connection }: TraceEvent, verb: string, text: string, colour?: 'red'): string {
    const who = connection === 0 ? '--' : `c${connection}`;
    return `${(at / 1000).toFixed(3).padStart(7)} ${who.padEnd(3)} ${this.paint(`${verb.padEnd(6)} ${text}`, colour)}\n`;
  }

  /** Octets, a line of theirs a line, each with its offset. */
  private octets(octets: Buffer, offset: number, colour: 'green' | 'blue'): string {
    let text = '';
    const shown = Math.min(octets.length, OCTETS);
    for (let from = 0; from < shown; ) {
      const lineFeed = octets.indexOf(0x0a, from);
      const to = lineFeed < 0 ? shown : Math.min(lineFeed + 1, shown);
      text += this.excerpt(offset + from, this.paint(visible(octets.toString('latin1', from, to)), colour));
      from = to;
    }
    return octets.length > shown ? text + aside(`... ${octets.length - shown} more`) : text;
  }

  /** The line that holds a wrong octet, and below it a mark that shows where. */
  private caret(octets: Buffer, offset: number, wrong: number): string {
    if (octets.length === 0) return '';
    const from = Math.max(0, wrong - offset - OCTETS / 2);
    const before = visible(octets.toString('latin1', from, wrong - offset));
    const rest = visible(octets.toString('latin1', wrong - offset, from + OCTETS));
    return this.excerpt(offset + from, this.paint(before + rest, 'red')) + `${' '.repeat(MARGIN - 3)}| ${' '.repeat(before.length)}^ byte ${wrong}\n`;
  }

  private excerpt(offset: number, text: string): string {
    return `${this.paint(String(offset).padStart(MARGIN - 4), 'dim')} | ${text}\n`;
  }

  private paint(text: string, colour: keyof typeof COLOURS | undefined): string {
    return this.coloured && colour !== undefined ? `\x1b[${COLOURS[colour]}m${text}\x1b[0m` : text;
  }
}

function aside(text: string): string {
  return `${' '.repeat(MARGIN - 1)}${text}\n`;
}

function bytes(count: number): string {
  return count === 1 ? '1 byte' : `${count} bytes`;
}

/** What a message says, in a sentence of ours. */
function shown(text: string): string {
  return visible(text.slice(0, OCTETS)) + (text.length > OCTETS ? `... ${text.length - OCTETS} more` : '');
}

/** Nothing that a client sends reaches the terminal raw: control octets, DEL and everything over it are escaped, and so is the escape. */
function visible(text: string): string {
  const named: { readonly [character: string]: string } = { '\r': '\\r', '\n': '\\n', '\t': '\\t', '\\': '\\\\' };
  return text.replace(/[^\x20-\x5b\x5d-\x7e]/g, (character) => named[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
