// Earlier versions stored on disk what the models had read, which is the person's code. Nothing writes that any more.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogOutputChannel } from 'vscode';

/** Deletes it from the folder that VS Code keeps for the extension. Never rejects. */
export async function removeStoredTexts(folder: string, log: Pick<LogOutputChannel, 'error'>): Promise<void> {
  try {
    await rm(join(folder, 'texts'), { recursive: true, force: true });
  } catch (error) {
    log.error('Deleting what an earlier version stored failed.', error);
  }
}
