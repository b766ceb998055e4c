// The desktop VS Code as the host of the tests, downloaded by @vscode/test-electron.
import { downloadAndUnzipVSCode, runTests } from '@vscode/test-electron';
import { Profile } from '../editor/profile';
import { EXTENSION, TESTS, type Launch, type StartHost } from './launch';

const OFFLINE = /ENOTFOUND|EAI_AGAIN|ECONNRE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR|Failed to get JSON/;

/** A host, or undefined where there is no display or nothing to download from. */
export async function desktopHost({
  required,
}: {
  readonly required: boolean;
}): Promise<StartHost | undefined> {
  const { DISPLAY, WAYLAND_DISPLAY, VSCODE_EXECUTABLE, VSCODE_VERSION = 'stable' } = process.env;
  const hasDisplay = process.platform !== 'linux' || DISPLAY !== undefined || WAYLAND_DISPLAY !== undefined;
  if (!hasDisplay && !required) return undefined;
  try {
    return hostOf(VSCODE_EXECUTABLE ?? (await downloadAndUnzipVSCode({ version: VSCODE_VERSION })));
  } catch (error) {
    if (required || !OFFLINE.test(describe(error))) throw error;
    return undefined;
  }
}

/** The desktop VS Code is told only at its start whether it trusts folders, and what it tests. */
function hostOf(vscodeExecutablePath: string): StartHost {
  return (environment) => ({
    run: (launch) => runDesktop(vscodeExecutablePath, environment, launch),
    end: () => Promise.resolve(),
  });
}

async function runDesktop(
  vscodeExecutablePath: string,
  environment: Readonly<Record<string, string>>,
  { suite, settings, untrusted }: Launch,
): Promise<{ readonly code: number; readonly said: string }> {
  const profile = new Profile({ settings, name: suite });
  const launchArgs = [
    profile.folder,
    '--disable-extensions',
    ...['--user-data-dir', profile.user],
    '--skip-welcome',
    '--skip-release-notes',
    '--disable-updates',
    '--disable-telemetry',
    '--no-sandbox',
    ...(untrusted ? [] : ['--disable-workspace-trust']),
    ...(process.platform === 'linux' ? ['--disable-gpu'] : []),
  ];
  try {
    const code = await runTests({
      vscodeExecutablePath,
      extensionDevelopmentPath: EXTENSION,
      extensionTestsPath: TESTS,
      // A language server of its own; Wayland needs the folder that is set.
      extensionTestsEnv: {
        ...(process.env['WAYLAND_DISPLAY'] === undefined && { XDG_RUNTIME_DIR: profile.root }),
        ...environment,
      },
      launchArgs,
    });
    return { code, said: '' };
  } catch (error) {
    // What runTests throws when tests fail.
    if (error instanceof Error && 'code' in error && typeof error.code === 'number')
      return { code: error.code, said: '' };
    throw error;
  } finally {
    profile.remove();
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return `${code} ${error.message} ${error.cause === undefined ? '' : describe(error.cause)}`;
}
