/** Shows what the file holds. */
import type { PageData } from '../page-data';
import { byId } from './dom';
import { Page } from './page';

const data: PageData = JSON.parse(byId('data').textContent ?? '');
new Page().show(data);
