/** The routing rules of the API as a table: for each method and path, the response. */
import { expect } from 'chai';

export interface Rule {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Checks the content once it is parsed. */
  readonly check: (content: unknown) => void;
  /** The Allow field of a 405. */
  readonly allow?: string;
}

const isText = (value: unknown): void => {
  expect(value).to.be.a('string').and.to.not.equal('');
};
const error = (content: unknown): void => {
  expect(content).to.have.all.keys('error');
  isText(Object(content).error);
};
const task =
  (id: number, done: boolean) =>
  (content: unknown): void => {
    expect(Object.keys(Object(content))).to.deep.equal(['id', 'title', 'done']);
    expect(content).to.include({ id, done });
    isText(Object(content).title);
  };
const list = (content: unknown): void => {
  expect(content).to.be.an('array').with.lengthOf(3);
  for (const [at, done] of [true, false, false].entries())
    task(at + 1, done)(Object(content)[at]);
};
const info = (content: unknown): void => {
  expect(Object.keys(Object(content))).to.deep.equal(['message', 'version']);
  expect(content).to.have.property('version', '1.0');
  isText(Object(content).message);
};
const deleted = (content: unknown): void => {
  expect(content).to.deep.equal({ deleted: true });
};

// prettier-ignore
const INVALID_ID = [
  '/tasks/', '/tasks/0', '/tasks/6', '/tasks/10', '/tasks/01', '/tasks/x', '/tasks/-1',
  '/tasks/1.0', '/tasks/%31', '/tasks//1', '/x/tasks/1', '//tasks/1', '/tasks/tasks/1',
];
// prettier-ignore
const ELSEWHERE = [
  '/x', '/tasksx', '/task/1', '/TASKS', '/Tasks/1', '//', '/tasks%2F1', '/tasks;a',
];
const ALL = 'GET, POST, PUT, DELETE';

/** The rules of a method with a route for "/tasks/<id>". */
function rules(method: string, one: (id: number) => Omit<Rule, 'method' | 'path'>): Rule[] {
  const fails = (status: number, paths: readonly string[]): Rule[] =>
    paths.map((path) => ({ method, path, status, check: error }));
  return [
    ...[1, 2, 3].map((id) => ({ method, path: `/tasks/${id}`, ...one(id) })),
    ...fails(404, ['/tasks/4', '/tasks/5']),
    { method, path: '/tasks/1/', ...one(1) },
    { method, path: '/tasks/2/more/of/it', ...one(2) },
    { method, path: '/a/3/tasks/', ...one(3) },
    ...fails(400, INVALID_ID),
    ...fails(404, ELSEWHERE),
  ];
}

function notAllowed(method: string, path: string, allow: string): Rule {
  return { method, path, status: 405, check: error, allow };
}

/** The rules of a method that has no route at all. */
function noRoutes(method: string): Rule[] {
  return [
    notAllowed(method, '/', 'GET'),
    notAllowed(method, '/tasks', 'GET, POST'),
    notAllowed(method, '/tasks/1', 'GET, PUT, DELETE'),
    notAllowed(method, '/tasks/9', 'GET, PUT, DELETE'),
    notAllowed(method, '/x/tasks/', 'GET, PUT, DELETE'),
    notAllowed(method, '/x', ALL),
  ];
}

const NOT_POSTED = ['/', '/tasks/', '/tasks/1', '/tasks/4', ...ELSEWHERE];

export const CONTRACT: readonly Rule[] = [
  { method: 'GET', path: '/tasks', status: 200, check: list },
  { method: 'GET', path: '/', status: 200, check: info },
  ...rules('GET', (id) => ({ status: 200, check: task(id, id === 1) })),
  { method: 'POST', path: '/tasks', status: 200, check: task(4, false) },
  ...NOT_POSTED.map((path) => ({ method: 'POST', path, status: 404, check: error })),
  ...['/', '/tasks'].flatMap((path) => [
    { method: 'PUT', path, status: 404, check: error },
    { method: 'DELETE', path, status: 404, check: error },
  ]),
  ...rules('PUT', (id) => ({ status: 200, check: task(id, true) })),
  ...rules('DELETE', () => ({ status: 200, check: deleted })),
  ...['PATCH', 'OPTIONS', 'TRACE', 'get', 'Get', 'PURGE', '!'].flatMap(noRoutes),
  notAllowed('OPTIONS', '*', ALL),
  notAllowed('CONNECT', 'a:443', ALL),
];
