// Starts a VS Code to try Flashline in: on loopback, with a copy of the examples that can be edited freely.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLES } from './examplePlace';
import { Profile } from './profile';
import { VscodeServer } from './vscodeServer';

/** Returns the address to open, and a function that ends everything. */
export async function startPlayground(): Promise<{ address: string; stop: () => Promise<void> }> {
  const profile = new Profile({ copyOf: EXAMPLES });
  // Links the extension into the folder of installed extensions, as one "under development" would hide the theme.
  symlinkSync(process.cwd(), join(profile.extensions, 'flashline.flashline'));
  try {
    const server = await VscodeServer.start({ profile });
    const address = server.address(profile.folder, [
      ['openFile', server.uri(profile.file('shoppingCart.ts'))],
    ]);
    return {
      address,
      stop: async () => {
        await server.stop();
        profile.remove();
      },
    };
  } catch (error) {
    profile.remove();
    throw error;
  }
}
