// `flashline models verify`: checks downloaded files, and removes damaged ones.
import { downloadedModel, requireDownloaded } from '../../hub/downloadedModels';
import { verifyModel, type VerifiedFile } from '../../hub/verifyModel';
import { formatSize } from '../../rules/formatNumber';
import { interruptSignal } from '../interruptSignal';
import type { ModelsArguments, Printout } from './modelsArguments';

/** Exit code for damaged files, since the user has to act. */
const DAMAGED = 1;
/** Names of the states of files, as they are printed. */
const STATES = { right: 'intact', damaged: 'damaged', unknown: 'unknown' } as const;

/** Verifies the checksums of files. Ctrl+C ends with the results so far. */
export async function verify({ cache, name, repositories }: ModelsArguments): Promise<Printout> {
  const found = repositories.flatMap((repository) => downloadedModel(cache, repository) ?? []);
  const downloaded = found.length > 0 ? found : [requireDownloaded(cache, name)];
  const signal = interruptSignal();
  const value: { name: string; files: VerifiedFile[] }[] = [];
  try {
    for (const model of downloaded) {
      const files: VerifiedFile[] = [];
      value.push({ name: model.name, files });
      for await (const file of verifyModel(cache, model, signal)) files.push(file);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const lines = value.flatMap((model) => [
    model.name,
    ...model.files.map(
      ({ name: file, size, state }) => `  ${STATES[state].padEnd(7)}  ${file}  ${formatSize(size)}`,
    ),
  ]);
  const hasFileIn = (state: VerifiedFile['state']): boolean =>
    value.some(({ files }) => files.some((file) => file.state === state));
  if (hasFileIn('unknown')) lines.push('unknown: a copied file for which the cache has no checksum.');
  if (hasFileIn('damaged')) {
    // An interrupt has set its own exit code.
    if (!signal.aborted) process.exitCode = DAMAGED;
    lines.push(`Damaged files were removed; flashline models pull ${name} downloads them again.`);
  }
  if (signal.aborted) lines.push('Cancelled: the other files were not verified.');
  return { value, lines };
}
