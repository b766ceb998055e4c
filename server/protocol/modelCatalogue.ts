// Messages about available models: listing them with what they need on this machine, downloading and removing them.
// Only types.

export interface ModelCatalogue {
  /** Folder of the downloads, in the layout of Hugging Face. */
  readonly folder: string;
  /** Address of the Hub; pages of repositories are below it. */
  readonly endpoint: string;
  readonly machine: MachineFacts;
  /** The built-in pair, known pairs at each number of bits, and other models that are in use or (partly) downloaded. */
  readonly entries: readonly CatalogueEntry[];
  /** Result of looking up the repositories in the request, if it named any and was not cancelled. */
  readonly lookedUp?: LookedUp;
}

export type LookedUp = { readonly entry: CatalogueEntry } | { readonly failure: ModelFailure };

export interface MachineFacts {
  readonly memoryBytes: number;
  /** Part of the memory that models can use. */
  readonly usableBytes: number;
  readonly freeDiskBytes: number;
  readonly processor: 'cpu' | 'gpu';
}

export interface CatalogueEntry {
  /**
   * Kind of entry. drafter: a drafter without a chosen target. folder: a pair in the settings that no other entry
   * covers, such as a folder or a drafter other than the default.
   */
  readonly kind: 'embedded' | 'pair' | 'repository' | 'drafter' | 'folder';
  readonly name: string;
  /** Values for the settings `target` and `drafter` that choose this entry. */
  readonly target: string;
  readonly drafter: string;
  /** Kind of the drafter, if the target has drafters of several kinds. */
  readonly drafterKind?: 'DFlash' | 'DFlash2' | 'DSpark' | undefined;
  /** Repositories to download, target first; empty if there is nothing to download. */
  readonly repositories: readonly string[];
  /** Bits per weight of the target, if known. */
  readonly bits?: number | undefined;
  readonly license?: string | undefined;
  /**
   * Prompt format of suggestions; undefined for a model that is not a known one. fim: fill-in-the-middle tokens.
   * chat: a conversation. No entry has prefix (only the text before the cursor), which loaded models can have.
   */
  readonly infill?: 'fim' | 'chat' | 'prefix' | undefined;
  /** Set for models that only continue text and do not follow instructions. */
  readonly isBase?: true | undefined;
  /** Set for models trained to suggest the next edit, for the setting `nextEditModel`. */
  readonly isNextEdit?: true | undefined;
  /**
   * Size of all files, or about that of the weights for a known pair that is not downloaded; undefined if only the Hub
   * knows it, or if there is nothing to download.
   */
  readonly downloadBytes?: number | undefined;
  /** Part of `downloadBytes` that has arrived. */
  readonly arrivedBytes: number;
  readonly isDownloaded: boolean;
  /**
   * True if a download was started and is not complete. Only files of the target count, as the drafter can have been
   * downloaded with another target. Of a target's entries, it is true for those whose drafters have files, or else for
   * that of the default drafter.
   */
  readonly isBegun: boolean;
  readonly memoryBytes?: number | undefined;
  readonly speed?: SpeedEstimate | undefined;
  /** True if the drafter should make decoding faster here; only for known pairs with a drafter. */
  readonly draftsPay?: boolean | undefined;
  /** Speed with drafts, once enough tokens were decoded here. */
  readonly draftedTokensPerSecond?: number | undefined;
  /** Line for the user: why it cannot be used or does not suit this machine, and what to do. */
  readonly problem?: string | undefined;
  /** True for the best choice on this machine: a pair that fits and is fast enough, or else the built-in pair. */
  readonly isRecommended: boolean;
  /** True if the settings of this client name it. */
  readonly isInUse: boolean;
  /** Directory of the target, or of the drafter for an entry of that kind, once downloaded. */
  readonly directory?: string | undefined;
}

export type SpeedClass = 'instant' | 'fast' | 'moderate' | 'slow';

export interface SpeedEstimate {
  readonly class: SpeedClass;
  /** Speed of plain decoding; drafts add to it. */
  readonly tokensPerSecond: number;
  /** True if an earlier load has measured it here; otherwise it is estimated from sizes and memory bandwidth. */
  readonly isMeasured: boolean;
}

export interface ModelsParams {
  /** Repositories to look up on the Hub, as for a download. */
  readonly repositories?: readonly string[] | undefined;
  /** Hugging Face token of the user; never stored. */
  readonly token?: string | undefined;
}

export interface DownloadParams {
  /** The target, and then its drafter, if any, which is checked against the target. */
  readonly repositories: readonly string[];
  /** Hugging Face token of the user; never stored. */
  readonly token?: string | undefined;
  /** True to download despite problems, other than a full disk. */
  readonly force?: boolean | undefined;
  readonly partialResultToken?: string | number | undefined;
}

/** Progress that is streamed to partialResultToken. */
export interface DownloadProgress {
  readonly arrivedBytes: number;
  /** Total size, including what has arrived. */
  readonly bytes: number;
  /** Average over the last seconds. */
  readonly bytesPerSecond: number;
  /** Estimated seconds until the end; undefined if nothing has arrived in the last seconds. */
  readonly secondsLeft?: number | undefined;
}

/** Result of a download. Cancelling pauses it: bytes that have arrived stay, and the next download resumes there. */
export type DownloadOutcome =
  | { readonly finished: 'done'; readonly directories: readonly string[] }
  | { readonly finished: 'paused' }
  | ({ readonly finished: 'failed' } & ModelFailure);

/** A failure. `message` says what is wrong and what to do; by `reason`, the client can offer an action. */
export interface ModelFailure {
  /** problem: a check failed, which `force` overrides. refused: a token, or another token, can help. */
  readonly reason: 'refused' | 'missing' | 'problem' | 'other';
  readonly message: string;
}

export interface RemoveParams {
  readonly repositories: readonly string[];
}

export interface RemoveResult {
  /** Freed bytes. */
  readonly bytes: number;
}
