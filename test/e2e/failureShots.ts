// Saves a picture of each open window for each failed test to out/failures/. Applies to all tests of a run that imports
// it, after their own hooks, which must therefore leave the window unchanged.
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
