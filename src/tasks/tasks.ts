/** What the service knows: three tasks that never change, and the JSON of them, made once. */

interface Task {
  readonly id: number;
  readonly title: string;
  readonly done: boolean;
}

const TASKS: readonly Task[] = [
  { id: 1, title: 'Read a request line', done: true },
  { id: 2, title: 'Find the end of the content', done: false },
  { id: 3, title: 'Close the connection gracefully', done: false },
];

export const NAME = 'Task Management API';
export const VERSION = '1.0';

/** The ids that a path may name. Tasks exist for the first three. */
export const IDS: ReadonlySet<string> = new Set(['1', '2', '3', '4', '5']);

export const INFO = JSON.stringify({ message: NAME, version: VERSION });
export const LIST = JSON.stringify(TASKS);
export const CREATED = JSON.stringify({ id: 4, title: 'A new task', done: false } satisfies Task);
export const DELETED = JSON.stringify({ deleted: true });

/** Every task that exists, by its id: as it is, and as it is once done. */
export const SHOWN = jsonById(TASKS);
export const DONE = jsonById(TASKS.map((task) => ({ ...task, done: true })));

function jsonById(tasks: readonly Task[]): ReadonlyMap<string, string> {
  return new Map(tasks.map((task) => [String(task.id), JSON.stringify(task)]));
}
