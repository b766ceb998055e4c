// A picture of the window for each test that failed, in out/failures/.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '../editor/session';

const FOLDER = 'out/failures';

/** For afterEach. */
export async function shootFailure(
  session: Session | undefined,
  test: Mocha.Test | undefined,
): Promise<void> {
  if (session === undefined || test?.state !== 'failed') return;
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, `${test.fullTitle().replaceAll(/\W+/g, '-')}.png`);
  await session.window.page.screenshot({ path });
  console.error(`      shown in ${path}`);
}
