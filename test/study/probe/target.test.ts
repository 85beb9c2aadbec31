import { expect } from 'chai';
import { GROUPS, type Case } from '../../../src/study/probe/cases';
import { converse } from '../../../src/study/probe/conversation';
import type { Reading } from '../../../src/study/probe/reading';
import { readAll, type Target } from '../../../src/study/probe/target';
import { talking } from '../../support/probed-servers';

const CASES = GROUPS.flatMap(({ cases }) => cases).slice(0, 3);
const ACCEPTED: Reading = {
  result: 'accepted',
  statuses: [200],
  end: 'open',
  requests: 1,
  note: '',
  faults: [],
};

/** Reads three cases. @returns those that were read once more, alone */
async function readAgain(reading: Partial<Reading>): Promise<Case[]> {
  const again: Case[] = [];
  const target: Target = {
    name: '',
    note: '',
    read: async (one, isPatient) => {
      if (isPatient) again.push(one);
      return one === CASES[1] ? { ...ACCEPTED, ...reading } : ACCEPTED;
    },
    close: async () => {},
  };
  await readAll(target, CASES, () => {});
  return again;
}

describe('all cases at one server', () => {
  it('a case with a complete response runs once', async () => {
    expect(await readAgain({})).to.deep.equal([]);
  });
  it('a case without a response runs once more, and the others do not', async () => {
    expect(await readAgain({ result: 'silent', end: 'closed' })).to.deep.equal([CASES[1]]);
  });
  it('a case that lost the next request runs once more, and the others do not', async () => {
    expect(await readAgain({ end: 'lost' })).to.deep.equal([CASES[1]]);
  });
});

describe('a conversation with a server', () => {
  /** @param field of the only response, after which the server keeps the connection open */
  async function isFollowed(field: string): Promise<boolean> {
    const address = await talking((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\n${field}Content-Length: 0\r\n\r\n`),
    );
    const [host = '', port] = address.split(':');
    const request = 'GET / HTTP/1.1\r\n\r\n';
    const options = { next: request, isPatient: false };
    const conversation = await converse({ host, port: Number(port) }, request, options);
    return conversation.followedAfter !== undefined;
  }

  it('nothing is sent after a response that says "close"', async () => {
    expect(await isFollowed('Connection: close\r\n')).to.equal(false);
  });
  it('the next request is sent after a response that does not', async () => {
    expect(await isFollowed('')).to.equal(true);
  });
});
