// Carries out a planned download, a few files at a time. Writes no snapshot before all files are there, so an
// unfinished download never looks like a model.
import type { DownloadProgress } from '../protocol/modelCatalogue';
import { inParallel } from './inParallel';
import { BlobDownload } from './blobDownload';
import { folderProblem } from './downloadError';
import type { DownloadPlan } from './downloadPlan';
import type { Hub } from './hub';
import { writeSnapshot } from './snapshot';
import { TransferMeter } from './transferMeter';

export interface DownloadOptions {
  /** Cancels the download. Bytes that have arrived are kept, and the next download resumes there. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: DownloadProgress) => void;
  /** Shortest time between two reports, except for the last one. */
  readonly progressMs?: number;
}

/**
 * Downloads the models of a plan and returns their directories, in the order of the plan. Throws UserError if the Hub,
 * the network or the disk fails, and rejects with the signal's reason when it aborts.
 */
export async function download(
  hub: Hub,
  { folder, models, bytes: totalBytes }: DownloadPlan,
  { signal, onProgress, progressMs = 0 }: DownloadOptions,
): Promise<string[]> {
  const work = models.flatMap(({ cache, repository: { commit }, files }) =>
    files.map((file) => ({ file, cache, transfer: new BlobDownload(hub, cache, commit, file) })),
  );
  try {
    signal.throwIfAborted();
    const arrivedBytes = work.map(({ cache, file }) => cache.arrived(file));
    const allArrived = (): number => arrivedBytes.reduce((sum, bytes) => sum + bytes, 0);
    const meter = new TransferMeter(totalBytes, allArrived(), progressMs);
    await inParallel(work.entries(), signal, async ([i, { transfer }], transferSignal) => {
      await transfer.run(transferSignal, (bytes) => {
        arrivedBytes[i] = bytes;
        const progress = meter.progressAt(allArrived());
        if (progress) onProgress?.(progress);
      });
    });
    return models.map(({ cache, repository, files }) => writeSnapshot(cache, repository.commit, files));
  } catch (error) {
    signal.throwIfAborted();
    throw folderProblem(error, folder);
  }
}
