// A picture of each open window for each test that failed, in out/failures/. Runs for all tests that this is imported
// for, after hooks of their own, which must therefore leave the window as it is.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openSessions } from '../editor/session';

const FOLDER = 'out/failures';

afterEach(async function () {
  const { currentTest: test } = this;
  if (test?.state !== 'failed') return;
  mkdirSync(FOLDER, { recursive: true });
  for (const { window, profile } of openSessions) {
    const name = `${test.fullTitle()} ${profile.folder}`.replaceAll(/\W+/g, '-');
    const path = join(FOLDER, `${name}.png`);
    await window.page.screenshot({ path });
    console.error(`      shown in ${path}`);
  }
});
