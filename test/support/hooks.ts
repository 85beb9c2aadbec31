/** What a test starts ends with it, in whichever process of mocha it runs. */
import { killCommands } from './command';
import { closeProbed } from './probed-servers';
import { stopServers } from './test-server';
import { restoreWarnings } from './warnings';

export const mochaHooks = {
  async afterEach(): Promise<void> {
    killCommands();
    closeProbed();
    restoreWarnings();
    await stopServers();
  },
};
