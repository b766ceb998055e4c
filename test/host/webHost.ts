// VS Code's server and a headless Chromium as the host of the tests, each version started once. VS Code tells the page
// what the extension host prints and how the run ended, by two functions that it expects there.
import { format } from 'node:util';
import { BrowserWindow } from '../editor/browserWindow';
import { Profile } from '../editor/profile';
import { VscodeServer } from '../editor/vscodeServer';
import { EXTENSION, LIMIT_MS, TESTS, type Launch, type StartHost } from './launch';

export const webHost: StartHost = (environment) => {
  const started = new Map<boolean, Promise<VscodeServer>>();
  return {
    run: async (launch) => {
      const isNewest = launch.isNewest === true && process.env['FLASHLINE_VSCODE_NEWEST'] !== undefined;
      const own = { profile: new Profile(), environment, askForTrust: true, isNewest };
      const start = started.get(isNewest) ?? VscodeServer.start(own);
      started.set(isNewest, start);
      const server = await start;
      // A new folder, in which nothing is left of the previous suite.
      const profile = new Profile({ settings: settingsOf(launch), name: launch.suite }, server.profile);
      return await runIn(server, profile);
    },
    end: async () => {
      for (const server of await Promise.all(started.values())) {
        await server.stop();
        server.profile.remove();
      }
    },
  };
};

function settingsOf({ untrusted, settings }: Launch): Launch['settings'] {
  return { ...settings, 'security.workspace.trust.enabled': untrusted };
}

async function runIn(
  server: VscodeServer,
  { folder }: Profile,
): Promise<{ readonly code: number; readonly said: string }> {
  let window: BrowserWindow | undefined;
  let late: NodeJS.Timeout | undefined;
  let said = '';
  try {
    const code = await new Promise<number>((resolve, reject) => {
      late = setTimeout(() => {
        reject(new Error(`The tests did not end within ${LIMIT_MS / 1000} s.\n${said}`));
      }, LIMIT_MS);
      BrowserWindow.open(server, {
        folder,
        extensions: [EXTENSION],
        tests: TESTS,
        prepare: async (page) => {
          page.on('crash', () => {
            reject(new Error('The browser crashed.'));
          });
          await page.exposeFunction('codeAutomationExit', resolve);
          await page.exposeFunction('codeAutomationLog', (_kind: string, words: unknown[]) => {
            said += `${format(...words)}\n`;
          });
        },
      }).then((opened) => {
        window = opened;
      }, reject);
    });
    return { code, said };
  } finally {
    clearTimeout(late);
    await window?.close();
  }
}
