/** The page of the workbench as a service of the protocol layer: what the page asks for,
 * and what it gets. A service responds at once, so bytes are sent after the response, and
 * what comes of it is told to the next poll. */
import type { Request, Response, Service } from '../../http/message';
import { MISTAKES } from '../../naive/naive-request';
import { readScript } from '../bytes';
import type { Address, Bench } from './bench';
import type { Through } from './clients';
import { findIntruder, isAtLocalhost } from './guard';
import { excess } from './limits';

const SAFE = [
  { name: 'Cache-Control', value: 'no-store' },
  { name: 'X-Content-Type-Options', value: 'nosniff' },
  { name: 'Referrer-Policy', value: 'no-referrer' },
  { name: 'Cross-Origin-Resource-Policy', value: 'same-origin' },
  { name: 'Cross-Origin-Opener-Policy', value: 'same-origin' },
];
const NOTHING: Response = { status: 204, body: '', headers: SAFE };

/** @param asked the query */
type Handler = (bench: Bench, asked: URLSearchParams, body: string) => Response;

const HANDLERS: { readonly [route: string]: Handler } = {
  'GET /': ({ page: { html, policy } }) => {
    const { headers, ...page } = htmlPage(html);
    const field = { name: 'Content-Security-Policy', value: policy };
    return { ...page, headers: [...headers, field] };
  },
  'GET /page': (bench, asked) =>
    htmlPage(asked.has('runs') ? (bench.runs?.page ?? '') : bench.savedPage),
  'GET /runs': ({ runs }) => {
    if (runs === undefined) return refuse(404, 'no experiment was played');
    const { lines, problem } = runs;
    if (problem !== '') return refuse(503, problem);
    return lines === undefined ? NOTHING : json(lines);
  },
  'POST /runs': (bench, asked) =>
    bench.play(asked.get('lab') ?? '')
      ? NOTHING
      : refuse(404, 'the workbench has no such experiment'),
  'GET /events': (bench, asked) => {
    const after = Number(asked.get('after') ?? -1);
    if (after === bench.revision) return NOTHING;
    return json(bench.describe(after, Number(asked.get('known') ?? 0)));
  },
  'POST /judge': (bench, asked, body) => {
    const address = readAddress(asked);
    if (typeof address === 'string') return refuse(400, address);
    const judgement = bench.judge(textOf(body), address);
    return typeof judgement === 'string' ? refuse(503, judgement) : json(judgement);
  },
  'POST /send': (bench, asked, body) => {
    const address = readAddress(asked);
    if (typeof address === 'string') return refuse(400, address);
    const text = textOf(body);
    const script = readScript(text);
    const problem = excess(text, script);
    if (problem !== '') return refuse(400, problem);
    const client = bench.send(text, script, address);
    if (typeof client === 'string') return refuse(503, client);
    return { ...json(client), status: 202 };
  },
  'POST /server': (bench, asked) =>
    bench.choose(asked.get('name') ?? '')
      ? NOTHING
      : refuse(404, 'the workbench has no such server'),
  'POST /clear': (bench) => {
    bench.clear();
    return NOTHING;
  },
};

export function makeService(bench: Bench): Service {
  return (request: Request) => {
    const { body, method, path, query } = request;
    if (isAtLocalhost(request, bench.origin)) {
      const headers = [...SAFE, { name: 'Location', value: `${bench.origin}/` }];
      return { status: 307, body: '', headers };
    }
    const problem = findIntruder(request, bench.origin, bench.token);
    if (problem !== undefined) return refuse(403, problem);
    const route = `${method} ${path}`;
    const handle = Object.hasOwn(HANDLERS, route) ? HANDLERS[route] : undefined;
    if (handle === undefined) return refuse(404, 'the workbench has no such page');
    return handle(bench, new URLSearchParams(query), body);
  };
}

/** @returns where text is to be sent, or what is wrong with it */
function readAddress(asked: URLSearchParams): Address | string {
  const client = asked.get('client') ?? 'new';
  const through = asked.get('through') ?? 'server';
  if (!/^(?:new|\d{1,9})$/.test(client)) return 'client is not a number, or "new"';
  if (!isThrough(through)) return 'the proxy knows no such mistake';
  return { client: client === 'new' ? undefined : Number(client), through };
}

function isThrough(text: string): text is Through {
  return text === 'server' || text === 'proxy' || Object.hasOwn(MISTAKES, text);
}

/** @param body in UTF-8, a character for each byte */
function textOf(body: string): string {
  return Buffer.from(body, 'latin1').toString();
}

/** @param html in which each character is a byte */
function htmlPage(html: string) {
  const contentType = 'text/html; charset=utf-8';
  return { status: 200, contentType, body: html, headers: SAFE } as const;
}

/** @returns a response with JSON in ASCII */
function json(value: object | number): Response {
  const body = JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return { status: 200, body, headers: SAFE };
}

function refuse(status: 400 | 403 | 404 | 503, error: string): Response {
  return { ...json({ error }), status };
}
