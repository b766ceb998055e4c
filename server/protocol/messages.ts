// The messages between the extension host and the language server, in addition to those of LSP. Names and types only,
// so that each side brings its own copy of the JSON-RPC library.
import type { FinishReason, Rates, RequestStats } from '../engine/request/stats';
import type { EnabledLanguages } from '../rules/enabledLanguages';
import type { ServerSettings } from '../rules/serverSettings';
import type { PromptPart } from '../rules/promptPart';
import type { NextEditStatus } from './nextEditMessages';

export const Method = {
  /** client -> server, request: GenerateParams to GenerateResult; streams GenerateDelta to partialResultToken. */
  generate: 'flashline/generate',
  /** client -> server, request: ChatModel[]. Models that are here, or in use, and hold conversations. */
  chatModels: 'flashline/chatModels',
  /** client -> server, request: ChatParams to ChatResult; streams GenerateDelta to partialResultToken. */
  chat: 'flashline/chat',
  /** client -> server, request: ChatTokensParams to a number. */
  chatTokens: 'flashline/chatTokens',
  /** client -> server, request: CompareResult. Reruns the last prompt plainly and with drafts. */
  compare: 'flashline/compare',
  /** client -> server, request: ModelCatalogue (modelCatalogue.ts). Looks up repositories of DownloadParams, if sent. */
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
  /** client -> server, notification: ClientSettings, at every change. The first are part of initialize. */
  settings: 'flashline/settings',
  /** client -> server, notification: DefinitionsParams, whenever an open document needs something else. */
  definitions: 'flashline/definitions',
  /** client -> server, notification: CursorParams, when the cursor rests although nothing was typed. */
  cursor: 'flashline/cursor',
  /** client -> server, notification: other files may be hidden now; what is known of files not open is forgotten. */
  forgetClosed: 'flashline/forgetClosed',
  /** client -> server, request: ServingParams. Starts the HTTP server for other tools, or tells where it is. */
  startServing: 'flashline/startServing',
  /** client -> server, request: ServingParams. Stops the HTTP server, for all windows. */
  stopServing: 'flashline/stopServing',
  /** server -> client, notification: ServingParams, at every change, and at the start if it is on. */
  serving: 'flashline/serving',
  /** server -> client, notification: the server ends on request; the client may start another one. */
  ending: 'flashline/ending',
} as const;

/** Our addition to the result of initialize. */
export interface ServerProcess {
  readonly serverProcessId: number;
}

export type { ServerSettings };
export type SamplingSettings = ServerSettings['generate'];

export interface ServingParams {
  /** Of the HTTP server for other tools, such as http://127.0.0.1:8080; null while it is off. */
  readonly address: string | null;
}

/** Text of one token of an output, and where it came from. */
export interface TokenPiece {
  readonly text: string;
  readonly source: 'prefill' | 'draft' | 'target';
}

/**
 * One request that reached the engine. All numbers are counters of this request or derived from them; those that a
 * remote engine does not tell are null.
 */
export interface StatsRow<Unknown extends null = null> {
  readonly id: number;
  /** alternative: drawn for a manually requested suggestion, in addition to its most probable text. */
  readonly kind: 'inline' | 'alternative' | 'nextEdit' | 'generate' | 'compare' | 'prefetch';
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Base name of the document. */
  readonly file: string;
  /** Absent where a prompt is not made of parts, as with an instruction for a chat model. */
  readonly prompt?: readonly PromptPart[];
  readonly stats: RequestStats<Unknown>;
  readonly rates: Rates<Unknown>;
  readonly acceptanceLengths: readonly number[] | Unknown;
  /** The rounds of the output, token by token; the first entry is the token from prefill. */
  readonly rounds: readonly (readonly TokenPiece[])[];
  /** Automatic suggestions only: milliseconds that it waited for a pause in typing. */
  readonly pausedMs?: number;
  /** Inline only: whether something was shown, or why not. */
  readonly outcome: 'shown' | 'empty' | 'filtered' | 'hidden' | FinishReason;
}

/** A row of a model in this process, of which everything is known. */
export type LocalRow = StatsRow<never>;

/** What the client sends as its settings, in initialize and later. */
export interface ClientSettings extends ServerSettings {
  /** Where the client asks for suggestions. While that is nowhere, a model is in memory for a request alone. */
  readonly enable?: EnabledLanguages | undefined;
  /** For the host in `remote.url`; from the secret storage, so no setting. */
  readonly remoteKey?: string | undefined;
}

/** Texts of other files, from the line of a definition on. The server quotes what they look like from outside. */
export interface DefinitionsParams {
  /** Of the open document that needs them. */
  readonly uri: string;
  /** Open documents that stand above it, as the cells of a notebook do; in their order. */
  readonly above?: readonly string[] | undefined;
  readonly definitions: readonly { readonly uri: string; readonly text: string }[];
}

/** Where the cursor rests in an open document. */
export interface CursorParams {
  readonly uri: string;
  /** As in LSP: both count from 0, characters in UTF-16 units. */
  readonly position: { readonly line: number; readonly character: number };
}

/** Our addition to an item of textDocument/inlineCompletion. */
export interface ItemAddition {
  /**
   * How likely its first line is to be kept, from 0 to 1; only of the first item, while `hideBelow` is above 0 and the
   * engine tells.
   */
  readonly keepProbability?: number;
}

