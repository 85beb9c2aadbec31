/** Shows what the file holds. */
import type { PageData } from '../model/page-data';
import { byId } from './dom';
import { Page } from './app';

const data: PageData = JSON.parse(byId('data').textContent ?? '');
new Page().show(data);
