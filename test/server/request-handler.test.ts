import { expect } from 'chai';
import type { Explain } from '../../src/http/message';
import { LAST_REQUEST, SERVER_FAILED, type Persistence } from '../../src/http/persistence';
import type { ReceivedRequest } from '../../src/http/outcome';
import type { Service } from '../../src/index';
import { RequestHandler } from '../../src/server/request-handler';
import type { ConnectionEvent } from '../../src/trace/events';
import { collectWarnings } from '../support/warnings';

function request(path: string): ReceivedRequest {
  return { method: 'GET', path, query: undefined, headers: [], body: '', minorVersion: 1 };
}

const STAYS_OPEN: Persistence = {
  persists: true,
  connectionOption: undefined,
  reason: 'HTTP/1.1 without "close"',
  section: '9112 9.3',
};

function handlerWith({
  maxRequests = 0,
  service = (() => ({ status: 200, body: '' })) as Service,
}) {
  const lines: string[] = [];
  const handler = new RequestHandler({
    service,
    date: () => '',
    maxRequests,
    log: (text) => void lines.push(text),
  });
  return { handler, lines };
}

describe('the request handler', () => {
  it('the last request is marked, and its response says "close"', () => {
    const { handler } = handlerWith({ maxRequests: 2 });
    const [first, last] = ['/1', '/2'].map((path) =>
      handler.handle(request(path), STAYS_OPEN, undefined),
    );
    expect(first?.persistence).to.equal(STAYS_OPEN);
    expect(first?.message).to.not.include('Connection:');
    expect(last?.persistence).to.equal(LAST_REQUEST);
    expect(last?.message).to.include('Connection: close');
    expect(handler.hasReachedLimit).to.equal(true);
  });
  it('no request is the last if the limit is 0', () => {
    const { handler } = handlerWith({});
    for (let count = 0; count < 20; count += 1) {
      expect(handler.handle(request('/'), STAYS_OPEN, undefined).persistence).to.equal(
        STAYS_OPEN,
      );
    }
    expect(handler.hasReachedLimit).to.equal(false);
  });
  it('log lines are passed on together, and once', () => {
    const { handler, lines } = handlerWith({});
    handler.handle(request('/a'), STAYS_OPEN, undefined);
    handler.handle(request('/b'), STAYS_OPEN, undefined);
    expect(lines).to.deep.equal([]);
    handler.flushLog();
    handler.flushLog();
    expect(lines).to.deep.equal(['GET /a\nGET /b\n']);
  });
  it('if a service fails, the client gets 500 and "close", and the next request is handled', () => {
    const warnings = collectWarnings();
    let calls = 0;
    const { handler } = handlerWith({
      service: () => {
        calls += 1;
        if (calls === 1) throw new Error('no');
        return { status: 200, body: 'x' };
      },
    });
    const failed = handler.handle(request('/'), STAYS_OPEN, undefined);
    expect(failed.persistence).to.equal(SERVER_FAILED);
    expect(failed.message).to.match(/^HTTP\/1\.1 500 .*Connection: close\r\n/s);
    expect(warnings).to.deep.equal([
      'The service failed, so the client gets 500: Error: no',
    ]);
    expect(handler.handle(request('/'), STAYS_OPEN, undefined).message).to.match(/x$/);
  });
  it('if a service fails at the last request, the server still stops because of the limit', () => {
    collectWarnings();
    const fail: Service = () => {
      throw new Error('no');
    };
    const { handler } = handlerWith({ maxRequests: 1, service: fail });
    const { persistence } = handler.handle(request('/'), STAYS_OPEN, undefined);
    expect(persistence).to.equal(LAST_REQUEST);
  });
  it('the trace has the turn, and the way of a service that explains itself', () => {
    const events: ConnectionEvent[] = [];
    const { handler } = handlerWith({
      service: (_, explain) => {
        explain?.('start', 'GET', 'get');
        explain?.('get', 'path is "/"', 'info');
        return { status: 404, body: '' };
      },
    });
    handler.handle(request('/'), STAYS_OPEN, (event) => events.push(event));
    expect(events).to.deep.equal([
      { type: 'turn', request: 1, limit: 0, method: 'GET', path: '/' },
      { type: 'route', steps: ['start', 'GET', 'get', 'path is "/"', 'info'], status: 404 },
    ]);
  });
  it('a service that explains itself too late does not change what was told', () => {
    const events: ConnectionEvent[] = [];
    let tooLate: Explain | undefined;
    const service: Service = (_, explain) => {
      tooLate = explain;
      explain?.('start', 'always', 'end');
      return { status: 200, body: '' };
    };
    const { handler } = handlerWith({ service });
    handler.handle(request('/'), STAYS_OPEN, (event) => events.push(event));
    tooLate?.('end', 'late', 'later');
    const steps = ['start', 'always', 'end'];
    expect(events[1]).to.deep.equal({ type: 'route', steps, status: 200 });
  });
});
