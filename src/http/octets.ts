/**
 * Octets by the names that the grammar gives them, and the sets of octets that the RFCs define.
 * Octets are compared as numbers: no decoding, no locale, no regular expression. (A const enum, so the compiler puts the numbers in their place.)
 */
export const enum Octet {
  /** No octet: more input is needed to say what stands here. Of an offset: not known. */
  NONE = -1,
  HTAB = 0x09,
  LF = 0x0a,
  VT = 0x0b,
  FF = 0x0c,
  CR = 0x0d,
  SP = 0x20,
  PERCENT = 0x25,
  SLASH = 0x2f,
  ZERO = 0x30,
  ONE = 0x31,
  COLON = 0x3a,
  QUESTION = 0x3f,
  LEFT_BRACKET = 0x5b,
  RIGHT_BRACKET = 0x5d,
}

/** Membership by index: 1 where the octet belongs to the set. */
type OctetSet = Uint8Array;

/** @param members single characters, and ranges of two octets, both ends included */
function setOf(...members: readonly (string | readonly [number, number])[]): OctetSet {
  const set = new Uint8Array(256);
  for (const member of members) {
    if (typeof member === 'string') for (const character of member) set[character.charCodeAt(0)] = 1;
    else set.fill(1, member[0], member[1] + 1);
  }
  return set;
}

const DIGITS = '0123456789';
const ALPHA = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const UNRESERVED = `${ALPHA + DIGITS}-._~`;

export const DIGIT = setOf(DIGITS);
export const HEXDIG = setOf(DIGITS, 'ABCDEFabcdef');
/** tchar, the octets of a token (9110 §5.6.2). */
export const TCHAR = setOf("!#$%&'*+-.^_`|~", DIGITS, ALPHA);
/** What a field value may hold: HTAB, SP, VCHAR and obs-text (9110 §5.5). */
export const FIELD_VALUE = setOf('\t', [0x20, 0x7e], [0x80, 0xff]);
/** unreserved, gen-delims without "#" and "?", and sub-delims (3986 §2.2, §2.3). "%" stands apart, for it needs two hex digits, and "?", for the path ends there. */
const TARGET = setOf(UNRESERVED, ":/[]@!$&'()*+,;=");
/** unreserved and sub-delims (3986 §3.2.2) without the comma, which would make a list of a host. */
const REG_NAME = setOf(UNRESERVED, "!$&'()*+;=");

/** The value of a hexadecimal digit. The octet must be a HEXDIG. */
export function hexValue(octet: number): number {
  return octet <= 0x39 ? octet - 0x30 : (octet | 0x20) - 0x57;
}

/** Every octet with its upper-case letters made lower-case: in ASCII alone, unlike toLowerCase, for which U+212A is a "k" too. */
const LOWER = Uint8Array.from({ length: 256 }, (_, octet) => (octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet));

/** Whether a text is a name, without regard to case. @param name in any case; in the usual one it is found faster */
export function isNamed(text: string, name: string): boolean {
  return text.length === name.length && (text === name || isSameButForCase(text, name));
}

function isSameButForCase(text: string, name: string): boolean {
  for (let at = 0; at < name.length; at += 1) if (LOWER[text.charCodeAt(at)] !== LOWER[name.charCodeAt(at)]) return false;
  return true;
}

/**
 * Moves over the octets of a set: from an index to the first octet that does not belong, at most to another index.
 * Nearly every octet of a head passes here, so each set has a function of its own, and the set is a constant to it: that makes it a third faster.
 */
type Skip = (octets: Uint8Array, from: number, to: number) => number;

function skipping(members: OctetSet): Skip {
  const set = members;
  return (octets, from, to) => {
    let at = from;
    while (at < to && set[octets[at] ?? 0] === 1) at += 1;
    return at;
  };
}

/** The same for what comes in long runs, as field values do: while four octets belong together, they are asked for with one decision. */
function skippingRuns(members: OctetSet): Skip {
  const set = members;
  const member = (octet = 0): number => set[octet] ?? 0;
  return (octets, from, to) => {
    let at = from;
    while (at + 3 < to && (member(octets[at]) & member(octets[at + 1]) & member(octets[at + 2]) & member(octets[at + 3])) === 1) at += 4;
    while (at < to && member(octets[at]) === 1) at += 1;
    return at;
  };
}

export const skipDigits = skipping(DIGIT);
export const skipToken = skipping(TCHAR);
export const skipTarget = skipping(TARGET);
export const skipRegName = skipping(REG_NAME);
export const skipFieldValue = skippingRuns(FIELD_VALUE);

/** Optional white space is SP and HTAB, nothing else (9110 §5.6.3). */
export function isOws(octet: number | undefined): boolean {
  return octet === Octet.SP || octet === Octet.HTAB;
}

/** Whether CRLF stands at an index, all of it before `to`. */
export function isCrlf(octets: Uint8Array, at: number, to: number): boolean {
  return at + 1 < to && octets[at] === Octet.CR && octets[at + 1] === Octet.LF;
}

/** Moves over the characters of a text, one octet each, that belong to a set. @returns the index of the first that does not */
export function skipText(set: OctetSet, text: string, from: number): number {
  let at = from;
  while (at < text.length && set[text.charCodeAt(at)] === 1) at += 1;
  return at;
}
