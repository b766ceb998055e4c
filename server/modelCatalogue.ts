// The messages about models that can be had: what there is, what it needs here, downloading and removing.
// Part of the protocol, so types only.

export interface ModelCatalogue {
  /** Folder of the downloads, in the layout of Hugging Face. */
  readonly folder: string;
  /** Of the hub; the page of a repository is below it. */
  readonly endpoint: string;
  readonly machine: MachineFacts;
  /** The embedded pair, known pairs with each number of bits, and whatever else is downloaded or in use. */
  readonly entries: readonly CatalogueEntry[];
  /** When repositories were asked for. */
  readonly lookedUp?: LookedUp;
}

export type LookedUp = { readonly entry: CatalogueEntry } | { readonly failure: ModelFailure };

export interface MachineFacts {
  readonly memoryBytes: number;
  /** Of the memory, what models may take. */
  readonly usableBytes: number;
  readonly freeDiskBytes: number;
  readonly processor: 'cpu' | 'gpu';
}

export interface CatalogueEntry {
  /** drafter: a downloaded one for a target to be chosen. folder: what the settings name beside all others. */
  readonly kind: 'embedded' | 'pair' | 'repository' | 'drafter' | 'folder';
  readonly name: string;
  /** As the settings of the same names take them. */
  readonly target: string;
  readonly drafter: string;
  /** Repositories to download, target first; empty where there is nothing to download. */
  readonly repositories: readonly string[];
  /** Of the target's weights, where it is known. */
  readonly bits?: number | undefined;
  readonly license?: string | undefined;
  /** fim where the model is known to fill holes in code; undefined before it was tried. */
  readonly infill?: 'fim' | 'chat' | 'prefix' | undefined;
  /** Of all its files; undefined where only the hub knows. */
  readonly downloadBytes?: number | undefined;
  /** Of these, what has arrived. */
  readonly arrivedBytes: number;
  readonly isDownloaded: boolean;
  /** Whether a download of its target was begun; a drafter may be there for another one. */
  readonly isBegun: boolean;
  readonly memoryBytes?: number | undefined;
  readonly speed?: SpeedEstimate | undefined;
  /** What speaks against it on this machine: a line that says what is wrong and what to do. */
  readonly problem?: string | undefined;
  /** The best pair that fits this machine. */
  readonly isRecommended: boolean;
  /** What the settings of this client name. */
  readonly isInUse: boolean;
  /** Of the target, once downloaded. */
  readonly directory?: string | undefined;
}

export type SpeedClass = 'instant' | 'fast' | 'moderate' | 'slow';

export interface SpeedEstimate {
  readonly class: SpeedClass;
  /** Of plain decoding; drafts come on top. */
  readonly tokensPerSecond: number;
  /** Whether an earlier load has measured it here; estimated from sizes and memory bandwidth otherwise. */
  readonly isMeasured: boolean;
}

export interface DownloadParams {
  /** Target first, then its drafter if it has one; they are checked against each other. */
  readonly repositories: readonly string[];
  /** Of the person at the hub; kept nowhere. */
  readonly token?: string | undefined;
  /** Downloads in spite of what speaks against it, a full disk excepted. */
  readonly force?: boolean | undefined;
  readonly partialResultToken?: string | number | undefined;
}

/** Streams to partialResultToken. */
export interface DownloadProgress {
  readonly arrivedBytes: number;
  readonly bytes: number;
  /** Of the last seconds. */
  readonly bytesPerSecond: number;
  /** Undefined as long as nothing has come. */
  readonly secondsLeft?: number | undefined;
}

/** Cancelling the request pauses a download: what has arrived stays, and the next one goes on there. */
export type DownloadOutcome =
  | { readonly finished: 'done'; readonly directories: readonly string[] }
  | { readonly finished: 'paused' }
  | ({ readonly finished: 'failed' } & ModelFailure);

/** `message` says what is in the way and what to do; `reason` lets the client offer more than words. */
export interface ModelFailure {
  /** problem: a check has failed, so force is a way; refused: a token, or another one, may be. */
  readonly reason: 'refused' | 'missing' | 'problem' | 'other';
  readonly message: string;
}

export interface RemoveResult {
  /** That are free now. */
  readonly bytes: number;
}
