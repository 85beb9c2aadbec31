/** The resources: three tasks that never change, and their JSON, made once. */

const TASKS = [
  { id: 1, title: 'Read a request line', done: true },
  { id: 2, title: 'Find the end of the content', done: false },
  { id: 3, title: 'Close the connection gracefully', done: false },
];
export const NAME = 'Task Management API';
export const VERSION = '1.0';
/** The ids that a path may name. Tasks exist for the first three. */
export const VALID_IDS: ReadonlySet<string> = new Set(['1', '2', '3', '4', '5']);
export const INFO_JSON = JSON.stringify({ message: NAME, version: VERSION });
export const LIST_JSON = JSON.stringify(TASKS);
export const CREATED_JSON = JSON.stringify({ id: 4, title: 'A new task', done: false });
export const DELETED_JSON = JSON.stringify({ deleted: true });
/** Each task by its id: unchanged, and completed. */
export const TASK_JSON = jsonById(TASKS);
export const COMPLETED_TASK_JSON = jsonById(TASKS.map((task) => ({ ...task, done: true })));

function jsonById(tasks: typeof TASKS): ReadonlyMap<string, string> {
  return new Map(tasks.map((task) => [String(task.id), JSON.stringify(task)]));
}
