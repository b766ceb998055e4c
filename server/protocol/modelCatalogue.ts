// The messages about available models: which there are, what they need on this machine, downloading and removing them.
// Part of the protocol, so types only.

export interface ModelCatalogue {
  /** Folder of the downloads, in the layout of Hugging Face. */
  readonly folder: string;
  /** Address of the Hub; the page of a repository is below it. */
  readonly endpoint: string;
  readonly machine: MachineFacts;
  /** The built-in pair, known pairs with each number of bits, and whatever else is downloaded or in use. */
  readonly entries: readonly CatalogueEntry[];
  /** Present if the request named repositories. */
  readonly lookedUp?: LookedUp;
}

export type LookedUp = { readonly entry: CatalogueEntry } | { readonly failure: ModelFailure };

export interface MachineFacts {
  readonly memoryBytes: number;
  /** The part of the memory that models may use. */
  readonly usableBytes: number;
  readonly freeDiskBytes: number;
  readonly processor: 'cpu' | 'gpu';
}

export interface CatalogueEntry {
  /** drafter: a downloaded one, for a target yet to be chosen. folder: named by the settings, and no other kind. */
  readonly kind: 'embedded' | 'pair' | 'repository' | 'drafter' | 'folder';
  readonly name: string;
  /** In the form of the settings of the same names. */
  readonly target: string;
  readonly drafter: string;
  /** Of a pair whose target has drafters of several kinds. */
  readonly drafterKind?: 'DFlash' | 'DFlash2' | 'DSpark' | undefined;
  /** Repositories to download, target first; empty where there is nothing to download. */
  readonly repositories: readonly string[];
  /** Bits per weight of the target, if known. */
  readonly bits?: number | undefined;
  readonly license?: string | undefined;
  /** The prompt format for holes in code, as published; undefined if that is not known. */
  readonly infill?: 'fim' | 'chat' | 'prefix' | undefined;
  /** Known to complete text only: it does not follow instructions. */
  readonly isBase?: true | undefined;
  /** Trained to suggest the next edit, for the setting `nextEditModel`. */
  readonly isNextEdit?: true | undefined;
  /** Size of all its files; undefined if only the Hub knows. */
  readonly downloadBytes?: number | undefined;
  /** The part of these that has arrived. */
  readonly arrivedBytes: number;
  readonly isDownloaded: boolean;
  /** Whether a download of its target was started; its drafter may be there for another target. */
  readonly isBegun: boolean;
  readonly memoryBytes?: number | undefined;
  readonly speed?: SpeedEstimate | undefined;
  /** Whether drafts of its drafter are expected to make it faster here; only of known pairs with one. */
  readonly draftsPay?: boolean | undefined;
  /** With drafts, once enough was decoded here. */
  readonly draftedTokensPerSecond?: number | undefined;
  /** Why it does not suit this machine: a line that says what is wrong and what to do. */
  readonly problem?: string | undefined;
  /** The best choice on this machine: a pair that fits and is fast enough, or else the built-in one. */
  readonly isRecommended: boolean;
  /** Whether the settings of this client name it. */
  readonly isInUse: boolean;
  /** Directory of the target, once downloaded. */
  readonly directory?: string | undefined;
}

export type SpeedClass = 'instant' | 'fast' | 'moderate' | 'slow';

export interface SpeedEstimate {
  readonly class: SpeedClass;
  /** Speed of plain decoding; drafts add to it. */
  readonly tokensPerSecond: number;
  /** Whether an earlier load measured it here; otherwise estimated from sizes and memory bandwidth. */
  readonly isMeasured: boolean;
}

export interface DownloadParams {
  /** Target first, then its drafter, if any; they are checked against each other. */
  readonly repositories: readonly string[];
  /** The user's Hugging Face token; never stored. */
  readonly token?: string | undefined;
  /** Downloads despite any problem except a full disk. */
  readonly force?: boolean | undefined;
  readonly partialResultToken?: string | number | undefined;
}

/** Streams to partialResultToken. */
export interface DownloadProgress {
  readonly arrivedBytes: number;
  readonly bytes: number;
  /** Average over the last seconds. */
  readonly bytesPerSecond: number;
  /** Undefined while nothing has arrived. */
  readonly secondsLeft?: number | undefined;
}

/** Cancelling the request pauses a download: what has arrived stays, and the next one resumes there. */
export type DownloadOutcome =
  | { readonly finished: 'done'; readonly directories: readonly string[] }
  | { readonly finished: 'paused' }
  | ({ readonly finished: 'failed' } & ModelFailure);

/** `message` says what is wrong and what to do; `reason` lets the client offer an action. */
export interface ModelFailure {
  /** problem: a check failed, which `force` can override. refused: a token, or a different one, may help. */
  readonly reason: 'refused' | 'missing' | 'problem' | 'other';
  readonly message: string;
}

export interface RemoveResult {
  /** Bytes that were freed. */
  readonly bytes: number;
}
