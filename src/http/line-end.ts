/** Line ends that are not CRLF (9112 §2.2). */
import { allowedBy, type ProtocolError } from './protocol-error';
import type { Line } from './receive-buffer';

/** What should have been there, as an error words it. */
export const LINE_END = 'a line end (\\r\\n)';

/** Where the grammar meets a bare CR or LF, the line end is what is wrong, whatever the
 * grammar expected there.
 * @param error an error at a byte of the line
 * @param section the one that a bare LF breaks
 * @returns the error for the bare CR or LF if it is at the same byte, or else the same
 * error */
export function lineEndErrorOr(
  line: Line,
  error: ProtocolError,
  section: '9112 2.2' | '9112 7.1' = '9112 2.2',
): ProtocolError {
  const isAtEnd = error.offset === line.offsetOf(line.end - 1);
  if (isAtEnd && line.ending === 'bare LF') return bareLfError(error.offset, section);
  // 9112 §2.2 would let us read a bare CR as SP. Where a proxy sees one line and a server
  // two, requests are smuggled.
  if (isAtEnd && line.ending === 'bare CR') {
    const expected = 'a line end of two bytes: CR, and LF directly after it (\\r\\n)';
    return allowedBy('9112 2.2', error.offset, 'A CR is not followed by LF', { expected });
  }
  return error;
}

/** 9112 §2.2 would let us accept LF as a line end, except in chunked content (§7.1). If a
 * proxy did not, it would see one line where we see two. */
export function bareLfError(
  offset: number,
  section: '9112 2.2' | '9112 7.1',
  hint = 'a terminal sends only LF (nc -C sends CRLF)',
): ProtocolError {
  const expected = LINE_END;
  return allowedBy(section, offset, 'A line ends with LF, not CRLF', { hint, expected });
}
