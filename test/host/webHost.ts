// VS Code's server and a headless Chromium as the host of the tests. VS Code tells the page what the extension host
// prints and how the run ended, by two functions that it expects there.
import { format } from 'node:util';
import { BrowserWindow } from '../editor/browserWindow';
import { Profile } from '../editor/profile';
import { VscodeServer } from '../editor/vscodeServer';
import { LIMIT_MS, TESTS, type Host, type Launch } from './launch';

export const webHost: Host = async (launch) => {
  const profile = new Profile({ settings: launch.settings });
  try {
    return await inServer(profile, launch);
  } finally {
    profile.remove();
  }
};

async function inServer(profile: Profile, { environment, untrusted }: Launch): ReturnType<Host> {
  const server = await VscodeServer.start({ profile, environment, askForTrust: untrusted });
  let window: BrowserWindow | undefined;
  let late: NodeJS.Timeout | undefined;
  let said = '';
  try {
    const code = await new Promise<number>((resolve, reject) => {
      late = setTimeout(() => {
        reject(new Error(`The tests did not end within ${LIMIT_MS / 1000} s.\n${said}`));
      }, LIMIT_MS);
      BrowserWindow.open(server, {
        extensions: [process.cwd()],
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
    await server.stop();
  }
}
