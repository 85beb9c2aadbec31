/** The dispatcher: a method and a path in, a response out. It knows neither bytes nor
 * sockets. It is a state machine whose table is the routing rules of the API (README, "The
 * API"). In each state the conditions are tried in order, and the first that holds names
 * the next state, or a result. The last one always holds. A new route needs a rule and a
 * result, and a new path also a condition and its pattern; the compiler finds what is
 * missing. */
import {
  COMPLETED_TASK_JSON,
  CREATED_JSON,
  DELETED_JSON,
  INFO_JSON,
  LIST_JSON,
  TASK_JSON,
  VALID_IDS,
} from './tasks';

// prettier-ignore
export const DISPATCHER = {
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
  getId:      [['id is 1 to 5', 'getTask'], ['id is not 1 to 5', 'invalidId']],
  getTask:    [['task exists', 'task'], ['otherwise', 'taskNotFound']],
  post:       [['path is "/tasks"', 'created'], ['otherwise', 'notFound']],
  put:        [['path contains "/tasks/"', 'putId'], ['otherwise', 'notFound']],
  putId:      [['id is 1 to 5', 'putTask'], ['id is not 1 to 5', 'invalidId']],
  putTask:    [['task exists', 'done'], ['otherwise', 'taskNotFound']],
  delete:     [['path contains "/tasks/"', 'deleteId'], ['otherwise', 'notFound']],
  deleteId:   [['id is 1 to 5', 'deleteTask'], ['id is not 1 to 5', 'invalidId']],
  deleteTask: [['task exists', 'deleted'], ['otherwise', 'taskNotFound']],
} as const satisfies { readonly [state: string]: Rules };

type Rules = readonly [
  ...(readonly [ConditionName, next: string])[],
  readonly ['otherwise' | 'id is not 1 to 5', next: string],
];
type StateName = keyof typeof DISPATCHER;
/** A condition, and the state or the result that it leads to. */
type Rule = (typeof DISPATCHER)[StateName][number];

/** What a route depends on. */
type RouteInput = { readonly method: string; readonly path: string };
type Condition = (input: RouteInput) => boolean;

const CONDITIONS = {
  GET: ({ method }) => method === 'GET',
  POST: ({ method }) => method === 'POST',
  PUT: ({ method }) => method === 'PUT',
  DELETE: ({ method }) => method === 'DELETE',
  'path is "/tasks"': ({ path }) => path === '/tasks',
  'path is "/"': ({ path }) => path === '/',
  'path contains "/tasks/"': ({ path }) => path.includes('/tasks/'),
  'id is 1 to 5': ({ path }) => VALID_IDS.has(idOf(path)),
  'id is not 1 to 5': ({ path }) => !VALID_IDS.has(idOf(path)),
  'task exists': ({ path }) => TASK_JSON.has(idOf(path)),
  otherwise: () => true,
} satisfies { readonly [name: string]: Condition };
type ConditionName = keyof typeof CONDITIONS;
type PathCondition = Extract<ConditionName, `path ${string}`>;

/** The paths that a condition matches, as the banner shows them. */
const PATTERNS: { readonly [Name in PathCondition]: string } = {
  'path is "/tasks"': '/tasks',
  'path is "/"': '/',
  'path contains "/tasks/"': '/tasks/<id>',
};

type Result = (input: RouteInput) => TaskResponse;
interface TaskResponse {
  readonly status: 200 | 400 | 404 | 405;
  readonly body: string; // JSON
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
}

export const RESULTS = {
  info: () => ok(INFO_JSON),
  list: () => ok(LIST_JSON),
  task: ({ path }) => ok(TASK_JSON.get(idOf(path))),
  created: () => ok(CREATED_JSON),
  done: ({ path }) => ok(COMPLETED_TASK_JSON.get(idOf(path))),
  deleted: () => ok(DELETED_JSON),
  invalidId: ({ path }) => {
    const what = 'the part of the path after its second "/" must be a number from 1 to 5';
    return fail(400, `Invalid task id "${idOf(path)}": ${what}`);
  },
  taskNotFound: () => fail(404, 'Task not found'),
  notFound: () => fail(404, 'Not found'),
  /** Allow names the methods with a route for the path, or all where none has one
   * (9110 §10.2.1). */
  methodNotAllowed: (input) => {
    const here = ROUTES.filter(({ path }) => CONDITIONS[path](input));
    const methods = new Set((here.length > 0 ? here : ROUTES).map(({ method }) => method));
    const headers = [{ name: 'Allow', value: [...methods].join(', ') }];
    return { ...fail(405, 'Method not allowed'), headers };
  },
} satisfies { readonly [name: string]: Result };

/** A rule, with what it names: to look that up would cost more than to try the rule. */
interface Step {
  readonly condition: ConditionName;
  readonly holds: Condition;
  readonly next: string;
  readonly leadsTo: readonly Step[] | Result;
}

function stepsOf(rules: readonly Rule[]): readonly Step[] {
  return rules.map(([condition, next]) => {
    const leadsTo = isState(next) ? stepsOf(DISPATCHER[next]) : RESULTS[next];
    return { condition, holds: CONDITIONS[condition], next, leadsTo };
  });
}

const START = stepsOf(DISPATCHER.start);

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
  const namedId = (): string => `id "${idOf(input.path)}" `;
  let at = 'start';
  let leadsTo: Step['leadsTo'] = START;
  while (typeof leadsTo !== 'function') {
    // The last rule always holds.
    const step = leadsTo.find(({ holds }) => holds(input)) as Step;
    explain?.(at, step.condition.replace(/^id /, namedId), step.next);
    at = step.next;
    leadsTo = step.leadsTo;
  }
  return leadsTo(input);
}

function isPath(name: ConditionName): name is PathCondition {
  return name in PATTERNS;
}

export function isState(name: string): name is StateName {
  return name in DISPATCHER;
}

/** The routes: a method that is served, and a condition that its path can meet. */
const ROUTES = DISPATCHER.start.flatMap(([method, next]) => {
  const rules: readonly Rule[] = isState(next) ? DISPATCHER[next] : [];
  return rules.flatMap(([path]) => (isPath(path) ? [{ method, path }] : []));
});

/** Every endpoint of the table, as "METHOD path". */
export const ENDPOINTS = ROUTES.map(({ method, path }) => `${method} ${PATTERNS[path]}`);

/** The id in a path: the element at index 2 when the path is split at "/". Index 0 is the
 * empty element before the first "/". */
function idOf(path: string): string {
  const [, , id = ''] = path.split('/', 3);
  return id;
}
