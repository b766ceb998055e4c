// Runs the host suites in VS Code: the desktop one if available, else its server in a browser.
// VSCODE_TEST_HOST=electron|web overrides the choice. Reports each test to its parent, like test/tally.mjs.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../editor/profile';
import { chatModel } from './chatModel';
import { desktopHost } from './desktopHost';
import type { Host, HostResult, Launch, StartHost } from './launch';
import { webHost } from './webHost';

/** The CPU unless FLASHLINE_TEST_DEVICE is "gpu": hosted Macs have only a virtual GPU. */
const DEVICE: Settings = {
  'flashline.device': process.env['FLASHLINE_TEST_DEVICE'] === 'gpu' ? 'gpu' : 'cpu',
};
/** Short answers, as these tests are about the editor. */
const SHORT: Settings = {
  ...DEVICE,
  'flashline.maxSuggestionTokens': 24,
  'flashline.maxGenerateTokens': 96,
};

/** Models of a run; removed after it. */
const MODELS = mkdtempSync(join(tmpdir(), 'fl-models-'));

/** Settings that keep VS Code from asking about an untrusted folder. */
const UNTRUSTED: Settings = {
  'security.workspace.trust.startupPrompt': 'never',
  'security.workspace.trust.banner': 'never',
};
const CHATS: Settings = {
  ...DEVICE,
  'chat.disableAIFeatures': false,
  'flashline.target': chatModel(MODELS),
  'flashline.drafter': 'none',
};

const SUITES: readonly Launch[] = [
  { suite: 'suite', untrusted: false, settings: SHORT },
  { suite: 'chat', untrusted: false, settings: CHATS },
  { suite: 'untrusted', untrusted: true, settings: { ...UNTRUSTED, ...CHATS } },
];

async function main(): Promise<void> {
  const chosen = process.env['VSCODE_TEST_HOST'];
  const desktop = chosen === 'web' ? undefined : await desktopHost({ required: chosen === 'electron' });
  const hasPassed = await runSuites(desktop ?? webHost);
  rmSync(MODELS, { recursive: true });
  process.send?.({ event: 'end' });
  if (!hasPassed) process.exitCode = 1;
}

/** Runs all suites on one host, each in its own window. Returns whether all have passed. */
async function runSuites(startHost: StartHost): Promise<boolean> {
  const results = mkdtempSync(join(tmpdir(), 'fl-results-'));
  const grep = grepOf(process.argv.slice(2));
  const host = startHost({
    FLASHLINE_HOST_RESULTS: results,
    ...(grep === undefined ? {} : { FLASHLINE_HOST_GREP: grep }),
  });
  let hasPassed = true;
  for (const launch of SUITES) hasPassed = (await runSuite(host, launch, results)) && hasPassed;
  await host.end();
  rmSync(results, { recursive: true });
  return hasPassed;
}

async function runSuite(host: Host, launch: Launch, folder: string): Promise<boolean> {
  let output = '';
  let code = 1;
  try {
    ({ output, code } = await host.run(launch));
  } catch (error) {
    console.error(error);
  }
  const results = readResults(join(folder, launch.suite));
  console.log(`\n  VS Code, ${launch.suite}`);
  results.forEach(report);
  const hasFailure = results.some(({ event }) => event === 'fail');
  const hasEnded = results.some(({ event }) => event === 'end');
  if (code === 0 && hasEnded) return true;
  // A failed test has been reported; other failures have not.
  if (!hasFailure || !hasEnded) {
    console.error(
      `    VS Code ended with ${code} ${hasEnded ? 'after' : 'before'} the end of its tests.\n${output}`,
    );
    process.send?.({ event: 'fail' });
  }
  return false;
}

function report(result: HostResult): void {
  if (result.event === 'end') return;
  process.send?.(result);
  if (result.event === 'hook') return;
  if (result.event === 'pass') console.log(`    ✔ ${result.title} (${result.ms}ms)`);
  else console.error(`    ✖ ${result.title}\n${result.error.replace(/^/gm, '      ')}`);
}

function readResults(file: string): HostResult[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as HostResult);
  } catch {
    return []; // VS Code failed before the first test.
  }
}

function grepOf(args: readonly string[]): string | undefined {
  const index = args.findIndex((arg) => arg === '--grep' || arg === '-g');
  return index < 0 ? undefined : args[index + 1];
}

void main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
