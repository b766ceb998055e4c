// The messages between the extension host and the language server, beside those of LSP itself. Names and types
// only, so that each side brings its own copy of the JSON-RPC library.
import type { FinishReason, RequestStats } from './engine/stats';

export const Method = {
  /** client -> server, request: GenerateParams to GenerateResult; streams GenerateDelta to partialResultToken. */
  generate: 'flashline/generate',
  /** client -> server, request: CompareResult. Reruns the last prompt plainly and with drafts. */
  compare: 'flashline/compare',
  /** client -> server, request: the StatsRow[] of the last requests, oldest first. */
  history: 'flashline/history',
  /** server -> client, notification: StatusParams, at every change. */
  status: 'flashline/status',
  /** server -> client, notification: StatsRow, once per request that reached the engine. */
  stats: 'flashline/stats',
  /** client -> server, notification: ServerSettings, at every change. The first ones come with initialize. */
  settings: 'flashline/settings',
} as const;

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
}

export type ServerState = 'starting' | 'loading' | 'ready' | 'generating' | 'error';

export interface StatusParams {
  readonly state: ServerState;
  /** Loading only: 0 to 1. */
  readonly progress?: number;
  /** Error only: one line that says what is wrong and what to do. */
  readonly message?: string;
  /** Once loaded. */
  readonly model?: ModelInfo;
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
  readonly kind: 'inline' | 'generate' | 'compare' | 'prefetch';
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
  readonly partialResultToken?: string | number;
}

export interface GenerateDelta {
  readonly text: string;
}

export interface GenerateResult {
  readonly text: string;
  readonly finishReason: FinishReason;
}

export interface CompareResult {
  readonly plain: StatsRow;
  readonly speculative: StatsRow;
  /** Whether both gave the same tokens, which they must. */
  readonly identical: boolean;
}
