/** The table of the cases, against our reader and our server. */
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as errors from '../../src/http/protocol-error';
import { readScript } from '../../src/study/bytes';
import {
  GROUPS,
  isValid,
  readCase,
  REJECTED_GROUPS,
  VALID_GROUPS,
  type Rejection,
} from '../../src/study/cases';
import { Requests } from '../../src/study/workbench/requests';
import { read, readInEveryCut, reject, type Result } from '../support/reading';
import { serve } from '../support/test-server';

const HTTP = join(__dirname, '..', '..', 'src', 'http');
const CASES = GROUPS.flatMap(({ cases }) => cases);

/** @returns what matches the same text, with anything in place of "…" */
function toPattern(text: string): RegExp {
  const parts = text.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`);
}

function expectRejection(error: errors.ProtocolError, one: Rejection): void {
  const { authority, section, status, what } = one;
  const { expected, reason, hint, message, offset } = error;
  expect(reason, message).to.match(toPattern(what));
  expect(expected, message).to.match(/^(?:[a-z"\d]|C|H).*[^.]$/);
  const { wrong } = readCase(one);
  expect({ ...one, status: error.status, offset }, message).to.include({
    status,
    authority: error.authority,
    section: error.section,
    offset: wrong,
  });
  const source = `RFC ${section.replace(' ', ' section ')}`;
  const of = [408, 413, 431, 503].includes(status)
    ? 'defines the status'
    : 'would allow it';
  const ruling =
    authority === 'our choice' ? `our choice: ${source} ${of}` : `${authority} ${source}`;
  const place = `, at byte ${wrong}${hint === '' ? '' : `; ${hint}`}`;
  expect(message).to.equal(`${reason} (${ruling})${place}`);
}

function endOf({ end }: Result): errors.ProtocolError {
  if (end instanceof errors.ProtocolError) return end;
  throw new Error(`not rejected: ${end}`);
}

describe('the bytes of', () => {
  for (const { title, cases, neighbours } of REJECTED_GROUPS) {
    for (const one of [...cases, ...neighbours]) {
      const { bytes, ending } = readCase(one);
      const name = 'name' in one ? one.name : JSON.stringify(one.bytes).slice(0, 60);
      if ('needs' in one) continue;
      it(`${title}: ${name} are rejected with ${one.status} in every cut`, () => {
        const whole = Buffer.from(bytes);
        if (ending === 'close')
          return expectRejection(endOf(readInEveryCut(whole, true)), one);
        expectRejection(reject(whole), one);
      });
    }
  }
  for (const host of ['localhost', 'a-rather-long.example:8080']) {
    it(`each case are what it promises with the host ${host}`, () => {
      for (const one of CASES) {
        if ('needs' in one) continue;
        const { bytes, ending } = readCase(one, host);
        const result = read([Buffer.from(bytes)], ending === 'close');
        const { requests, end } = result;
        const found = end === 'wait' ? requests.length : endOf(result).status;
        const promised = isValid(one) ? (one.requests ?? 1) : one.status;
        expect(found, one.name).to.equal(promised);
      }
    });
  }
  it('each case in the menu of the workbench give what it promises', () => {
    const requests = new Requests();
    for (const one of CASES) {
      const text = requests.read(one.name);
      expect(text === undefined, one.name).to.equal('needs' in one);
      const { bytes, ending } = readScript(text ?? '');
      expect(bytes.length, one.name).to.be.below(65_536);
      if (text === undefined || isValid(one)) continue;
      const result = read([Buffer.from(bytes)], ending === 'close');
      expect(endOf(result).status, one.name).to.equal(one.status);
    }
  });
});

describe('the server', () => {
  for (const { cases } of REJECTED_GROUPS) {
    for (const one of cases) {
      it(`rejects ${one.name} with ${one.status}, and closes`, async () => {
        const server = await serve(one.needs?.options);
        const client = await server.client();
        const { bytes, ending } = readCase(one);
        client.socket.write(bytes);
        if (ending === 'close') client.end();
        const { status, fields, content } = await client.answer(false);
        expect(status, content).to.equal(one.status);
        const { error }: { error: string } = JSON.parse(content);
        const [, what = '', at] = /^(.+) \([^()]+\), at byte (\d+)/.exec(error) ?? [];
        expect(what, error).to.match(toPattern(one.what));
        expect(Number(at), error).to.equal(readCase(one).wrong);
        expect(fields).to.include({
          connection: 'close',
          'content-type': 'application/json',
        });
        expect(await client.closed()).to.deep.equal({ how: 'end', rest: '' });
        expect(server.log).to.deep.equal([]);
      });
    }
  }
  for (const one of VALID_GROUPS.flatMap(({ cases }) => cases)) {
    it(`responds to each request of ${one.name}`, async () => {
      const server = await serve();
      const client = await server.client();
      client.socket.end(readCase(one).bytes);
      const { how, rest } = await client.closed();
      expect(how).to.equal('end');
      const statuses = rest.match(/HTTP\/1\.1 (?!100)\d{3} /g) ?? [];
      expect(statuses).to.have.lengthOf(one.requests ?? 1);
      expect(server.log, rest).to.have.lengthOf(one.requests ?? 1);
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
      for (const one of REJECTED_GROUPS.flatMap(({ cases }) => cases)) {
        const { bytes, ending } = readCase(one);
        if (one.needs === undefined) read([Buffer.from(bytes)], ending === 'close');
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
  });
});
