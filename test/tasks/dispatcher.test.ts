import { expect } from 'chai';
import { DISPATCHER, ENDPOINTS, RESULTS, taskService } from '../../src/tasks/dispatcher';
import { CONTRACT } from '../support/api-table';

const dispatch = (method: string, path: string) => taskService({ method, path });

/** The steps of the decision: state, condition, state, condition, ..., result. */
function explain(method: string, path: string): string[] {
  const steps = ['start'];
  taskService({ method, path }, (state, condition, next) => {
    expect(state, 'where a step starts').to.equal(steps.at(-1));
    steps.push(condition, next);
  });
  return steps;
}

describe('the tasks, by method and path', () => {
  for (const { method, path, status, check, allow } of CONTRACT) {
    const withAllow = allow === undefined ? '' : ` with Allow: ${allow}`;
    it(`${method} ${path} gets ${status}${withAllow}`, () => {
      const response = dispatch(method, path);
      const content: unknown = JSON.parse(response.body);
      expect(response.status).to.equal(status);
      expect(response.body, 'without white space').to.equal(JSON.stringify(content));
      check(content);
      expect(response.headers).to.deep.equal(allow && [{ name: 'Allow', value: allow }]);
    });
  }

  it('nothing is stored: GET gives the same before and after PUT, DELETE and POST', () => {
    const read = (): string[] =>
      ['/tasks', '/tasks/2'].map((path) => dispatch('GET', path).body);
    const before = read();
    for (const method of ['PUT', 'DELETE', 'POST']) {
      for (const path of ['/tasks', '/tasks/2']) dispatch(method, path);
    }
    expect(read()).to.deep.equal(before);
  });
});

describe('the table of the dispatcher', () => {
  it('every rule of the dispatcher is used by a row of the API', () => {
    const arrows = Object.entries(DISPATCHER).flatMap(([name, rules]) =>
      rules.map(([, next]) => `${name} -> ${next}`),
    );
    const states = new Set(arrows.map((arrow) => arrow.replace(/.* /, '')));
    expect(states).to.include.all.keys(Object.keys(RESULTS));
    const taken = CONTRACT.flatMap(({ method, path }) => {
      const names = explain(method, path).filter((_, at) => at % 2 === 0);
      return names.slice(1).map((next, at) => `${names[at]} -> ${next}`);
    });
    expect([...new Set(taken)]).to.have.members(arrows);
  });
  it('the endpoints of the banner follow from the table of the dispatcher', () => {
    expect(ENDPOINTS.join()).to.equal(
      'GET /tasks,GET /,GET /tasks/<id>,POST /tasks,PUT /tasks/<id>,DELETE /tasks/<id>',
    );
  });
});

const BY_ID = 'path contains "/tasks/"';
// prettier-ignore
const WAYS = [
  ['GET',    '/',          'GET get, path is "/" info'],
  ['POST',   '/',          'POST post, otherwise notFound'],
  ['get',    '/',          'otherwise methodNotAllowed'],
  ['GET',    '/tasks/3',   `GET get, ${BY_ID} getId, id "3" is 1 to 5 getTask, task exists task`],
  ['DELETE', '/tasks/x/1', `DELETE delete, ${BY_ID} deleteId, id "x" is not 1 to 5 invalidId`],
  ['GET',    '/tasks/$&',  `GET get, ${BY_ID} getId, id "$&" is not 1 to 5 invalidId`],
] as const;

describe('the dispatcher explains its way', () => {
  for (const [method, path, way] of WAYS) {
    it(`the dispatcher explains how ${method} ${path} leads to ${way.split(' ').at(-1)}`, () => {
      const [, ...steps] = explain(method, path);
      const pairs = steps.flatMap((step, at) =>
        at % 2 ? [`${steps[at - 1]} ${step}`] : [],
      );
      expect(pairs.join(', ')).to.equal(way);
    });
  }
});
