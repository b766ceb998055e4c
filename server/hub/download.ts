// Carries out plans: all files of all of them, some at a time, and then the model directories.
// Half a download is no model: nothing is in a snapshot before everything is there.
import { rmSync } from 'node:fs';
import { InputError } from '../inputError';
import type { HubConnection } from './connection';
import { downloadBlob } from './downloadBlob';
import { bytesThere, type DownloadPlan } from './downloadPlan';
import type { RepositoryFile } from './repository';
import type { RepositoryCache } from './repositoryCache';
import { writeSnapshot } from './snapshot';
import { TransferMeter, type TransferProgress } from './transferMeter';

export interface DownloadOptions {
  /** Ends the download as `cancelled`; what has arrived stays, and the next download goes on there. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: TransferProgress) => void;
  /** Files at a time. */
  readonly parallel?: number;
}

export type DownloadResult =
  /** The model directories, in the order of the plans. */
  { readonly finished: 'done'; readonly directories: readonly string[] } | { readonly finished: 'cancelled' };

interface Work {
  readonly plan: DownloadPlan;
  readonly file: RepositoryFile;
}

const PARALLEL = 4;
const DISK_FULL = ['ENOSPC', 'EDQUOT'];

/** Throws InputError when the hub, the network or the disk does not allow it. */
export async function download(
  connection: HubConnection,
  plans: readonly DownloadPlan[],
  options: DownloadOptions,
): Promise<DownloadResult> {
  const work = plans.flatMap((plan) => plan.files.map((file): Work => ({ plan, file })));
  try {
    await downloadAll(connection, work, options);
    const directories = plans.map(({ cache, repository, files }) => writeSnapshot(cache, repository, files));
    return { finished: 'done', directories };
  } catch (error) {
    if (isDiskFull(error)) throw diskFull(work);
    if (options.signal.aborted) return { finished: 'cancelled' };
    throw error;
  }
}

async function downloadAll(
  connection: HubConnection,
  work: readonly Work[],
  { signal, onProgress, parallel = PARALLEL }: DownloadOptions,
): Promise<void> {
  // The first failure ends the others.
  const failing = new AbortController();
  const cancel = (): void => failing.abort(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener('abort', cancel);
  const there = work.map(({ plan, file }) => bytesThere(plan.cache, file));
  const meter = new TransferMeter(sum(work.map(({ file }) => file.size)), sum(there));
  const waiting = work.entries();
  const worker = async (): Promise<void> => {
    for (const [i, { plan, file }] of waiting) {
      const onBytes = (bytes: number): void => {
        there[i] = bytes;
        onProgress?.(meter.at(sum(there)));
      };
      const { cache, repository } = plan;
      await downloadBlob({
        connection,
        cache,
        commit: repository.commit,
        file,
        signal: failing.signal,
        onBytes,
      });
    }
  };
  const workers = Array.from({ length: parallel }, () =>
    worker().catch((error: unknown) => {
      failing.abort(error);
      throw error;
    }),
  );
  const ended = await Promise.allSettled(workers);
  signal.removeEventListener('abort', cancel);
  signal.throwIfAborted();
  failing.signal.throwIfAborted();
  if (ended.some(({ status }) => status === 'rejected')) throw new Error('Expected a reason, got none');
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DISK_FULL.includes(String(error.code));
}

/** Makes room again: what is unfinished would keep the disk full for everybody. */
function diskFull(work: readonly Work[]): InputError {
  for (const { plan, file } of work) rmSync(plan.cache.partial(file.checksum), { force: true });
  return new InputError({
    expected: `space for the download in ${folderOf(work[0]?.plan.cache)}`,
    got: 'a full disk; what was unfinished is removed',
    remedy: 'give it more space or use another folder (HF_HUB_CACHE)',
  });
}

function folderOf(cache: RepositoryCache | undefined): string {
  return cache?.folder ?? 'the cache';
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
