/** One byte, as text. Pure: it knows no page. */

const NAMES: { readonly [byte: number]: string } = {
  0x00: 'NUL',
  0x09: 'tab',
  0x0a: 'LF',
  0x0d: 'CR',
  0x20: 'space',
  0x5c: 'backslash',
  0x7f: 'DEL',
};
const ESCAPES: { readonly [byte: number]: string } = {
  0x09: '\\t',
  0x0a: '\\n',
  0x0d: '\\r',
  0x5c: '\\\\',
};

/** @returns the byte as the page shows it: one that has no glyph is escaped */
export function showByte(byte: number): string {
  const isVisible = byte >= 0x20 && byte < 0x7f;
  return ESCAPES[byte] ?? (isVisible ? String.fromCharCode(byte) : `\\x${toHex(byte)}`);
}

/** @returns the byte in a word: its character, or what it is called */
export function nameByte(byte: number): string {
  return NAMES[byte] ?? (byte > 0x20 && byte < 0x7f ? showByte(byte) : `0x${toHex(byte)}`);
}

export function toHex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

/** @returns some bytes, each of them one character, for people */
export function showBytes(text: string): string {
  return Array.from(text, (one) => showByte(one.charCodeAt(0))).join('');
}
