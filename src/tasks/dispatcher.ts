/** The dispatcher: a method and a path in, a response out. It has no bytes and no sockets.
 * It is a state machine whose table is the routing rules of the API (README, "The API").
 * In each state the conditions are tried in order, and the first that matches names the
 * next state, or a result. A new route is one rule and one result, and the compiler finds
 * what is missing. */
import {
  COMPLETED_TASK_JSON,
  CREATED_TASK_JSON,
  DELETED_JSON,
  INFO_JSON,
  LIST_JSON,
  TASK_JSON,
  VALID_IDS,
} from './tasks';

/** What a route depends on. */
type RouteInput = { readonly method: string; readonly path: string };

interface TaskResponse {
  readonly status: 200 | 400 | 404 | 405;
  readonly body: string; // JSON
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
}

/** Makes the response. Its name is what the trace shows. */
type Result = (input: RouteInput) => TaskResponse;

const info: Result = () => ok(INFO_JSON);
const list: Result = () => ok(LIST_JSON);
const task: Result = ({ path }) => ok(TASK_JSON.get(idOf(path)));
const created: Result = () => ok(CREATED_TASK_JSON);
const done: Result = ({ path }) => ok(COMPLETED_TASK_JSON.get(idOf(path)));
const deleted: Result = () => ok(DELETED_JSON);
const invalidId: Result = ({ path }) => {
  const what = 'the part of the path after its second "/" must be a number from 1 to 5';
  return fail(400, `Invalid task id "${idOf(path)}": ${what}`);
};
const taskNotFound: Result = () => fail(404, 'Task not found');
const notFound: Result = () => fail(404, 'Not found');
/** Allow names the methods with a route for the path, or all where none has one
 * (9110 §10.2.1). */
const methodNotAllowed: Result = (input) => {
  const here = ROUTES.filter(({ matches }) => matches(input));
  const methods = new Set((here.length > 0 ? here : ROUTES).map(({ method }) => method));
  const headers = [{ name: 'Allow', value: [...methods].join(', ') }];
  return { ...fail(405, 'Method not allowed'), headers };
};

/** @param body never missing: the conditions on the way here have made sure of that */
const ok = (body = ''): TaskResponse => ({ status: 200, body });
const fail = (status: TaskResponse['status'], error: string): TaskResponse => ({
  status,
  body: JSON.stringify({ error }),
});

interface Condition {
  readonly label: string;
  readonly matches: (input: RouteInput) => boolean;
  readonly describe?: (input: RouteInput) => string; // its label, with what it looked at
  readonly pattern?: string; // the paths that match, as the banner shows them
}

const is = (label: string): Condition => ({
  label,
  matches: ({ method }) => method === label,
});
const pathIs = (pattern: string): Condition => ({
  label: `path is "${pattern}"`,
  matches: ({ path }) => path === pattern,
  pattern,
});
const pathContains = (text: string): Condition => ({
  label: `path contains "${text}"`,
  matches: ({ path }) => path.includes(text),
  pattern: `${text}<id>`,
});
const validId: Condition = {
  label: 'id is 1 to 5',
  matches: ({ path }) => VALID_IDS.has(idOf(path)),
  describe: ({ path }) => `id "${idOf(path)}" is 1 to 5`,
};
const taskExists: Condition = {
  label: 'task exists',
  matches: ({ path }) => TASK_JSON.has(idOf(path)),
};
const otherwise = { label: 'otherwise', matches: () => true } as const satisfies Condition;
const otherId = {
  ...otherwise,
  describe: ({ path }: RouteInput) => `id "${idOf(path)}" is not 1 to 5`,
};

/** A state of the machine, with its rules in the order in which they are tried. */
export interface State {
  readonly name: string;
  readonly rules: Rule[];
}
interface Rule {
  readonly condition: Condition;
  readonly next: State | Result;
}
/** The rules of a state, with names for the states that they lead to. The last rule always
 * matches. */
type Row<Name> = readonly [
  ...(readonly [Condition, Name | Result])[],
  readonly [typeof otherwise, Name | Result],
];

/** Makes a state of each row. The compiler checks that every name is that of a row. */
function makeStates<Name extends string>(rows: {
  readonly [N in Name]: Row<NoInfer<Name>>;
}): Readonly<Record<Name, State>> {
  const names = Object.keys(rows) as Name[];
  const states = {} as Record<Name, State>;
  for (const name of names) states[name] = { name, rules: [] };
  for (const name of names) {
    for (const [condition, to] of rows[name]) {
      const next = typeof to === 'string' ? states[to] : to;
      states[name].rules.push({ condition, next });
    }
  }
  return states;
}

export const DISPATCHER = makeStates({
  start: [
    [is('GET'), 'get'],
    [is('POST'), 'post'],
    [is('PUT'), 'put'],
    [is('DELETE'), 'delete'],
    [otherwise, methodNotAllowed],
  ],

  get: [
    [pathIs('/tasks'), list],
    [pathIs('/'), info],
    [pathContains('/tasks/'), 'getId'],
    [otherwise, notFound],
  ],
  getId: [
    [validId, 'getTask'],
    [otherId, invalidId],
  ],
  getTask: [
    [taskExists, task],
    [otherwise, taskNotFound],
  ],
  post: [
    [pathIs('/tasks'), created],
    [otherwise, notFound],
  ],
  put: [
    [pathContains('/tasks/'), 'putId'],
    [otherwise, notFound],
  ],
  putId: [
    [validId, 'putTask'],
    [otherId, invalidId],
  ],
  putTask: [
    [taskExists, done],
    [otherwise, taskNotFound],
  ],
  delete: [
    [pathContains('/tasks/'), 'deleteId'],
    [otherwise, notFound],
  ],
  deleteId: [
    [validId, 'deleteTask'],
    [otherId, invalidId],
  ],
  deleteTask: [
    [taskExists, deleted],
    [otherwise, taskNotFound],
  ],
});

/** Responds to a request for the tasks. Only the method and the path count.
 * @param explain takes each step: a state, the condition that matched there, and what comes
 * next */
export function taskService(
  input: RouteInput,
  explain?: (state: string, condition: string, next: string) => void,
): TaskResponse {
  let next: State | Result = DISPATCHER.start;
  while (typeof next !== 'function') {
    const state: State = next;
    const rule = findRule(state, input);
    const { condition } = rule;
    next = rule.next;
    explain?.(state.name, condition.describe?.(input) ?? condition.label, next.name);
  }
  return next(input);
}

/** @returns the first rule whose condition holds. The last one of a state always does. */
function findRule({ rules }: State, input: RouteInput): Rule {
  for (const rule of rules) {
    if (rule.condition.matches(input)) return rule;
  }
  throw new Error('no condition of the state matches');
}

/** The routes: a method that is served, and a condition that its path can meet. */
const ROUTES = DISPATCHER.start.rules.flatMap(({ condition: { label: method }, next }) => {
  const rules = typeof next === 'function' ? [] : next.rules;
  return rules.flatMap(({ condition: { matches, pattern } }) =>
    pattern ? [{ method, matches, pattern }] : [],
  );
});

/** Every endpoint of the table, as "METHOD path". */
export const ENDPOINTS = ROUTES.map(({ method, pattern }) => `${method} ${pattern}`);

/** The id in a path: the element at index 2 when the path is split at "/". Index 0 is the
 * empty element before the first "/". */
function idOf(path: string): string {
  const start = path.indexOf('/', path.indexOf('/') + 1) + 1;
  const end = path.indexOf('/', start);
  return path.slice(start, end < 0 ? undefined : end);
}
