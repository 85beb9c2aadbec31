/** The routing rules of the contract, §4, as a table: method, path, status, what the content must be, and Allow. */
import { expect } from 'chai';

export interface Rule {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly check: (content: unknown) => void;
  readonly allow?: string;
}

const error = (content: unknown): void => {
  expect(content).to.have.all.keys('error');
  expect(content).to.have.property('error').that.is.a('string').and.is.not.empty;
};
const task = (id: number, done: boolean) => (content: unknown): void => {
  expect(content).to.include({ id, done });
  expect(content).to.have.property('title').that.is.a('string').and.is.not.empty;
  expect(Object.keys(Object(content))).to.deep.equal(['id', 'title', 'done']);
};
const list = (content: unknown): void => {
  if (!Array.isArray(content)) throw new Error('no array');
  expect(content).to.have.lengthOf(3);
  for (const [at, done] of [true, false, false].entries()) task(at + 1, done)(content[at]);
};
const info = (content: unknown): void => {
  expect(Object.keys(Object(content))).to.deep.equal(['message', 'version']);
  expect(content).to.have.property('version', '1.0');
  expect(content).to.have.property('message').that.is.a('string').and.is.not.empty;
};
const deleted = (content: unknown): void => {
  expect(content).to.deep.equal({ deleted: true });
};

const INVALID = ['/tasks/', '/tasks/0', '/tasks/6', '/tasks/10', '/tasks/01', '/tasks/x', '/tasks/-1', '/tasks/1.0', '/tasks/%31', '/tasks//1', '/x/tasks/1', '//tasks/1', '/tasks/tasks/1'];
const ELSEWHERE = ['/x', '/tasksx', '/task/1', '/TASKS', '/Tasks/1', '//', '/tasks%2F1', '/tasks;a'];

function rules(method: string, one: (id: number) => Omit<Rule, 'method' | 'path'>): Rule[] {
  return [
    ...[1, 2, 3].map((id) => ({ method, path: `/tasks/${id}`, ...one(id) })),
    ...[4, 5].map((id) => ({ method, path: `/tasks/${id}`, status: 404, check: error })),
    { method, path: '/tasks/1/', ...one(1) },
    { method, path: '/tasks/2/more/of/it', ...one(2) },
    { method, path: '/a/3/tasks/', ...one(3) },
    ...INVALID.map((path) => ({ method, path, status: 400, check: error })),
    ...ELSEWHERE.map((path) => ({ method, path, status: 404, check: error })),
  ];
}

export const CONTRACT: readonly Rule[] = [
  { method: 'GET', path: '/tasks', status: 200, check: list },
  { method: 'GET', path: '/', status: 200, check: info },
  ...rules('GET', (id) => ({ status: 200, check: task(id, id === 1) })),
  { method: 'POST', path: '/tasks', status: 200, check: task(4, false) },
  ...['/', '/tasks/', '/tasks/1', '/tasks/4', ...ELSEWHERE].map((path) => ({ method: 'POST', path, status: 404, check: error })),
  ...['/', '/tasks'].flatMap((path) => ['PUT', 'DELETE'].map((method) => ({ method, path, status: 404, check: error }))),
  ...rules('PUT', (id) => ({ status: 200, check: task(id, true) })),
  ...rules('DELETE', () => ({ status: 200, check: deleted })),
  ...['PATCH', 'OPTIONS', 'TRACE', 'get', 'Get', 'PURGE', '!'].flatMap((method) => [
    { method, path: '/', status: 405, check: error, allow: 'GET' },
    { method, path: '/tasks', status: 405, check: error, allow: 'GET, POST' },
    { method, path: '/tasks/1', status: 405, check: error, allow: 'GET, PUT, DELETE' },
    { method, path: '/tasks/9', status: 405, check: error, allow: 'GET, PUT, DELETE' },
    { method, path: '/x/tasks/', status: 405, check: error, allow: 'GET, PUT, DELETE' },
    { method, path: '/x', status: 405, check: error, allow: 'GET, POST, PUT, DELETE' },
  ]),
  { method: 'OPTIONS', path: '*', status: 405, check: error, allow: 'GET, POST, PUT, DELETE' },
  { method: 'CONNECT', path: 'a:443', status: 405, check: error, allow: 'GET, POST, PUT, DELETE' },
];
