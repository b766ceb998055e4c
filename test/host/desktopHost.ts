// Runs the tests in the desktop VS Code, downloaded by @vscode/test-electron.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { downloadAndUnzipVSCode } from '@vscode/test-electron';
import { Profile } from '../editor/profile';
import { EXTENSION, LIMIT_MS, TESTS, type Launch, type StartHost } from './launch';

/** Matches errors of a download without a network. */
const OFFLINE = /ENOTFOUND|EAI_AGAIN|ECONNRE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR|Failed to get JSON/;

/** Returns a host; undefined without a display or a download. */
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

/** Starts VS Code once per suite, as it reads only at its start whether it trusts folders and which tests it runs. */
function hostOf(executable: string): StartHost {
  return (environment) => ({
    run: (launch) => runDesktop(executable, environment, launch),
    end: () => Promise.resolve(),
  });
}

/** Starts VS Code itself, as runTests of @vscode/test-electron turns workspace trust off in every window. */
async function runDesktop(
  executable: string,
  environment: Readonly<Record<string, string>>,
  { suite, settings, untrusted }: Launch,
): Promise<{ readonly code: number; readonly output: string }> {
  const profile = new Profile({ settings, name: suite });
  const args = [
    profile.folder,
    `--extensionDevelopmentPath=${EXTENSION}`,
    `--extensionTestsPath=${TESTS}`,
    `--user-data-dir=${profile.user}`,
    `--extensions-dir=${profile.extensions}`,
    '--disable-extensions',
    '--disable-updates',
    '--disable-telemetry',
    '--no-cached-data',
    '--skip-welcome',
    '--skip-release-notes',
    '--no-sandbox',
    '--disable-gpu-sandbox',
    ...(untrusted ? [] : ['--disable-workspace-trust']),
    ...(process.platform === 'linux' ? ['--disable-gpu'] : []),
  ];
  // In a runtime folder of this run, VS Code shares no language server with other runs. Wayland needs the usual folder.
  const runtimeFolder = process.env['WAYLAND_DISPLAY'] === undefined ? { XDG_RUNTIME_DIR: profile.root } : {};
  const editor = spawn(executable, args, { env: { ...process.env, ...runtimeFolder, ...environment } });
  let output = '';
  for (const stream of [editor.stdout, editor.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const timer = setTimeout(() => editor.kill('SIGKILL'), LIMIT_MS);
  try {
    const [code, signal] = (await once(editor, 'close')) as [number | null, string | null];
    if (code === null) throw new Error(`VS Code ended with ${signal}.\n${output}`);
    return { code, output };
  } finally {
    clearTimeout(timer);
    profile.remove();
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return `${code} ${error.message} ${error.cause === undefined ? '' : describe(error.cause)}`;
}
