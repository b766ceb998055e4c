// Downloads: plans one, of a target and perhaps its drafter, and carries it out, a few files at a time. A plan fetches
// nothing larger than the index of the weights. No snapshot is written before everything is there, so half a download
// never looks like a model.
import { ConfigFields, WEIGHT_INDEX } from '../models/checkpoint/configFields';
import { CONFIG, modelFiles } from '../models/checkpoint/modelFiles';
import { sizesOfConfig } from '../models/checkpoint/modelSizes';
import type { DownloadProgress } from '../protocol/modelCatalogue';
import { formatSize } from '../rules/numbers';
import { InputError } from '../rules/inputError';
import { inParallel } from '../rules/inParallel';
import type { HubConnection } from './connection';
import { type SizedConfig, writeSnapshot } from './snapshot';
import { folderProblem, unusable, Failure } from './downloadError';
import {
  readRepository,
  type Repository,
  RepositoryCache,
  type RepositoryFile,
  blobName,
  sizeOf,
} from './repositoryCache';
import { constants, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { lockFile } from '../machine/isAlive';
import { exchange, insist } from './exchange';

/** The config is read before the weights come. */
export interface PlannedModel extends SizedConfig {
  readonly repository: Repository;
  readonly cache: RepositoryCache;
  readonly files: readonly RepositoryFile[];
}

export interface DownloadPlan {
  /** Folder of all repositories. */
  readonly folder: string;
  /** The target first. */
  readonly models: readonly PlannedModel[];
  readonly bytes: number;
  /** The part of `bytes` that is not there yet. */
  readonly missingBytes: number;
}

/** Of the config and the index, which are fetched before anybody has agreed to the size. */
const MOST_BYTES_UNASKED = 64e6;

/** Throws InputError for something that is not a model, or that the Hub does not have or does not let the user see. */
export async function planDownload(
  connection: HubConnection,
  folder: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<DownloadPlan> {
  try {
    const models: PlannedModel[] = [];
    for (const name of names)
      models.push(await planModel(connection, new RepositoryCache(folder, name), signal));
    let [bytes, missingBytes] = [0, 0];
    for (const { cache, files } of models)
      for (const file of files) {
        bytes += file.size;
        missingBytes += file.size - cache.arrived(file);
      }
    return { folder, models, bytes, missingBytes };
  } catch (error) {
    throw folderProblem(error, folder);
  }
}

async function planModel(
  connection: HubConnection,
  cache: RepositoryCache,
  signal: AbortSignal,
): Promise<PlannedModel> {
  const repository = await readRepository(connection, cache.name, signal);
  const { commit, files } = repository;
  /** Fetches a small file that tells which others are needed. */
  const fetched = async (name: string): Promise<string | undefined> => {
    const file = files.find((each) => each.name === name);
    if (file === undefined) return undefined;
    const most = formatSize(MOST_BYTES_UNASKED);
    if (file.size > MOST_BYTES_UNASKED)
      throw new InputError(unusable(`at most ${most} for ${name} of ${cache.name}`, formatSize(file.size)));
    const download = { connection, cache, commit, file, signal, onBytes: () => undefined };
    if (!cache.has(file)) await downloadBlob(download);
    return cache.blob(file.checksum);
  };
  const [configFile, index] = [await fetched(CONFIG), await fetched(WEIGHT_INDEX)];
  const { files: needed } = modelFiles(files, index);
  if (configFile === undefined || needed === undefined) {
    const listed = files.slice(0, 8).map(({ name }) => name);
    const got = listed.length === 0 ? 'no files' : listed.join(', ');
    throw new InputError(unusable(`config.json and all weights as safetensors in ${cache.name}`, got));
  }
  // Its errors name the repository, not a blob.
  const config = new ConfigFields(`config.json of ${cache.name}`, ConfigFields.read(configFile).object);
  return { repository, cache, files: needed, config, sizes: sizesOfConfig(config, needed) };
}

export interface DownloadOptions {
  /** What has arrived stays, and the next download resumes there. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: DownloadProgress) => void;
  /** Shortest time between two reports, except for the last one. */
  readonly progressMs?: number;
}

/** The recent past over which the speed is measured. */
const WINDOW_MS = 5_000;

/**
 * Returns the model directories, in the order of the plan. Throws InputError when the hub, the network or the disk
 * does not allow it, and rejects with the reason of the signal when it aborts.
 */
export async function download(
  connection: HubConnection,
  { folder, models, bytes: totalBytes }: DownloadPlan,
  { signal, onProgress, progressMs = 0 }: DownloadOptions,
): Promise<string[]> {
  const work = models.flatMap(({ cache, repository: { commit }, files }) =>
    files.map((file) => ({ connection, cache, commit, file })),
  );
  try {
    signal.throwIfAborted();
    const there = work.map(({ cache, file }) => cache.arrived(file));
    const arrived = (): number => there.reduce((sum, bytes) => sum + bytes, 0);
    const meter = new TransferMeter(totalBytes, arrived(), progressMs);
    await inParallel(work.entries(), signal, async ([i, each], ended) => {
      const onBytes = (bytes: number): void => {
        there[i] = bytes;
        const progress = meter.at(arrived());
        if (progress) onProgress?.(progress);
      };
      await downloadBlob({ ...each, signal: ended, onBytes });
    });
    return models.map(({ cache, repository, files }) => writeSnapshot(cache, repository.commit, files));
  } catch (error) {
    signal.throwIfAborted();
    throw folderProblem(error, folder);
  }
}

/** How fast a download is and how long the rest will take, reported now and then. Arithmetic on bytes and a clock. */
export class TransferMeter {
  readonly #samples: { readonly time: number; readonly bytes: number }[];
  #told = -Infinity;
  #isWhole = false;

  constructor(
    private readonly totalBytes: number,
    /** Already there, so not part of the speed. */
    bytes: number,
    private readonly everyMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#samples = [{ time: now(), bytes }];
  }

  /**
   * `bytes` are there now, fewer than before if a file had to start over. Undefined until the next report is due; that
   * everything is there is reported at once, and only once.
   */
  at(bytes: number): DownloadProgress | undefined {
    const { totalBytes } = this;
    const time = this.now();
    const wasWhole = this.#isWhole;
    this.#isWhole = bytes === totalBytes;
    if (this.#isWhole ? wasWhole : time - this.#told < this.everyMs) return undefined;
    this.#told = time;
    if (bytes < (this.#samples.at(-1)?.bytes ?? 0)) this.#samples.length = 0;
    this.#samples.push({ time, bytes });
    while (this.#samples.length > 2 && time - (this.#samples[1]?.time ?? time) >= WINDOW_MS)
      this.#samples.shift();
    const first = this.#samples[0] ?? { time, bytes };
    const seconds = (time - first.time) / 1000;
    const bytesPerSecond = seconds > 0 ? (bytes - first.bytes) / seconds : 0;
    const secondsLeft = bytesPerSecond > 0 ? (totalBytes - bytes) / bytesPerSecond : undefined;
    return { arrivedBytes: bytes, bytes: totalBytes, bytesPerSecond, secondsLeft };
  }
}

// Downloads one blob from the Hub into the cache: resumes where it stopped, survives broken connections, and names the
// blob only when its bytes match its checksum.

export interface BlobDownload {
  readonly connection: HubConnection;
  readonly cache: RepositoryCache;
  readonly commit: string;
  readonly file: RepositoryFile;
  readonly signal: AbortSignal;
  /** Bytes of this blob that are there now, whoever downloaded them. */
  readonly onBytes: (bytes: number) => void;
}

export function urlOf({ endpoint }: HubConnection, repository: string, commit: string, file: string): string {
  return `${endpoint}/${repository}/resolve/${commit}/${encodeURI(file)}`;
}

/** Rejects with the reason of the signal when it aborts; what has arrived stays for the next time. */
async function downloadBlob(download: BlobDownload): Promise<void> {
  const { connection, cache, file, signal, onBytes } = download;
  const isDone = (): boolean => cache.has(file);
  mkdirSync(cache.blobs, { recursive: true });
  const release = await lockFile(cache.lock(file.checksum), { wait: connection.wait, signal, isDone });
  try {
    signal.throwIfAborted();
    if (release !== undefined && !isDone()) await finish(download);
  } finally {
    release?.();
  }
  onBytes(file.size);
}

async function finish(download: BlobDownload): Promise<void> {
  const { connection, cache, file, signal } = download;
  const path = cache.partial(file.checksum);
  // A link would lead the bytes to another file.
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) rmSync(path, { recursive: true });
  const attempt = (): Promise<void> => fetchRest(download, path);
  // Bytes from an earlier run may be wrong: from another mirror, or left by a crash.
  for (let isResumed = sizeOf(path) > 0; ; isResumed = false) {
    try {
      await insist(connection, cache.name, signal, attempt, () => sizeOf(path));
    } finally {
      if (sizeOf(path) === 0 && file.size > 0) rmSync(path);
    }
    if ((await blobName(path, file.checksum.length, signal)) === file.checksum) break;
    rmSync(path);
    if (!isResumed) throw wrongBytes(download);
  }
  // If the lock failed, another process may have finished it.
  if (cache.has(file)) rmSync(path, { force: true });
  else renameSync(path, cache.blob(file.checksum));
}

/** Requests what is missing over one connection and appends what arrives. Throws Failure unless that completes it. */
async function fetchRest(download: BlobDownload, path: string): Promise<void> {
  const { connection, cache, commit, file, signal, onBytes } = download;
  const handle = await open(path, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0));
  try {
    let { size: position } = await handle.stat();
    const restart = async (): Promise<void> => {
      await handle.truncate(0);
      position = 0;
    };
    if (position > file.size) await restart();
    onBytes(position);
    const from = position;
    const check = async (response: Response): Promise<void> => {
      const { status, ok } = response;
      if (!ok && status !== 416) throw Failure.ofAnswer(response, connection);
      if (status === 206 && startOf(response) !== from) throw new Failure('a part other than requested');
      // The host does not support ranges.
      if (status !== 206 && from > 0) await restart();
      if (!ok) throw new Failure('no such part');
    };
    const url = urlOf(connection, cache.name, commit, file.name);
    const headers: Record<string, string> = from > 0 ? { range: `bytes=${String(from)}-` } : {};
    if (from < file.size)
      for await (const chunk of exchange(connection, { url, headers, signal }, check)) {
        if (position + chunk.length > file.size) {
          await restart();
          // Retrying would not help: the Hub has listed another size.
          throw Failure.refused('more bytes than listed');
        }
        // An explicit position: if two processes write by mistake, they write the same bytes to the same place.
        for (let done = 0; done < chunk.length;)
          done += (await handle.write(chunk, done, chunk.length - done, position + done)).bytesWritten;
        position += chunk.length;
        onBytes(position);
      }
    if (position < file.size) throw new Failure('connection ended early');
    // Survives a power cut before it gets its name.
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function startOf({ headers }: Response): number {
  return Number(/^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1] ?? NaN);
}

function wrongBytes({ cache, file }: BlobDownload): InputError {
  return new InputError({
    expected: `${file.name} of ${cache.name} with the checksum ${file.checksum}`,
    got: 'different bytes, which were discarded',
    remedy: 'try again, or use another network or mirror',
    command: 'HF_ENDPOINT',
  });
}
