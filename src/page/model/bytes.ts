/** One byte, as text. Pure: it knows no page. */
import { escape } from '../../text/text';

const NAMES: { readonly [byte: number]: string } = {
  0x00: 'NUL',
  0x09: 'tab',
  0x0a: 'LF',
  0x0d: 'CR',
  0x20: 'space',
  0x5c: 'backslash',
  0x7f: 'DEL',
};

export function showByte(byte: number): string {
  return escape(String.fromCharCode(byte));
}

/** @returns the byte in a word: what it is called, or its sign */
export function nameByte(byte: number): string {
  return NAMES[byte] ?? showByte(byte);
}
