/** What the client of the proxy received that sent last. Pure: it knows no page. */
import { clientsOf } from '../../../page/model/lanes';
import type { PageData } from '../../../page/model/page-data';
import { receiptsIn } from '../../../page/model/runs';
import { clientOf, type State } from './state';

/** @returns a sentence, or '' where nothing can be said or is to be said */
export function resultOf(state: State, data: PageData | undefined): string {
  const { isPredicting, sender } = state;
  const { name = '' } = clientOf(state, sender?.client ?? NaN) ?? {};
  if (isPredicting || data === undefined || !name.startsWith('p')) return '';
  const client = clientsOf(data).indexOf(name);
  const receipt = receiptsIn(data)
    .filter((one) => one.client === client)
    .at(-1);
  const who = sender?.who ? `The ${sender.who} (${name})` : name;
  if (receipt === undefined) return `${who} has received nothing yet.`;
  const { isOther, says } = receipt;
  return `${who} received ${says}${isOther ? ', for which it had not asked' : ''}.`;
}
