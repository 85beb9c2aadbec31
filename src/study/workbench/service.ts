/** The page of the workbench as a service of the protocol layer: what the page asks for,
 * and what it gets. A service responds at once, so bytes are sent after the response, and
 * what comes of it is told to the next poll. */
import type { Request, Response, Service } from '../../http/message';
import type { Address, Bench } from './bench';
import type { Through } from './clients';
import { isAtLocalhost, keepOutIntruders, Refusal } from './guard';
import { WAYS } from './scenes';

const SAFE = [
  { name: 'Cache-Control', value: 'no-store' },
  { name: 'X-Content-Type-Options', value: 'nosniff' },
  { name: 'Referrer-Policy', value: 'no-referrer' },
  { name: 'Cross-Origin-Resource-Policy', value: 'same-origin' },
  { name: 'Cross-Origin-Opener-Policy', value: 'same-origin' },
];
const NOTHING: Response = { status: 204, body: '', headers: SAFE };

/** @param asked the query
 * @param text the content
 * @throws Refusal */
type Handler = (bench: Bench, asked: URLSearchParams, text: string) => Response;

const HANDLERS: { readonly [route: string]: Handler } = {
  'GET /': ({ page: { html, policy } }) => {
    const field = { name: 'Content-Security-Policy', value: policy };
    return { ...htmlPage(html), headers: [...SAFE, field] };
  },
  'GET /page': (bench, asked) => htmlPage(bench.save(asked.get('lab'))),
  'GET /runs': (bench, asked) => {
    const runs = bench.play(asked.get('lab') ?? '');
    return runs === undefined ? NOTHING : json(runs);
  },
  'GET /events': (bench, asked) => {
    const after = Number(asked.get('after') ?? -1);
    if (after === bench.revision) return NOTHING;
    return json(bench.describe(after, Number(asked.get('known') ?? 0)));
  },
  'POST /judge': (bench, asked, text) => json(bench.judge(text, readAddress(asked))),
  'POST /send': (bench, asked, text) => json(bench.send(text, readAddress(asked)), 202),
  'POST /server': (bench, asked) => {
    bench.choose(asked.get('name') ?? '');
    return NOTHING;
  },
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
    try {
      keepOutIntruders(request, bench.origin, bench.token);
      const route = `${method} ${path}`;
      const handle = Object.hasOwn(HANDLERS, route) ? HANDLERS[route] : undefined;
      if (handle === undefined) throw new Refusal(404, 'the workbench has no such page');
      // A service gets a character for each byte, and the page sends UTF-8.
      const text = Buffer.from(body, 'latin1').toString();
      return handle(bench, new URLSearchParams(query), text);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return json({ error: error.message }, error.status);
    }
  };
}

/** @returns where text is to be sent
 * @throws Refusal */
function readAddress(asked: URLSearchParams): Address {
  const client = asked.get('client') ?? 'new';
  const through = asked.get('through') ?? 'server';
  if (!/^(?:new|\d{1,9})$/.test(client))
    throw new Refusal(400, 'client is not a number, or "new"');
  if (!isThrough(through)) throw new Refusal(400, 'the proxy knows no such mistake');
  return { client: Number(client), through };
}

function isThrough(text: string): text is Through {
  return WAYS.includes(text);
}

/** @param html in which each character is a byte */
function htmlPage(html: string): Response {
  const contentType = 'text/html; charset=utf-8';
  return { status: 200, contentType, body: html, headers: SAFE };
}

/** @returns a response with JSON in ASCII */
function json(value: object | number, status: Response['status'] = 200): Response {
  const body = JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return { status, body, headers: SAFE };
}
