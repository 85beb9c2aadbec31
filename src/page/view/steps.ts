/** The steps of an exchange in whole sentences, and what the server waits for in one line.
 * Pure: it knows no page. */
import { describeNow } from '../model/times';
import { milliseconds } from '../../text/text';
import { dataOf, isHidden, stepsOf, type State } from './state';
import { listOf, view, type View } from './view';

export function stepsView(state: State): View[] {
  const { exchange, step: chosen } = state;
  const data = dataOf(state);
  if (data === undefined || exchange === undefined) return [];
  const begin = exchange.request.arrivals[0]?.[0] ?? exchange.steps[0] ?? 0;
  return stepsOf(state).map((step) => {
    const { at = 0, lines = [], verb = '' } = data.steps[step] ?? {};
    const since = at - (data.steps[begin]?.at ?? 0);
    const time = milliseconds(Math.abs(since)).replace(' ms', '');
    const text = lines.map((line) => line.replace(/ \([^()]*RFC[^()]*\)/, '')).join('. ');
    return view(
      'li',
      {
        class: verb,
        role: 'option',
        'aria-selected': String(step === chosen),
        tabindex: step === chosen ? 0 : -1,
        'data-step': step,
      },
      view('span', 'time', (since < 0 ? '\u2212' : '') + time),
      view('span', 'verb', verb),
      view('span', 'text', text),
    );
  });
}

/** @returns which of how many steps is chosen, and that step for the ear */
export function describeStep(state: State): readonly [number: string, says: string] {
  const { step } = state;
  const steps = stepsOf(state);
  const { lines = [], verb = '' } = dataOf(state)?.steps[step] ?? {};
  const index = steps.indexOf(step) + 1;
  if (index === 0) return ['', ''];
  return [`${index} of ${steps.length}`, `Step ${index}, ${verb}: ${lines.join('. ')}`];
}

/** What the server waits for: on a live page, now, and else at the step that is chosen. */
export function nowView(state: State): View[] {
  const { exchange, step } = state;
  const data = dataOf(state);
  if (data === undefined || exchange === undefined) return [];
  const isUntold = isHidden(state, exchange);
  const { left, limit = 0, more, says, when } = describeNow(data, exchange, step, isUntold);
  const meter = { max: limit, low: limit / 5, value: left, 'aria-label': 'Time left' };
  return listOf(
    view('b', '', when),
    view('span', '', says),
    left === undefined ? undefined : view('meter', meter),
    view('span', 'soft', more),
  );
}
