/**
 * The dispatcher: a method and a path in, a result out. Knows no octets and no sockets.
 *
 * It is a state machine whose table is the routing rules of the contract. In each state the conditions are tried from left to right, and
 * the first that holds names the next state, until that is a result.
 */
import { CREATED, DELETED, DONE, IDS, INFO, LIST, SHOWN } from './tasks';

/** What the conditions look at. */
interface Asked {
  readonly method: string;
  readonly path: string;
}

/** The element at index 2 of a path split on "/": what stands behind the second of them, up to the third. */
function idOf(path: string): string {
  const start = path.indexOf('/', path.indexOf('/') + 1) + 1;
  const end = path.indexOf('/', start);
  return path.slice(start, end < 0 ? undefined : end);
}

const CONDITIONS = {
  GET: ({ method }: Asked) => method === 'GET',
  POST: ({ method }: Asked) => method === 'POST',
  PUT: ({ method }: Asked) => method === 'PUT',
  DELETE: ({ method }: Asked) => method === 'DELETE',
  'path is "/tasks"': ({ path }: Asked) => path === '/tasks',
  'path is "/"': ({ path }: Asked) => path === '/',
  'path contains "/tasks/"': ({ path }: Asked) => path.includes('/tasks/'),
  'id is 1 to 5': ({ path }: Asked) => IDS.has(idOf(path)),
  'task exists': ({ path }: Asked) => SHOWN.has(idOf(path)),
  otherwise: () => true,
} as const;

type Condition = keyof typeof CONDITIONS;
type State = 'start' | 'get' | 'getId' | 'getTask' | 'post' | 'put' | 'putId' | 'putTask' | 'delete' | 'deleteId' | 'deleteTask';
type Outcome = 'info' | 'list' | 'task' | 'created' | 'done' | 'deleted' | 'invalidId' | 'taskNotFound' | 'notFound' | 'methodNotAllowed';

/** The last rule of every row holds always, so every request finds its way. */
type Rule = readonly [Condition, State | Outcome];
type Row = readonly [...Rule[], readonly ['otherwise', State | Outcome]];

export const DISPATCHER = {
  start: [['GET', 'get'], ['POST', 'post'], ['PUT', 'put'], ['DELETE', 'delete'], ['otherwise', 'methodNotAllowed']],

  get: [['path is "/tasks"', 'list'], ['path is "/"', 'info'], ['path contains "/tasks/"', 'getId'], ['otherwise', 'notFound']],
  getId: [['id is 1 to 5', 'getTask'], ['otherwise', 'invalidId']],
  getTask: [['task exists', 'task'], ['otherwise', 'taskNotFound']],

  post: [['path is "/tasks"', 'created'], ['otherwise', 'notFound']],

  put: [['path contains "/tasks/"', 'putId'], ['otherwise', 'notFound']],
  putId: [['id is 1 to 5', 'putTask'], ['otherwise', 'invalidId']],
  putTask: [['task exists', 'done'], ['otherwise', 'taskNotFound']],

  delete: [['path contains "/tasks/"', 'deleteId'], ['otherwise', 'notFound']],
  deleteId: [['id is 1 to 5', 'deleteTask'], ['otherwise', 'invalidId']],
  deleteTask: [['task exists', 'deleted'], ['otherwise', 'taskNotFound']],
} as const satisfies { readonly [S in State]: Row };

/** The four categories of a result, and their status codes. */
const STATUS = { Success: 200, NotFound: 404, BadRequest: 400, MethodNotAllowed: 405 } as const;
type Category = keyof typeof STATUS;

export interface Result {
  readonly status: (typeof STATUS)[Category];
  /** JSON. */
  readonly content: string;
  /** Field lines that the answer needs besides, each "Name: value". */
  readonly fields?: readonly string[];
}

const METHOD_NOT_ALLOWED = error('Method not allowed');
const TASK_NOT_FOUND = result('NotFound', error('Task not found'));

const RESULTS: { readonly [O in Outcome]: (asked: Asked) => Result } = {
  info: always(result('Success', INFO)),
  list: always(result('Success', LIST)),
  task: byId(SHOWN),
  created: always(result('Success', CREATED)),
  done: byId(DONE),
  deleted: always(result('Success', DELETED)),
  invalidId: always(result('BadRequest', error('Invalid task id: it must be a number from 1 to 5'))),
  taskNotFound: always(TASK_NOT_FOUND),
  notFound: always(result('NotFound', error('Not found'))),
  methodNotAllowed: ({ path }) => ({ status: STATUS.MethodNotAllowed, content: METHOD_NOT_ALLOWED, fields: [`Allow: ${allowed(path).join(', ')}`] }),
};

/** A rule as it is followed: its names are looked up once, and not at every request. */
interface Step {
  readonly condition: Condition;
  readonly holds: (asked: Asked) => boolean;
  readonly next: State | Outcome;
  readonly onwards: readonly Step[] | ((asked: Asked) => Result);
}

const START = stepsFrom('start');

function stepsFrom(state: State): readonly Step[] {
  return DISPATCHER[state].map(([condition, next]) => ({ condition, holds: CONDITIONS[condition], next, onwards: isOutcome(next) ? RESULTS[next] : stepsFrom(next) }));
}

/** @param explain hears each step of the way: a state, the condition that held there, and where it led */
export function dispatch(method: string, path: string, explain?: (state: string, condition: string, next: string) => void): Result {
  const asked: Asked = { method, path };
  let state: string = 'start';
  let steps = START;
  for (;;) {
    const step = steps.find(({ holds }) => holds(asked));
    if (step === undefined) throw new Error(`"otherwise" does not hold in ${state}`);
    explain?.(state, step.condition, step.next);
    if (typeof step.onwards === 'function') return step.onwards(asked);
    state = step.next;
    steps = step.onwards;
  }
}

/** Every endpoint that the table has, as "METHOD path". */
export function endpoints(): string[] {
  return SERVED.flatMap(({ method, rules }) => rules.map(({ condition }) => `${method} ${SHAPE[condition] ?? ''}`));
}

const SHAPE: { readonly [C in Condition]?: string } = {
  'path is "/tasks"': '/tasks',
  'path is "/"': '/',
  'path contains "/tasks/"': '/tasks/<id>',
};

/** For each method that is served, its rules about the path: what "otherwise" catches is not there. */
const SERVED = START.flatMap(({ condition: method, onwards }) => (typeof onwards === 'function' ? [] : [{ method, rules: onwards.slice(0, -1) }]));

/** The methods that have something at a path; all of them where none has (9110 §10.2.1). */
function allowed(path: string): string[] {
  const here = SERVED.filter(({ rules }) => rules.some(({ holds }) => holds({ method: '', path })));
  return (here.length > 0 ? here : SERVED).map(({ method }) => method);
}

function isOutcome(name: State | Outcome): name is Outcome {
  return name in RESULTS;
}

function always(result: Result): () => Result {
  return () => result;
}

function result(category: Category, content: string): Result {
  return { status: STATUS[category], content };
}

function byId(tasks: ReadonlyMap<string, string>): (asked: Asked) => Result {
  const results = new Map(Array.from(tasks, ([id, content]) => [id, result('Success', content)] as const));
  return ({ path }) => results.get(idOf(path)) ?? TASK_NOT_FOUND;
}

function error(text: string): string {
  return JSON.stringify({ error: text });
}
