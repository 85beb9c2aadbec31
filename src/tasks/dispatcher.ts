/** The dispatcher: a method and a path in, a response out. It knows neither bytes nor
 * sockets. It is a state machine whose table is the routing rules of the API (README, "The
 * API"). In each state the conditions are tried in order, and the first that holds names
 * the next state, or a result. The last one always holds. A new route needs a rule and a
 * result, and a new path also a condition and its pattern; the compiler finds what is
 * missing. */
import {
  COMPLETED_TASK_JSON,
  CREATED_TASK_JSON,
  DELETED_JSON,
  INFO_JSON,
  LIST_JSON,
  TASK_JSON,
  VALID_IDS,
} from './tasks';

export const DISPATCHER: { readonly [Name in StateName]: Rules } = {
  start: [
    ['GET', 'get'],
    ['POST', 'post'],
    ['PUT', 'put'],
    ['DELETE', 'delete'],
    ['otherwise', 'methodNotAllowed'],
  ],

  get: [
    ['path is "/tasks"', 'list'],
    ['path is "/"', 'info'],
    ['path contains "/tasks/"', 'getId'],
    ['otherwise', 'notFound'],
  ],
  getId: [
    ['id is 1 to 5', 'getTask'],
    ['id is not 1 to 5', 'invalidId'],
  ],
  getTask: [
    ['task exists', 'task'],
    ['otherwise', 'taskNotFound'],
  ],
  post: [
    ['path is "/tasks"', 'created'],
    ['otherwise', 'notFound'],
  ],
  put: [
    ['path contains "/tasks/"', 'putId'],
    ['otherwise', 'notFound'],
  ],
  putId: [
    ['id is 1 to 5', 'putTask'],
    ['id is not 1 to 5', 'invalidId'],
  ],
  putTask: [
    ['task exists', 'done'],
    ['otherwise', 'taskNotFound'],
  ],
  delete: [
    ['path contains "/tasks/"', 'deleteId'],
    ['otherwise', 'notFound'],
  ],
  deleteId: [
    ['id is 1 to 5', 'deleteTask'],
    ['id is not 1 to 5', 'invalidId'],
  ],
  deleteTask: [
    ['task exists', 'deleted'],
    ['otherwise', 'taskNotFound'],
  ],
};

type StateName =
  | 'start'
  | 'get'
  | 'getId'
  | 'getTask'
  | 'post'
  | 'put'
  | 'putId'
  | 'putTask'
  | 'delete'
  | 'deleteId'
  | 'deleteTask';

/** A condition, and the state or the result that it leads to. */
export type Rule = readonly [ConditionName, StateName | ResultName];
type Rules = readonly [...Rule[], readonly [keyof typeof ALWAYS, StateName | ResultName]];

/** What a route depends on. */
export type RouteInput = { readonly method: string; readonly path: string };
type Condition = (input: RouteInput) => boolean;

const always: Condition = () => true;
const ALWAYS = {
  otherwise: always,
  'id is not 1 to 5': always, // after "id is 1 to 5"
} as const;
const METHODS = {
  GET: ({ method }: RouteInput) => method === 'GET',
  POST: ({ method }: RouteInput) => method === 'POST',
  PUT: ({ method }: RouteInput) => method === 'PUT',
  DELETE: ({ method }: RouteInput) => method === 'DELETE',
} as const;
const PATHS = {
  'path is "/tasks"': ({ path }: RouteInput) => path === '/tasks',
  'path is "/"': ({ path }: RouteInput) => path === '/',
  'path contains "/tasks/"': ({ path }: RouteInput) => path.includes('/tasks/'),
} as const;
const CONDITIONS = {
  ...METHODS,
  ...PATHS,
  ...ALWAYS,
  'id is 1 to 5': ({ path }: RouteInput) => VALID_IDS.has(idOf(path)),
  'task exists': ({ path }: RouteInput) => TASK_JSON.has(idOf(path)),
} as const;
type ConditionName = keyof typeof CONDITIONS;

