/** The page of the workbench as a service of the protocol layer: what the page asks for,
 * and what it gets. A service responds at once, so bytes are sent after the response, and
 * what comes of it is told to the next poll. */
import type { Request, Response, Service } from '../../http/message';
import { MISTAKES } from '../../naive/naive-request';
import type { Bench } from './bench';
import { type Sending, type Through } from './clients';
import { findIntruder, isAtLocalhost } from './guard';
import type { Then } from './judge';
import { CUTS_LIMIT, PAUSE_LIMIT_MS, SEND_LIMIT } from './limits';

const SAFE = [
  { name: 'Cache-Control', value: 'no-store' },
  { name: 'X-Content-Type-Options', value: 'nosniff' },
  { name: 'Referrer-Policy', value: 'no-referrer' },
  { name: 'Cross-Origin-Resource-Policy', value: 'same-origin' },
  { name: 'Cross-Origin-Opener-Policy', value: 'same-origin' },
];

type Handler = (request: Request, bench: Bench) => Response;

const HANDLERS: { readonly [route: string]: Handler } = {
  'GET /': (_, { page: { html, policy } }) => ({
    status: 200,
    contentType: 'text/html; charset=utf-8',
    body: html,
    headers: [...SAFE, { name: 'Content-Security-Policy', value: policy }],
  }),
  'GET /events': ({ query }, bench) => {
    const asked = new URLSearchParams(query);
    const after = Number(asked.get('after') ?? -1);
    if (after === bench.revision) return { status: 204, body: '', headers: SAFE };
    const known = Number(asked.get('known') ?? 0);
    return json(bench.describe(after, known, Number(asked.get('proxied') ?? 0)));
  },
  'GET /page': (_, bench) => ({
    status: 200,
    contentType: 'text/html; charset=utf-8',
    body: bench.savedPage,
    headers: SAFE,
  }),
  'GET /request': ({ query }, bench) => {
    const name = new URLSearchParams(query).get('name') ?? '';
    const text = bench.requests.read(name);
    return text === undefined
      ? refuse(404, 'the menu has no such request')
      : json(JSON.stringify({ text }));
  },
  'POST /judge': ({ body, query }, bench) => {
    const wanted = new URLSearchParams(query);
    const client = readClient(wanted.get('client'));
    const through = wanted.get('through') ?? 'server';
    if (client === null) return refuse(400, 'client is not a number, or "new"');
    const then = readThen(wanted);
    if (!isThrough(through)) return refuse(400, 'the proxy knows no such mistake');
    if (then === undefined) return refuse(400, NO_ENDING);
    const bytes = Buffer.from(body, 'latin1');
    return json(JSON.stringify(bench.judge(client, through, bytes, then)));
  },
  'POST /send': ({ body, query }, bench) => {
    const wanted = new URLSearchParams(query);
    const client = readClient(wanted.get('client'));
    const through = wanted.get('through') ?? 'server';
    const sending = readSending(wanted, Buffer.from(body, 'latin1'));
    if (client === null) return refuse(400, 'client is not a number, or "new"');
    if (!isThrough(through)) return refuse(400, 'the proxy knows no such mistake');
    if (typeof sending === 'string') return refuse(400, sending);
    const page = wanted.get('page') ?? '';
    const sent = bench.send(client, through, sending, wanted.get('hold') === '1', page);
    if (typeof sent === 'string') return refuse(503, sent);
    return { ...json(JSON.stringify({ client: sent, at: bench.now })), status: 202 };
  },
  'POST /server': ({ query }, bench) => {
    const isKnown = bench.choose(new URLSearchParams(query).get('name') ?? '');
    if (!isKnown) return refuse(404, 'the workbench has no such server');
    return { status: 204, body: '', headers: SAFE };
  },
  'POST /clear': (_, bench) => {
    bench.clear();
    return { status: 204, body: '', headers: SAFE };
  },
};

export function makeService(bench: Bench): Service {
  return (request) => {
    if (isAtLocalhost(request, bench.origin)) {
      const headers = [...SAFE, { name: 'Location', value: `${bench.origin}/` }];
      return { status: 307, body: '', headers };
    }
    const problem = findIntruder(request, bench.origin, bench.token);
    if (problem !== undefined) return refuse(403, problem);
    const route = `${request.method} ${request.path}`;
    const handle = Object.hasOwn(HANDLERS, route) ? HANDLERS[route] : undefined;
    return handle === undefined
      ? refuse(404, 'the workbench has no such page')
      : handle(request, bench);
  };
}

/** @returns undefined for a new one, and null for what is no client */
function readClient(text: string | null): number | undefined | null {
  if (text === null || text === 'new') return undefined;
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

function isThrough(text: string): text is Through {
  return text === 'server' || text === 'proxy' || Object.hasOwn(MISTAKES, text);
}

const NO_ENDING = 'then is not keep, close or reset';

function readThen(wanted: URLSearchParams): Then | undefined {
  const then = wanted.get('then') ?? 'keep';
  return then === 'keep' || then === 'close' || then === 'reset' ? then : undefined;
}

/** Reads where the bytes are cut: "cuts=12:0,40:600" cuts them before byte 12, and again
 * before byte 40, 600 milliseconds later.
 * @returns what is wrong with it, if something is */
function readSending(wanted: URLSearchParams, bytes: Buffer): Sending | string {
  if (bytes.length > SEND_LIMIT) return `more than ${SEND_LIMIT} bytes`;
  const then = readThen(wanted);
  if (then === undefined) return NO_ENDING;
  const cuts = (wanted.get('cuts') ?? '').split(',').filter((cut) => cut !== '');
  if (cuts.length > CUTS_LIMIT) return `more than ${CUTS_LIMIT} cuts`;
  const pieces: { bytes: Buffer; pause: number }[] = [];
  let start = 0;
  let pause = 0;
  for (const cut of cuts) {
    const [, at, after] = /^(\d{1,7}):(\d{1,6})$/.exec(cut) ?? [];
    const end = Number(at ?? NaN);
    const isInOrder = end >= start && end <= bytes.length;
    if (!isInOrder || Number(after) > PAUSE_LIMIT_MS)
      return `a cut is not within the bytes, or its pause is longer than ${PAUSE_LIMIT_MS} ms`;
    pieces.push({ bytes: bytes.subarray(start, end), pause });
    start = end;
    pause = Number(after);
  }
  pieces.push({ bytes: bytes.subarray(start), pause });
  return { pieces, then };
}

/** @returns a response with JSON in ASCII */
function json(text: string): Response {
  const body = text.replace(
    /[\u007f-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return { status: 200, body, headers: SAFE };
}

function refuse(status: 400 | 403 | 404 | 503, error: string): Response {
  return { status, body: JSON.stringify({ error }), headers: SAFE };
}
