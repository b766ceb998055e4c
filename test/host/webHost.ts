// Runs the tests in VS Code's server and a headless Chromium, one window after another. VS Code reports the output of
// the extension host and the end of the run to the page, by two functions that it expects there.
import { format } from 'node:util';
import { BrowserWindow } from '../editor/browserWindow';
import { Profile } from '../editor/profile';
import { VscodeServer } from '../editor/vscodeServer';
import { EXTENSION, LIMIT_MS, TESTS, type Host, type Launch } from './launch';

export function webHost(environment: Readonly<Record<string, string>>): Host {
  let started: Promise<VscodeServer> | undefined;
  return {
    run: async (launch) => {
      const options = { profile: new Profile(), environment, askForTrust: true };
      const server = await (started ??= VscodeServer.start(options));
      // A new folder for each suite, without files of the previous one.
      const profile = new Profile({ settings: settingsOf(launch), name: launch.suite }, server.profile);
      return await runIn(server, profile);
    },
    end: async () => {
      const server = await started;
      await server?.stop();
      server?.profile.remove();
    },
  };
}

function settingsOf({ untrusted, settings }: Launch): Launch['settings'] {
  return { ...settings, 'security.workspace.trust.enabled': untrusted };
}

async function runIn(
  server: VscodeServer,
  { folder }: Profile,
): Promise<{ readonly code: number; readonly output: string }> {
  let window: BrowserWindow | undefined;
  let timer: NodeJS.Timeout | undefined;
  let output = '';
  try {
    const code = await new Promise<number>((resolve, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`The tests did not end within ${LIMIT_MS / 1000} s.\n${output}`));
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
            output += `${format(...words)}\n`;
          });
        },
      }).then((opened) => {
        window = opened;
      }, reject);
    });
    return { code, output };
  } finally {
    clearTimeout(timer);
    await window?.close();
  }
}
