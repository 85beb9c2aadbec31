import { expect } from 'chai';
import { dispatch, DISPATCHER, endpoints } from '../../src/tasks/dispatcher';
import { CONTRACT } from '../support/contract';

describe('the contract, through the dispatcher', () => {
  for (const { method, path, status, check, allow } of CONTRACT) {
    it(`${method} ${path} -> ${status}${allow === undefined ? '' : ` Allow: ${allow}`}`, () => {
      const result = dispatch(method, path);
      expect(result.status).to.equal(status);
      expect(result.content).to.equal(JSON.stringify(JSON.parse(result.content)));
      check(JSON.parse(result.content));
      expect(result.fields).to.deep.equal(allow && [`Allow: ${allow}`]);
    });
  }
});

describe('the dispatcher', () => {
  it('explains its way through the table', () => {
    const way: string[][] = [];
    dispatch('PUT', '/tasks/4', (...step) => way.push(step));
    expect(way).to.deep.equal([
      ['start', 'PUT', 'put'],
      ['put', 'path contains "/tasks/"', 'putId'],
      ['putId', 'id is 1 to 5', 'putTask'],
      ['putTask', 'otherwise', 'taskNotFound'],
    ]);
  });
  it('has a table in which every state is reached', () => {
    const seen = new Set<string>(['start']);
    for (const state of seen) for (const [, to] of new Map<string, readonly (readonly [string, string])[]>(Object.entries(DISPATCHER)).get(state) ?? []) seen.add(to);
    expect([...seen]).to.include.members(Object.keys(DISPATCHER));
  });
  it('has exactly the endpoints of the contract', () => {
    expect(endpoints()).to.have.members(['GET /', 'GET /tasks', 'GET /tasks/<id>', 'POST /tasks', 'PUT /tasks/<id>', 'DELETE /tasks/<id>']);
  });
  it('changes nothing: a GET after PUT, POST and DELETE gives what it gave before', () => {
    const before = [dispatch('GET', '/tasks').content, dispatch('GET', '/tasks/2').content];
    for (const method of ['PUT', 'DELETE', 'POST']) for (const path of ['/tasks', '/tasks/2']) dispatch(method, path);
    expect([dispatch('GET', '/tasks').content, dispatch('GET', '/tasks/2').content]).to.deep.equal(before);
  });
});
