/** Shows what the file holds. */
import { Conversation } from '../model/conversation';
import { byId } from './dom';
import { Page } from './app';

const lines = (byId('data').textContent ?? '').split('\n');
new Page().show(Conversation.of(lines).describe());
