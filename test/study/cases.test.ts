/** The table of the cases, against our reader and our server. */
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as errors from '../../src/http/protocol-error';
import { GROUPS, isValid, readCase, REJECTED_GROUPS } from '../../src/study/cases';
import type { RejectedCase } from '../../src/study/cases';
import { read, readInEveryCut, reject, type Result } from '../support/reading';
import { serve } from '../support/test-server';
import { NEIGHBOURS } from './neighbours';

const HTTP = join(__dirname, '..', '..', 'src', 'http');
const CASES = GROUPS.flatMap(({ cases }) => cases);
const REJECTED = REJECTED_GROUPS.flatMap(({ cases }) => cases);

/** @returns what matches the same text, with anything in place of "…" */
function toPattern(text: string): RegExp {
  const parts = text.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`);
}

function expectRejection(error: errors.ProtocolError, one: RejectedCase): void {
  const { authority, section, status, what } = one;
  const { expected, reason, hint, message, offset } = error;
  expect(reason, message).to.match(toPattern(what));
  expect(expected, message).to.match(/^(?:[a-z"\d]|C|H).*[^.]$/);
  const { wrong } = readCase(one);
  expect(error, message).to.include({ status, authority, section });
  expect(offset, message).to.equal(wrong);
  const source = `RFC ${section.replace(' ', ' section ')}`;
  const isDefined = [408, 413, 431, 503].includes(status);
  const of = isDefined ? 'defines the status' : 'would allow it';
  const ruling =
    authority === 'our choice' ? `our choice: ${source} ${of}` : `${authority} ${source}`;
  const place = `, at byte ${wrong}${hint === '' ? '' : `; ${hint}`}`;
  expect(message).to.equal(`${reason} (${ruling})${place}`);
}

function endOf({ end }: Result): errors.ProtocolError {
  if (end instanceof errors.ProtocolError) return end;
  throw new Error(`not rejected: ${end}`);
}

function readWhole(bytes: Uint8Array, ending: string): Result {
  return read([Buffer.from(bytes)], ending === 'close');
}

describe('the bytes of', () => {
  for (const { title, cases } of REJECTED_GROUPS) {
    for (const one of cases) {
      if (one.needs !== undefined) continue;
      const neighbours = NEIGHBOURS[one.name] ?? [];
      for (const like of [one, ...neighbours.map((bytes) => ({ ...one, bytes }))]) {
        const name = like === one ? one.name : JSON.stringify(like.bytes).slice(0, 60);
        it(`${title}: ${name} are rejected with ${one.status} in every cut`, () => {
          const { bytes, ending, wrong = 0 } = readCase(like);
          // Not a megabyte in every cut, of which none is read.
          const whole = Buffer.from(bytes).subarray(0, wrong + 20_000);
          const error =
            ending === 'close' ? endOf(readInEveryCut(whole, true)) : reject(whole);
          expectRejection(error, like);
        });
      }
    }
  }
  for (const host of ['localhost', 'a-rather-long.example:8080']) {
    it(`each case are what it promises with the host ${host}`, () => {
      for (const one of CASES) {
        if (one.needs !== undefined) continue;
        const { bytes, ending } = readCase(one, host);
        const result = readWhole(bytes, ending);
        const { requests, end } = result;
        const found = end === 'wait' ? requests.length : endOf(result).status;
        const promised = isValid(one) ? (one.requests ?? 1) : one.status;
        expect(found, one.name).to.equal(promised);
      }
    });
  }
});

describe('the server', () => {
  for (const one of REJECTED) {
    it(`rejects ${one.name} with ${one.status}, and closes`, async () => {
      const server = await serve(one.needs?.options);
      const client = await server.client();
      const { bytes, ending, wrong } = readCase(one);
      client.socket.write(bytes);
      if (ending === 'close') client.end();
      const { status, fields, content } = await client.answer(false);
      expect(status, content).to.equal(one.status);
      const { error }: { error: string } = JSON.parse(content);
      const [, what = '', at] = /^(.+) \([^()]+\), at byte (\d+)/.exec(error) ?? [];
      expect(what, error).to.match(toPattern(one.what));
      expect(Number(at), error).to.equal(wrong);
      expect(fields).to.include({
        connection: 'close',
        'content-type': 'application/json',
      });
      expect(await client.closed()).to.deep.equal({ how: 'end', rest: '' });
      expect(server.log).to.deep.equal([]);
    });
  }
});

describe('the table', () => {
  it('has a case for each place in src/http that rejects', async () => {
    const makers = ['requiredBy', 'allowedBy', 'ourChoice'] as const;
    const call = new RegExp(`(?<!const )\\b(?:${makers.join('|')})\\(`);
    const places = readdirSync(HTTP).flatMap((file) =>
      readFileSync(join(HTTP, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => (call.test(line) ? [`${file}:${index + 1}`] : [])),
    );
    const reached = new Set<string>();
    const own = { ...errors };
    for (const maker of makers) {
      const watched: typeof errors.allowedBy = (...args) => {
        const [, , caller = ''] = new Error().stack?.split('\n') ?? [];
        const [, path = '', line] = /([^ (]+):(\d+):\d+\)?$/.exec(caller) ?? [];
        reached.add(`${basename(path)}:${line}`);
        return own[maker](...args);
      };
      Object.assign(errors, { [maker]: watched });
    }
    try {
      for (const one of REJECTED) {
        const { bytes, ending } = readCase(one);
        if (one.needs === undefined) readWhole(bytes, ending);
        else {
          const client = await (await serve(one.needs.options)).client();
          client.socket.write(bytes);
          await client.closed();
        }
      }
    } finally {
      Object.assign(errors, own);
    }
    expect(places).to.not.be.empty;
    expect(places.filter((place) => !reached.has(place))).to.deep.equal([]);
  });
  it('has names that a command line can take, each of them once', () => {
    const names = CASES.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    expect(names.filter((name) => !/^[a-z0-9-]{3,26}$/.test(name))).to.deep.equal([]);
    const rejected = REJECTED.map(({ name }) => name);
    expect(rejected).to.include.members(Object.keys(NEIGHBOURS));
  });
});