/** The paths that a condition matches, as the banner shows them. */
const PATTERNS: { readonly [Name in keyof typeof PATHS]: string } = {
  'path is "/tasks"': '/tasks',
  'path is "/"': '/',
  'path contains "/tasks/"': '/tasks/<id>',
};

interface TaskResponse {
  readonly status: 200 | 400 | 404 | 405;
  readonly body: string; // JSON
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
}

export const RESULTS = {
  info: () => ok(INFO_JSON),
  list: () => ok(LIST_JSON),
  task: ({ path }: RouteInput) => ok(TASK_JSON.get(idOf(path))),
  created: () => ok(CREATED_TASK_JSON),
  done: ({ path }: RouteInput) => ok(COMPLETED_TASK_JSON.get(idOf(path))),
  deleted: () => ok(DELETED_JSON),
  invalidId: ({ path }: RouteInput) => {
    const what = 'the part of the path after its second "/" must be a number from 1 to 5';
    return fail(400, `Invalid task id "${idOf(path)}": ${what}`);
  },
  taskNotFound: () => fail(404, 'Task not found'),
  notFound: () => fail(404, 'Not found'),
  /** Allow names the methods with a route for the path, or all where none has one
   * (9110 §10.2.1). */
  methodNotAllowed: (input: RouteInput) => {
    const here = ROUTES.filter(({ path }) => CONDITIONS[path](input));
    const methods = new Set((here.length > 0 ? here : ROUTES).map(({ method }) => method));
    const headers = [{ name: 'Allow', value: [...methods].join(', ') }];
    return { ...fail(405, 'Method not allowed'), headers };
  },
} as const;
type ResultName = keyof typeof RESULTS;
type Result = (input: RouteInput) => TaskResponse;

/** Where a rule can lead: to a state with rules of its own, or to a result. */
const STEPS: { readonly [Name in StateName | ResultName]: Rules | Result } = {
  ...DISPATCHER,
  ...RESULTS,
};

/** @param body never missing: the conditions on the way here have made sure of that */
function ok(body = ''): TaskResponse {
  return { status: 200, body };
}

function fail(status: TaskResponse['status'], error: string): TaskResponse {
  return { status, body: JSON.stringify({ error }) };
}

/** Responds to a request for the tasks. Only the method and the path count.
 * @param explain takes each step: a state, the condition that held there, and what comes
 * next */
export function taskService(
  input: RouteInput,
  explain?: (state: string, condition: string, next: string) => void,
): TaskResponse {
  let at: StateName | ResultName = 'start';
  let step: Rules | Result = DISPATCHER.start;
  while (typeof step !== 'function') {
    const [condition, next]: Rule = findRule(step, input);
    explain?.(at, describe(condition, input), next);
    at = next;
    step = STEPS[next];
  }
  return step(input);
}

export function isState(name: StateName | ResultName): name is StateName {
  return name in DISPATCHER;
}

/** @returns the first rule whose condition holds */
function findRule(rules: readonly Rule[], input: RouteInput): Rule {
  for (const rule of rules) {
    if (CONDITIONS[rule[0]](input)) return rule;
  }
  throw new Error('no condition of the state holds');
}

/** @returns the name of a condition, with the id that it is about */
function describe(condition: ConditionName, { path }: RouteInput): string {
  return condition.replace(/^id /, () => `id "${idOf(path)}" `);
}

/** The routes: a method that is served, and a condition that its path can meet. */
const ROUTES = DISPATCHER.start.flatMap(([method, next]) => {
  const rules: readonly Rule[] = isState(next) ? DISPATCHER[next] : [];
  const paths = rules.map(([path]) => path).filter((path) => path in PATHS);
  return (paths as (keyof typeof PATHS)[]).map((path) => ({ method, path }));
});

/** Every endpoint of the table, as "METHOD path". */
export const ENDPOINTS = ROUTES.map(({ method, path }) => `${method} ${PATTERNS[path]}`);

/** The id in a path: the element at index 2 when the path is split at "/". Index 0 is the
 * empty element before the first "/". */
function idOf(path: string): string {
  const start = path.indexOf('/', path.indexOf('/') + 1) + 1;
  const end = path.indexOf('/', start);
  return path.slice(start, end < 0 ? undefined : end);
}
