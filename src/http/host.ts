/** The Host field: Host = uri-host [ ":" port ] (9110 §7.2; 9112 §3.2). */
import { Byte } from './grammar';
import type { FieldLine } from './message';
import { allowedBy, ourChoice, requiredBy } from './protocol-error';
import type { RequestTarget } from './request-target';
import { findInvalidHostByte } from './uri-host';

const { COLON } = Byte;

/** A header section as bytes. Walking over its text would make a short request 10 % more
 * expensive to read. */
interface HeaderBytes {
  readonly bytes: Buffer;
  /** @param offset of one of the bytes
   * @returns its index */
  indexAt(offset: number): number;
  /** The offset after the empty line. */
  readonly offset: number;
}

/** Checks Host, which every request must have once; only HTTP/1.0 may leave it out.
 * @param lines the Host lines of the request
 * @param header the header section, read to its end
 * @throws ProtocolError */
export function checkHost(
  minorVersion: number,
  form: RequestTarget['form'],
  lines: readonly FieldLine[],
  header: HeaderBytes,
): void {
  const host = lines[0];
  const second = lines[1];
  if (host === undefined) {
    if (minorVersion === 0) return;
    const reason = 'No Host field, which only an HTTP/1.0 request may leave out';
    throw requiredBy('9112 3.2', header.offset - '\r\n'.length, reason);
  }
  if (second !== undefined) {
    throw requiredBy('9112 3.2', second.offset, 'More than one Host field');
  }

  const { value, offset } = host;
  const from = header.indexAt(offset);
  const wrong = findInvalidHostByte(header.bytes, from, from + value.length);
  if (wrong >= 0) {
    const [scheme] = /^https?:\/\//i.exec(value) ?? [];
    const isUri = scheme !== undefined;
    const hint = isUri ? `Host is a name and perhaps a port, without "${scheme}"` : '';
    const at = offset + wrong - from;
    const reason = 'Host is not a host name and perhaps a port';
    throw requiredBy('9112 3.2', at, reason, { hint });
  }

  // In absolute-form and authority-form the target names the host, and nothing more is
  // required of Host (9112 §3.2.2, §3.3).
  const isNeeded = form === 'origin-form' || form === 'asterisk-form';
  if (!isNeeded) return;
  if (value === '' || header.bytes[from] === COLON) {
    throw allowedBy('9112 3.3', offset, 'Host does not name a host');
  }
  // A comma is a sub-delim, so "a,b" could be one name. Two joined Host lines look like
  // this.
  const comma = value.indexOf(',');
  if (comma >= 0) {
    const reason = 'Host has a comma, so it looks like a list';
    throw ourChoice('9112 3.2', offset + comma, reason);
  }
}
