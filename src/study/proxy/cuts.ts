/** Where the proxy cuts the bytes of a client, and where others would. */
import type { NaiveRequest } from '../../naive/naive-request';
import { findRisk } from '../../naive/risk';
import { printable } from '../../text/text';

/** How many bytes are shown before a cut, and after it. */
const SHOWN = 40;
/** How many bytes after the request are looked at. */
const FOLLOWING = 1024;

/** @param text what has arrived from the client: a request, and perhaps more
 * @param request as the proxy reads it
 * @returns no line for a request that nobody ends elsewhere */
export function describeCuts(text: string, request: NaiveRequest): string[] {
  const { contentStart, end, isEndKnown, isMistaken } = request;
  if (!isMistaken && end === contentStart) return [];
  const looked = text.slice(0, end + FOLLOWING);
  const { readings = [] } = findRisk(looked, isEndKnown ? end : undefined) ?? {};
  const others = readings.flatMap(({ reader, requests: [first] }) =>
    first.end === undefined || first.end > text.length || first.end === end
      ? []
      : [`or:  ${cut(text, first.end)}`, `     for ${reader}`],
  );
  if (others.length === 0 && !isMistaken) return [];
  const own = isEndKnown ? cut(text, end) : 'not yet';
  return [`cut: ${own}`, ...others];
}

function cut(text: string, at: number): string {
  const before =
    (at > SHOWN ? '...' : '') + printable(text.slice(Math.max(0, at - SHOWN), at));
  const after = at < text.length ? printable(text.slice(at), SHOWN) : 'nothing more';
  return `${before} | ${after}`;
}
