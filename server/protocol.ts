// The messages between the extension host and the language server, beside those of LSP itself. Names and types
// only, so that each side brings its own copy of the JSON-RPC library.
import type { FinishReason, rates, RequestStats } from './engine/stats';
import type { ServerSettings } from './rules/serverSettings';

export const Method = {
  /** client -> server, request: GenerateParams to GenerateResult; streams GenerateDelta to partialResultToken. */
  generate: 'flashline/generate',
  /** client -> server, request: CompareResult. Reruns the last prompt plainly and with drafts. */
  compare: 'flashline/compare',
  /**
   * client -> server, request: ModelCatalogue (modelCatalogue.ts has these types). The repositories of DownloadParams, if
   * any are sent, are looked up at the hub beside what is known.
   */
  models: 'flashline/models',
  /** client -> server, request: DownloadParams to DownloadOutcome; streams DownloadProgress to partialResultToken. */
  download: 'flashline/download',
  /** client -> server, request: the repositories of DownloadParams to RemoveResult. */
  removeModel: 'flashline/removeModel',
  /** client -> server, request: the StatsRow[] of the last requests, oldest first. */
  history: 'flashline/history',
  /** server -> client, notification: StatusParams, at every change. */
  status: 'flashline/status',
  /** server -> client, notification: StatsRow, once per request that reached the engine. */
  stats: 'flashline/stats',
  /** client -> server, notification: ServerSettings, at every change. The first ones come with initialize. */
  settings: 'flashline/settings',
  /** server -> client, notification: the server ends because somebody wants that; another one may be started. */
  ending: 'flashline/ending',
} as const;

/** What is in the result of initialize beside what LSP has there. */
export interface ServerProcess {
  readonly serverProcessId: number;
}

export type { ServerSettings };

export type SamplingSettings = ServerSettings['generate'];

/** asleep: no model is in memory, the next request loads one. */
export type ServerState = 'starting' | 'asleep' | 'loading' | 'ready' | 'generating' | 'error';

export interface StatusParams {
  readonly state: ServerState;
  /** Loading only: 0 to 1. */
  readonly progress?: number;
  /** Error only: one line that says what is wrong and what to do. */
  readonly message?: string;
  /** Once loaded. */
  readonly model?: ModelInfo;
  /** Ready only: why it is not the model that the settings name, which has failed; a line as above. */
  readonly fallback?: string;
  /** Asleep only: what has sent the models out of memory, or that nothing has been asked yet. */
  readonly asleepBecause?: 'unused' | 'idle' | 'memory';
}

export interface ModelInfo {
  readonly target: string;
  /** Undefined without one. */
  readonly drafter?: string;
  /** Why there is none although one was named: a line that says what is wrong and what to do. */
  readonly drafterProblem?: string;
  readonly device: 'cpu' | 'gpu';
  /** How ghost text is asked for, as probed at load. */
  readonly infill: 'fim' | 'chat' | 'prefix';
  readonly maxDraftTokens: number;
}

/** Text of one token of an output, and who proposed it. */
export interface TokenPiece {
  readonly text: string;
  readonly source: 'prefill' | 'draft' | 'target';
}

/** One request that reached the engine. All numbers are counters of this request or derived from them. */
export interface StatsRow {
  readonly id: number;
  /** alternative: what was drawn for a suggestion that was asked for, beside its most probable text. */
  readonly kind: 'inline' | 'alternative' | 'generate' | 'compare' | 'prefetch';
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Base name of the document. */
  readonly file: string;
  readonly stats: RequestStats;
  readonly rates: Readonly<ReturnType<typeof rates>>;
  readonly acceptanceLengths: readonly number[];
  /** The rounds of the output, token by token; the first entry is the token that prefill gave. */
  readonly rounds: readonly (readonly TokenPiece[])[];
  /** Inline only: whether something was shown, or why not. */
  readonly outcome: 'shown' | 'empty' | 'filtered' | FinishReason;
}

export interface GenerateParams {
  readonly uri: string;
  readonly instruction: string;
  /** Offsets in the document: what is to be replaced, or an empty range at the cursor. */
  readonly start: number;
  readonly end: number;
  /** In place of the settings. */
  readonly sampling?: SamplingOverrides;
  readonly partialResultToken?: string | number | undefined;
}

export interface SamplingOverrides extends Partial<SamplingSettings> {
  /** Asks for so many of the most probable tokens at each position, 0 to 20. There are no drafts then. */
  readonly logprobs?: number;
}

/** Natural logarithm of a token's probability, after the penalties and before anything is cut off. */
export interface TokenLogprob {
  readonly text: string;
  readonly logprob: number;
}

export interface OutputLogprob extends TokenLogprob {
  /** The most probable tokens in falling order. */
  readonly top: readonly TokenLogprob[];
}

export interface GenerateDelta {
  readonly text: string;
}

export interface GenerateResult {
  readonly text: string;
  readonly finishReason: FinishReason;
  /** Where tokens were drawn: who asks with it again gets the same text. */
  readonly seed?: number | undefined;
  /** When asked for: one for each token of the model's output, whose text is fitted into the document afterwards. */
  readonly logprobs?: readonly OutputLogprob[] | undefined;
}

export interface CompareResult {
  readonly plain: StatsRow;
  readonly speculative: StatsRow;
  /** Whether both gave the same tokens, which they must. */
  readonly identical: boolean;
}
