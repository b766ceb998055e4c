// Runs mocha on the compiled suite in the extension host of VS Code. Writes each result to a file immediately, so that
// none is lost when the host crashes.
import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Mocha from 'mocha';
import { workspace } from 'vscode';
import type { HostResult } from './launch';

const TIMEOUT_MS = 600_000;

export async function run(): Promise<void> {
  // All windows have the same environment; only the name of the open folder says which suite to run.
  const name = workspace.workspaceFolders?.[0]?.name;
  if (name === undefined) throw new Error('No folder is open, so the suite is unknown.');
  const suite = join(__dirname, name);
  const results = join(process.env['FLASHLINE_HOST_RESULTS'] ?? '', name);
  const grep = process.env['FLASHLINE_HOST_GREP'];
  const report = (result: HostResult): void => {
    appendFileSync(results, `${JSON.stringify(result)}\n`);
  };

  const mocha = new Mocha({ timeout: TIMEOUT_MS, ...(grep === undefined ? {} : { grep }) });
  for (const file of readdirSync(suite)) if (file.endsWith('.test.js')) mocha.addFile(join(suite, file));
  const failures = await new Promise<number>((resolve) => {
    mocha
      .run(resolve)
      .on('pass', (test) => {
        report({ event: 'pass', title: test.fullTitle(), ms: test.duration ?? 0 });
      })
      .on('fail', (test, error: Error) => {
        const { duration: ms = 0 } = test;
        report({ event: 'fail', title: test.fullTitle(), ms, error: error.stack ?? String(error) });
      })
      .on('hook end', (hook) => {
        report({ event: 'hook', title: hook.fullTitle(), ms: hook.duration ?? 0 });
      });
  });
  report({ event: 'end' });
  if (failures > 0) throw new Error(`${failures} tests failed`);
}
