/// <reference lib="dom" />
/** Shows what the file holds: a run, or two of them side by side. */
import { Conversation } from '../model/conversation';
import { Page } from './app';
import { byId } from './dom';

const dataOf = (id: string) =>
  Conversation.of((byId(id).textContent ?? '').split('\n')).describe();

const page = new Page();
const runs = document.getElementById('runs')?.textContent;
if (runs) page.compare({ ...JSON.parse(runs), data: dataOf('other') });
page.show(dataOf('data'));
