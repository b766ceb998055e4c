// The messages between the extension host and the language server, beside those of LSP itself. Names and types
// only, so that each side brings its own copy of the JSON-RPC library.
import type { FinishReason, RequestStats } from './engine/stats';

export const Method = {
  /** client -> server, request: GenerateParams to GenerateResult; streams GenerateDelta to partialResultToken. */
  generate: 'flashline/generate',
  /** client -> server, request: CompareResult. Reruns the last prompt plainly and with drafts. */
  compare: 'flashline/compare',
  /** client -> server, request: CatalogueParams to ModelCatalogue (modelCatalogue.ts has these types). */
  models: 'flashline/models',
  /** client -> server, request: DownloadParams to DownloadOutcome; streams DownloadProgress to partialResultToken. */
  download: 'flashline/download',
  /** client -> server, request: RemoveParams to RemoveResult. */
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

/** What the server needs to know of the person's settings; also the initializationOptions. */
export interface ServerSettings {
  /** Model directories; empty means the embedded pair. */
  readonly target: string;
  /** 'none' decodes without drafts; empty means the embedded drafter for the embedded target, else none. */
  readonly drafter: string;
  readonly device: 'auto' | 'cpu' | 'gpu';
  /** Most drafts per round; 0 decodes plainly, 'adaptive' takes what is measured to be fastest. */
  readonly draftLength: number | 'full' | 'adaptive';
  /** Most tokens of one suggestion, and of one generate request. */
  readonly maxSuggestionTokens: number;
  readonly maxGenerateTokens: number;
  /** 'auto' decides by syntax. */
  readonly multiline: 'auto' | 'never' | 'always';
  /** Milliseconds of quiet before an automatic request reaches the engine. */
  readonly debounceMs: number;
  /** Whether snippets of other open files and of recent edits may enter the prompt. */
  readonly useOpenFiles: boolean;
  /** Whether an idle engine computes the suggestion after the one that is shown. */
  readonly prefetch: 'always' | 'pluggedIn' | 'never';
  /** Megabytes for what the models have read, so that only what changed is read again; 0 keeps nothing. */
  readonly cacheMemoryMB: number;
  /** When models are loaded: with the first request or edit, or at once. */
  readonly load: 'firstUse' | 'start';
  /** Minutes without a request after which the models leave memory until the next one; 0 keeps them. */
  readonly unloadAfterMinutes: number;
  /** Where models are downloaded from, and through what; empty means what the environment says. */
  readonly hub: HubSettings;
  /** How tokens are chosen by the generate command; a request may say it otherwise. */
  readonly generate: SamplingSettings;
  /** What is offered beside the most probable text to who asks for a suggestion; a temperature of 0 draws nothing. */
  readonly alternatives: { readonly temperature: number };
}

export interface HubSettings {
  readonly endpoint: string;
  readonly proxy: string;
}

export interface SamplingSettings {
  /** 0 takes the most probable token. */
  readonly temperature: number;
  /** Draws from so many tokens; 0 draws from all. */
  readonly topK: number;
  /** Draws from the most probable tokens that together reach this probability; 1 draws from all. */
  readonly topP: number;
  /** Draws from tokens at least this fraction as probable as the most probable one; 0 draws from all. */
  readonly minP: number;
  /** 1 changes nothing; the other two penalties do nothing at 0. */
  readonly repetitionPenalty: number;
  readonly presencePenalty: number;
  readonly frequencyPenalty: number;
  /** How many of the last tokens the penalties look at, those of the prompt included. */
  readonly penaltyWindow: number;
  /** The same seed gives the same text; null takes a new one each time. */
  readonly seed: number | null;
  /** How drafts are accepted where tokens are drawn. */
  readonly acceptance: 'match' | 'rejection';
  /** Whether an output ends once it goes round in circles. */
  readonly repetitionGuard: boolean;
}

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

export interface StatsRates {
  readonly tokensPerRound: number;
  readonly acceptanceRate: number;
  readonly decodeTokensPerSecond: number;
  readonly endToEndTokensPerSecond: number;
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
  readonly rates: StatsRates;
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
  readonly partialResultToken?: string | number;
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
  readonly seed?: number;
  /** When asked for: one for each token of the model's output, whose text is fitted into the document afterwards. */
  readonly logprobs?: readonly OutputLogprob[];
}

export interface CompareResult {
  readonly plain: StatsRow;
  readonly speculative: StatsRow;
  /** Whether both gave the same tokens, which they must. */
  readonly identical: boolean;
}
