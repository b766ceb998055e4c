// What earlier versions stored and nothing uses any more: text that the models had read, which is the person's code, and
// counts of what was kept by language.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExtensionContext, LogOutputChannel } from 'vscode';

type Storage = Pick<ExtensionContext, 'globalState' | 'globalStorageUri'>;

/** Deletes it. Never rejects. */
export async function removeStored(
  { globalState, globalStorageUri }: Storage,
  log: Pick<LogOutputChannel, 'error'>,
): Promise<void> {
  try {
    await rm(join(globalStorageUri.fsPath, 'texts'), { recursive: true, force: true });
    await globalState.update('flashline.keepHabits', undefined);
  } catch (error) {
    log.error('Deleting what an earlier version stored failed.', error);
  }
}
