/** Bytes as text that can be typed: a line break is CRLF, "¬" before it makes it a bare LF,
 * "\xNN" is a byte, "‖" cuts the bytes in two, and "‖600‖" does it with a pause of 600
 * milliseconds. Any other character is its bytes in UTF-8. What the sender does after the
 * last byte may stand at the end, as in "‖close‖". Pure: it also runs in a browser. */
import { toHex } from '../text/text';

/** What the sender does after its last byte: it leaves the connection open, closes its
 * sending side (FIN), ends the connection (RST), or sends the last piece again and again. */
export type Ending = 'stay' | 'close' | 'reset' | 'never';

/** A place where the bytes are cut: before the byte with this offset. */
export interface Cut {
  readonly at: number;
  /** In milliseconds. */
  readonly pause: number;
  /** Where its mark is in the text, and where that ends. */
  readonly from: number;
  readonly to: number;
}

export interface Script {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly cuts: readonly Cut[];
  /** "stay" where the text names none. */
  readonly ending: Ending;
  /** For each byte, and for the end, where its sign starts in the text. The two bytes of a
   * line break have one sign. */
  readonly places: Uint32Array;
}

/** A run of characters that are one byte each is one sign, because a text is read again at
 * each keystroke. */
const SIGNS = /[\0-\t\v-[\]-\x7f]+|\\x([\da-f]{2})|¬\n|\n|‖(?:(\d+)‖)?|[^]/giu;
const CUT = '‖';
const ENDING = /‖(stay|close|reset|never)‖$/;

/** @param whole the text, in the notation above */
export function readScript(whole: string): Script {
  const { 0: mark = '', 1: ending = 'stay' } = ENDING.exec(whole) ?? [];
  const text = whole.slice(0, whole.length - mark.length);
  // No sign has more bytes than three for a character of the text.
  const bytes = new Uint8Array(3 * text.length);
  const places = new Uint32Array(3 * text.length + 1);
  const cuts: Cut[] = [];
  const encoder = new TextEncoder();
  let length = 0;
  for (const { 0: sign, 1: hex, 2: pause, index } of text.matchAll(SIGNS)) {
    if (sign.startsWith(CUT)) {
      const to = index + sign.length;
      cuts.push({ at: length, pause: Number(pause ?? 0), from: index, to });
      continue;
    }
    const start = length;
    if (hex !== undefined) bytes[length++] = Number.parseInt(hex, 16);
    else if (sign === '¬\n') bytes[length++] = 0x0a;
    else if (sign === '\n') {
      bytes[length++] = 0x0d;
      bytes[length++] = 0x0a;
    } else if (sign.charCodeAt(0) > 0x7f) {
      length += encoder.encodeInto(sign, bytes.subarray(length)).written;
    } else {
      for (let at = 0; at < sign.length; at += 1) {
        places[length] = index + at;
        bytes[length++] = sign.charCodeAt(at);
      }
      continue;
    }
    places.fill(index, start, length);
  }
  places[length] = text.length;
  return {
    bytes: bytes.slice(0, length),
    cuts,
    ending: ending as Ending,
    places: places.slice(0, length + 1),
  };
}

/** The bytes that leave together, a character for each, and the pauses between them, in
 * milliseconds. */
export type Pieces = readonly (string | number)[];

/** @returns the text for readScript() */
export function writeScript(pieces: Pieces, ending: Ending = 'stay'): string {
  const mark = ending === 'stay' ? '' : `${CUT}${ending}${CUT}`;
  const texts = pieces.map((piece) => {
    if (typeof piece === 'number') return piece === 0 ? CUT : `${CUT}${piece}${CUT}`;
    return piece.replace(/\r\n|\n|\\(?=x[\da-f]{2})|[^\n -~]/gi, (one) => {
      if (one === '\r\n') return '\n';
      return one === '\n' ? '¬\n' : `\\x${toHex(one.charCodeAt(0))}`;
    });
  });
  return texts.join('') + mark;
}

export function piecesOf({ bytes, cuts }: Script): (string | number)[] {
  const pieces: (string | number)[] = [];
  let start = 0;
  for (const { at, pause } of cuts) {
    pieces.push(textOf(bytes.subarray(start, at)), pause);
    start = at;
  }
  return [...pieces, textOf(bytes.subarray(start))];
}

/** @returns a character for each byte */
export function textOf(bytes: Uint8Array): string {
  let text = '';
  // A call has room for so many arguments, and not for a megabyte. Spreading them takes
  // seven times as long.
  for (let at = 0; at < bytes.length; at += 8192)
    text += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, at + 8192));
  return text;
}

/** What is sent a number of times, in the notation above. */
export interface Part {
  readonly unit: string;
  readonly times: number;
}

/** @returns what is repeated in a text, and what is not: "a‹b × 5›" is "a" once, and then
 * "b" five times. A repetition may hold another one. */
export function partsOf(text: string): Part[] {
  const parts = text.split(/(‹(?:[^‹›]|‹[^‹›]*›)* × \d+›)/).filter((part) => part !== '');
  return parts.map((part) => {
    const [, unit = part, times = '1'] = /^‹([^]*) × (\d+)›$/.exec(part) ?? [];
    return { unit: expand(unit), times: Number(times) };
  });
}

/** @returns a text in which nothing is repeated: somebody has typed it, and not a table */
export function unrepeated(text: string): string {
  return text.replaceAll('‹', '\\xe2\\x80\\xb9');
}

/** Repeats what is to be repeated, from the inside out: "‹x × 5›" is "xxxxx". A text that is
 * written by hand may have it, before it is read. */
export function expand(text: string): string {
  const longer = text.replace(/‹([^‹›]*) × (\d+)›/g, (_, part: string, times: string) =>
    part.repeat(Number(times)),
  );
  return longer === text ? text : expand(longer);
}