export interface GenerateParams {
  readonly uri: string;
  readonly instruction: string;
  /** Offsets in the document: the range to replace, or an empty one at the cursor. */
  readonly start: number;
  readonly end: number;
  /** In place of the setting `maxGenerateTokens`. */
  readonly maxTokens?: number | undefined;
  /** Overrides the settings. */
  readonly sampling?: SamplingOverrides;
  readonly partialResultToken?: string | number | undefined;
}

export interface SamplingOverrides extends Partial<SamplingSettings> {
  /** How many of the most probable tokens to return at each position, 0 to 20. Turns drafts off. */
  readonly logprobs?: number;
}

/** Natural logarithm of a token's probability, after the penalties and before top-k, top-p and min-p. */
export interface TokenLogprob {
  readonly text: string;
  readonly logprob: number;
}

export interface OutputLogprob extends TokenLogprob {
  /** The most probable tokens, most probable first. */
  readonly top: readonly TokenLogprob[];
}

export interface GenerateDelta {
  readonly text: string;
}

export interface GenerateResult {
  readonly text: string;
  readonly finishReason: FinishReason;
  /** Present if tokens were drawn: a request with it returns the same text. */
  readonly seed?: number | undefined;
  /** On request: one for each token of the model's output, before its text is fitted into the document. */
  readonly logprobs?: readonly OutputLogprob[] | undefined;
}

/** A model that was trained to hold conversations. */
export interface ChatModel {
  /** In the form of the setting `target`; `remote` for the remote engine. */
  readonly id: string;
  readonly name: string;
  /** As its config calls it, such as qwen3. */
  readonly family: string;
  readonly bits?: number | undefined;
  /** Of a conversation and its answer together. */
  readonly contextTokens: number;
  /** Of an answer. */
  readonly maxTokens: number;
  /** Whether its chat template has tools. */
  readonly hasTools: boolean;
  /** Host and port of a remote engine, to which conversations are sent. */
  readonly host?: string | undefined;
}

export interface ChatParams {
  /** The `id` of a chat model. */
  readonly model: string;
  readonly messages: readonly ChatTurn[];
  /** As in OpenAI's API. */
  readonly tools?: readonly ChatTool[];
  readonly partialResultToken?: string | number | undefined;
}

export interface ChatTurn {
  /** tool: what a called function returned. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly toolCalls?: readonly ChatCall[] | undefined;
  /** Of the call that a tool answers. */
  readonly toolCallId?: string | undefined;
}

/** A function that the model asks to be called. */
export interface ChatCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ChatTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description?: string | undefined;
    /** A JSON schema. */
    readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  };
}

export interface ChatResult extends GenerateResult {
  readonly calls: readonly ChatCall[];
}

export interface CompareResult {
  readonly plain: StatsRow;
  readonly speculative: StatsRow;
  /** Whether both produced the same tokens. */
  readonly identical: boolean;
  /** The first tokens that differ; absent where none do. */
  readonly difference?: CompareDifference;
}

export interface CompareDifference {
  /** In the output, from 0. */
  readonly position: number;
  /** Between the target's logits of the two tokens; null where one of them was not among the most probable ones. */
  readonly logitGap: number | null;
  /** Whether rounding explains it: passes of one row and of several add in different orders. */
  readonly nearTie: boolean;
}

/**
 * asleep: no model is in memory; the next request loads one. connecting and unreachable: of a remote engine, which is
 * tried again when a request comes after a pause.
 */
export type ServerState =
  'starting' | 'asleep' | 'loading' | 'connecting' | 'ready' | 'generating' | 'unreachable' | 'error';

export interface StatusParams {
  readonly state: ServerState;
  /** Loading only: 0 to 1. */
  readonly progress?: number;
  /** Error and unreachable only: one line that says what is wrong and what to do. */
  readonly message?: string;
  /** Connecting, unreachable and asleep only: host and port of the remote engine of the settings. */
  readonly host?: string;
  /** Once loaded. */
  readonly model?: ModelInfo;
  /** Ready only: why the model of the settings could not be loaded and another one is in use; a line as above. */
  readonly fallback?: string;
  /** What the settings named when this was told. */
  readonly chosen?: Pick<ServerSettings, 'target' | 'drafter'>;
  /** Asleep only: why the models left memory; `unused` if there was no request yet. */
  readonly asleepBecause?: 'unused' | 'idle' | 'memory';
  /** Why automatic requests get nothing, if they do not: this machine runs on battery, and the settings say so. */
  readonly paused?: 'battery';
  /** State of next edits, sent while the setting `nextEdit` is on. */
  readonly nextEdit?: NextEditStatus;
  /** Messages of this client that were not as the protocol has them: a defect. Absent where there are none. */
  readonly wrongMessages?: number;
}

export interface ModelInfo {
  readonly target: string;
  /** Undefined if there is none. */
  readonly drafter?: string;
  /** Why there is no drafter although one was named: a line that says what is wrong and what to do. */
  readonly drafterProblem?: string;
  readonly device: 'cpu' | 'gpu' | 'remote';
  /** The prompt format of ghost text. */
  readonly infill: 'fim' | 'chat' | 'prefix';
  readonly maxDraftTokens: number;
  /** It only continues text: instructions reach it as a comment above the place. */
  readonly isBase?: true;
  /** Of a remote engine, to which prompts are sent. */
  readonly remote?: RemoteInfo;
}

export interface RemoteInfo {
  /** Host and port. */
  readonly host: string;
}
