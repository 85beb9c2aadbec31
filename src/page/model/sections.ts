/** What stands around the bytes of an exchange: what is said of its request and of its
 * responses, and what is asked of one who predicts first. Pure: it knows no page. */
import type { ExchangeData, PageData } from './page-data';
import type { Message } from './message';
import { writeScript } from '../../study/bytes';
import { toCommand } from '../../study/shell';
import { isFinal, timeBetween } from './times';
import { count } from '../../text/text';

/** What can be said before what happened is told. */
export const GUESSES = ['handles it', 'rejects it', 'waits for more'] as const;

export function describeRequest(message: Message, step: number, isHidden: boolean): string {
  const { exchange, text } = message;
  const { arrivals } = exchange.request;
  const arrived = message.arrivedAt(step) - message.from;
  if (exchange.connection === 0) return 'These steps are about the server itself.';
  if (text === '') {
    return exchange.number === 0 && exchange.remote !== undefined
      ? 'The server parsed nothing.'
      : 'Its bytes are left out.';
  }
  const left = message.from > 0 ? `, without the first ${count(message.from, 'byte')}` : '';
  const later = text.length - arrived;
  if (later > 0)
    return `${count(arrived, 'byte')} so far, ${count(later, 'byte')} later${left}`;
  const pieces = arrivals.length > 1 ? `in ${arrivals.length} pieces` : 'in one piece';
  // Where the server does not know the end, other requests may be among these bytes.
  const known = exchange.length === undefined || isHidden ? ' arrived' : '';
  const turn =
    exchange.turn === undefined || isHidden
      ? ''
      : `; request ${exchange.turn} since the server started`;
  return `${count(text.length, 'byte')}${known}, ${pieces}${left}${turn}`;
}

export function describeResponse({ exchange, side, text }: Message): string {
  const response = side === 'request' ? undefined : exchange.responses[side];
  if (response === undefined) return '';
  const { isSent, length, unsent } = response;
  return [
    count(length, 'byte'),
    length > text.length
      ? `, of which the first ${count(text.length, 'byte')} are here`
      : '',
    isSent ? '' : ', never sent: the client is gone',
    unsent > 0 ? `; up to ${count(unsent, 'byte')} of it were never sent` : '',
  ].join('');
}

/** What is said in place of a response. */
export function describeMissing({ outcome, responses, steps }: ExchangeData, step: number) {
  if (step === steps.at(-1) && outcome !== '')
    return `There is none: ${outcome.replace(/^given up: /, 'the server gave up, because ')}.`;
  const starts = responses.map(({ arrivals }) => arrivals[0]?.[0] ?? 0);
  const written = starts.find((at) => at > step);
  return written === undefined
    ? 'not written yet'
    : `written later, in step ${steps.indexOf(written) + 1}`;
}

/** @returns the request as a command, or '' where its bytes are not here */
export function commandOf({ data, exchange, from, text }: Message): string {
  const { arrivals } = exchange.request;
  if (text === '' || from > 0) return '';
  const pieces = arrivals.flatMap(([step, end], index): (string | number)[] => {
    const [before = step, start = 0] = arrivals[index - 1] ?? [];
    const piece = text.slice(start, end);
    return index === 0 ? [piece] : [timeBetween(data, before, step), piece];
  });
  const listening = data.steps.find(({ verb }) => verb === 'listen')?.lines[0];
  const [port = '8080'] = /\d+/.exec(listening ?? '') ?? [];
  // Without its half-close, the server would wait for the rest (9112 §8).
  const halfCloses = exchange.rejection?.section === '9112 8';
  return toCommand(writeScript(pieces, halfCloses ? 'close' : 'stay'), Number(port));
}

/** @param guess one of GUESSES
 * @returns what is said to one who has predicted that */
export function judgeGuess({ steps }: PageData, exchange: ExchangeData, guess: string) {
  const { outcome, rejection, request, responses, turn } = exchange;
  const begun = request.arrivals[0]?.[0] ?? 0;
  const did = (verb: string): boolean =>
    exchange.steps.some((step) => step > begun && steps[step]?.verb === verb);
  const before = did('wait') ? 'waits for more, then ' : '';
  const truth = rejection
    ? `${before}rejects it`
    : turn !== undefined
      ? `${before}handles it: ${outcome || responses.filter(isFinal).at(-1)?.status}`
      : did('wait') || did('idle')
        ? 'waits for more'
        : `does none of these: ${outcome}`;
  const sign = truth.includes(guess) ? '\u2713' : '\u2260';
  return `${sign} You said: it ${guess}. It ${truth}.`;
}

/** @returns the exchange of which a request arrived last */
export function newestIn({ exchanges }: PageData): ExchangeData | undefined {
  let newest: ExchangeData | undefined;
  for (const one of exchanges)
    if (one.connection > 0 && newestOf(one) >= newestOf(newest)) newest = one;
  // What other readers cut differently counts more than what came with it.
  const isCut = (one: ExchangeData): boolean =>
    one.other !== undefined && newestOf(one) === newestOf(newest);
  return exchanges.find(isCut) ?? newest;
}

/** When something of an exchange arrived last, as a step. */
function newestOf(exchange: ExchangeData | undefined): number {
  return exchange?.request.arrivals.at(-1)?.[0] ?? exchange?.steps[0] ?? -1;
}

/** What stands at the top. */
export function describePage(data: PageData, isPredicting: boolean): string {
  const { isLost, now } = data;
  const kind = isLost ? 'lost' : now === undefined ? 'recorded' : 'live';
  return `${kind}: ${describeExchanges(data, isPredicting)}`;
}

export function describeExchanges(
  { exchanges, leftOut }: PageData,
  isPredicting: boolean,
): string {
  const clients = exchanges.filter(({ connection }) => connection > 0);
  if (isPredicting || leftOut !== '') return count(clients.length, 'exchange');
  const handled = clients.filter(({ turn }) => turn !== undefined).length;
  const rejected = clients.filter(({ rejection }) => rejection).length;
  return `${count(handled, 'request')} handled, ${rejected} rejected`;
}
