// Messages between the extension host and the language server, in addition to those of LSP. The file has only constants
// and types, so that each side can bundle its own JSON-RPC library.
import type { FinishReason, Rates, RequestStats } from '../engine/request/stats';
import type { EnabledLanguages } from '../rules/enabledLanguages';
import type { ServerSettings } from '../rules/serverSettings';
import type { PartSize } from '../rules/partSize';
import type { ChatMessage, Tool, ToolCall } from './conversation';
import type {
  DownloadOutcome,
  DownloadParams,
  DownloadProgress,
  ModelCatalogue,
  ModelsParams,
  RemoveParams,
  RemoveResult,
} from './modelCatalogue';
import type {
  DidShowParams,
  ExecuteCommandParams,
  InlineEditParams,
  InlineEditResult,
  NextEditMethod,
  NextEditStatus,
} from './nextEditMessages';

/** LSP's request for ghost text; our client adds `growingResultToken` and `formatting` to its parameters. */
export const INLINE_COMPLETION = 'textDocument/inlineCompletion';

export const Method = {
  /** client -> server. Generates code for an instruction. */
  generate: 'flashline/generate',
  /** client -> server. Lists the chat models that are downloaded or in use. */
  chatModels: 'flashline/chatModels',
  /** client -> server. Answers a conversation. */
  chat: 'flashline/chat',
  /** client -> server. Counts the tokens of a text. */
  chatTokens: 'flashline/chatTokens',
  /** client -> server. Decodes the last prompt again, with and without drafts. */
  compare: 'flashline/compare',
  /** client -> server. Lists models. If repositories are named, also looks them up on the Hub. */
  models: 'flashline/models',
  /** client -> server. Downloads a target and its drafter. */
  download: 'flashline/download',
  /** client -> server. Removes repositories. */
  removeModel: 'flashline/removeModel',
  /** client -> server. Returns the statistics of the last requests, oldest first. */
  history: 'flashline/history',
  /** server -> client, on every change. */
  status: 'flashline/status',
  /** server -> client, once per decode; a request can have several. */
  stats: 'flashline/stats',
  /** client -> server, on every change. initialize contains the first ones. */
  settings: 'flashline/settings',
  /** client -> server, whenever the definitions for an open document change. */
  definitions: 'flashline/definitions',
  /** client -> server, when the cursor rests at a place without typing. */
  cursor: 'flashline/cursor',
  /**
   * client -> server. Makes the server forget the text of files that are no longer open, since one of them can now be
   * excluded, for example by .flashlineignore.
   */
  forgetClosed: 'flashline/forgetClosed',
  /** client -> server. Starts the HTTP server for other tools unless it runs; returns its address. */
  startServing: 'flashline/startServing',
  /** client -> server. Stops the HTTP server, for all windows. */
  stopServing: 'flashline/stopServing',
  /** server -> client, on every change, and on connecting if the HTTP server is on. */
  serving: 'flashline/serving',
  /** server -> client: the server was asked to end, as for a restart by another window; the client can start another. */
  ending: 'flashline/ending',
} as const;

/** Requests of the client, with their parameters and results. */
export interface Requests {
  [Method.generate]: { params: GenerateParams; result: GenerateResult };
  [Method.chatModels]: { params: NoParams; result: readonly ChatModel[] };
  [Method.chat]: { params: ChatParams; result: ChatResult };
  [Method.chatTokens]: { params: ChatTokensParams; result: number };
  [Method.compare]: { params: NoParams; result: CompareResult };
  [Method.models]: { params: ModelsParams; result: ModelCatalogue };
  [Method.download]: { params: DownloadParams; result: DownloadOutcome };
  [Method.removeModel]: { params: RemoveParams; result: RemoveResult };
  [Method.history]: { params: NoParams; result: readonly StatsRow[] };
  [Method.startServing]: { params: NoParams; result: ServingParams };
  [Method.stopServing]: { params: NoParams; result: ServingParams };
  [NextEditMethod.inlineEdit]: { params: InlineEditParams; result: InlineEditResult | null };
  [NextEditMethod.executeCommand]: { params: ExecuteCommandParams; result: null };
}

/** Parts of a result that requests stream to `partialResultToken` before they end. */
export interface StreamedParts {
  [Method.generate]: GenerateDelta;
  [Method.chat]: GenerateDelta;
  [Method.download]: DownloadProgress;
}

/**
 * Notifications that our client sends itself, with their parameters. Its LSP library sends others, such as didChange.
 */
export interface ClientNotifications {
  'textDocument/didOpen': {
    textDocument: { uri: string; languageId: string; version: number; text: string };
  };
  'textDocument/didClose': { textDocument: { uri: string } };
  [Method.settings]: ClientSettings;
  [Method.definitions]: DefinitionsParams;
  [Method.cursor]: CursorParams;
  [Method.forgetClosed]: undefined;
  [NextEditMethod.didShow]: DidShowParams;
}

/** Notifications of the server, with their parameters. */
export interface ServerNotifications {
  [Method.status]: StatusParams;
  [Method.stats]: StatsRow;
  [Method.serving]: ServingParams;
  [Method.ending]: undefined;
}

type NoParams = Record<string, never>;

/** Maximum number of tools in a chat. */
export const MAX_TOOLS = 128;
/** Largest tab size in the formatting of a document. */
export const MAX_TAB_SIZE = 16;
/** Maximum characters of a definition; its outline needs no more. */
export const MAX_DEFINITION_LENGTH = 20_000;

/** Our addition to the result of initialize. */
export interface ServerProcess {
  readonly serverProcessId: number;
}

export type { ServerSettings };
export type SamplingSettings = ServerSettings['generate'];

export interface ServingParams {
  /** Address of the HTTP server for other tools, such as http://127.0.0.1:8080; null while it is off. */
  readonly address: string | null;
}

/** Text of one output token, with its source. */
export interface TokenPiece {
  readonly text: string;
  readonly source: 'prefill' | 'draft' | 'target';
}

/**
 * Statistics of one decode for a request. All numbers are counters of this decode, or computed from them; null if a
 * remote engine does not report them.
 */
export interface StatsRow {
  readonly id: number;
  /**
   * Kind of request. alternative: a sampled text, in addition to the greedy one, for a manually requested suggestion.
   * generate: also answers of chats.
   */
  readonly kind: 'inline' | 'alternative' | 'nextEdit' | 'generate' | 'compare' | 'prefetch';
  /** Time at which the request ended, in milliseconds since 1970. */
  readonly at: number;
  /** Model that decoded; chats and next edits can use another one than suggestions. */
  readonly model: ModelInfo;
  /** Base name of the document; `chat` for chats, empty for comparisons. */
  readonly file: string;
  /** Sizes of the prompt's parts. Absent for a prompt without parts, such as an instruction for a chat model. */
  readonly prompt?: readonly PartSize[];
  readonly stats: RequestStats<null>;
  readonly rates: Rates<null>;
  /** Tokens emitted by each round, the correction or bonus included. */
  readonly acceptanceLengths: readonly number[] | null;
  /** Tokens of the output by round, after the token from prefill, if there is one. Empty if the engine reports none. */
  readonly rounds: readonly (readonly TokenPiece[])[];
  /** Milliseconds spent waiting for a pause in typing; automatic suggestions only. */
  readonly pausedMs?: number;
  /** Whether the suggestion was shown, or why not; cancelled ones and other kinds have the finish reason. */
  readonly outcome: 'shown' | 'empty' | 'filtered' | 'hidden' | FinishReason;
}

/** Settings of the client, sent with initialize and on every change. */
export interface ClientSettings extends ServerSettings {
  /**
   * Languages with suggestions. While the switch of "*" is off, suggestions are off in all languages, and a model is
   * loaded only for the duration of a request.
   */
  readonly enable?: EnabledLanguages | undefined;
  /** API key for the host in `remote.url`. It comes from the secret storage, so it is not a setting. */
  readonly remoteKey?: string | undefined;
}

/** Definitions in other files, each as the text from its first line on. Prompts quote only their outlines. */
export interface DefinitionsParams {
  /** URI of the open document that uses them. */
  readonly uri: string;
  /** URIs of the open documents before it, in order, such as the earlier cells of a notebook. */
  readonly above?: readonly string[] | undefined;
  readonly definitions: readonly { readonly uri: string; readonly text: string }[];
}

/** Position where the cursor rests in an open document. */
export interface CursorParams {
  readonly uri: string;
  /** Position as in LSP: both numbers count from 0, characters in UTF-16 units. */
  readonly position: { readonly line: number; readonly character: number };
}

/** Our addition to items of textDocument/inlineCompletion. */
export interface ItemAddition {
  /**
   * Probability, 0 to 1, that the user keeps the first line. Only the first item has it, if `hideBelow` is above 0 and
   * the engine reports log-probabilities.
   */
  readonly keepProbability?: number;
}

export interface GenerateParams {
  readonly uri: string;
  readonly instruction: string;
  /** Offsets of the range to replace, in UTF-16 units; an empty range at the cursor inserts. */
  readonly start: number;
  readonly end: number;
  /** Token limit that overrides the setting `maxGenerateTokens`. */
  readonly maxTokens?: number | undefined;
  /** Sampling options that override the settings. */
  readonly sampling?: SamplingOverrides;
  readonly partialResultToken?: string | number | undefined;
}

export interface SamplingOverrides extends Partial<SamplingSettings> {
  /** Number of most probable tokens to return at each position, 0 to 20. Turns drafts off. */
  readonly logprobs?: number;
}

/**
 * A token with the natural logarithm of its probability, after penalties and before temperature, top-k, top-p and
 * min-p.
 */
export interface TokenLogprob {
  readonly text: string;
  readonly logprob: number;
}

export interface OutputLogprob extends TokenLogprob {
  /** Most probable tokens, in descending order. */
  readonly top: readonly TokenLogprob[];
}

export interface GenerateDelta {
  readonly text: string;
}

export interface GenerateResult {
  readonly text: string;
  readonly finishReason: FinishReason;
  /**
   * Seed, present if tokens were sampled. A request with it returns the same text, unless this one had
   * `acceptance: 'rejection'` and no seed.
   */
  readonly seed?: number | undefined;
  /** Log-probabilities of each output token, if requested, before the text is indented for the document. */
  readonly logprobs?: readonly OutputLogprob[] | undefined;
}

/** Properties of a model that matter in chats. */
export interface ChatFacts {
  /** Model type in its config, such as qwen3. */
  readonly family: string;
  /** Maximum tokens of a conversation and its answer together. */
  readonly contextTokens: number;
  /** Whether its chat template supports tools. */
  readonly hasTools: boolean;
}

/** A model that was trained for conversations. */
export interface ChatModel extends ChatFacts {
  /** Model in the form of the setting `target`; `remote` for the remote engine. */
  readonly id: string;
  readonly name: string;
  readonly bits?: number | undefined;
  /** Maximum tokens of an answer. */
  readonly maxTokens: number;
  /** Host and port of a remote engine, to which conversations are sent. */
  readonly host?: string | undefined;
}

export interface ChatParams {
  /** The `id` of a chat model. */
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  /** At most MAX_TOOLS. */
  readonly tools?: readonly Tool[] | undefined;
  readonly partialResultToken?: string | number | undefined;
}

export interface ChatTokensParams {
  /** The `id` of a chat model. */
  readonly model: string;
  readonly text: string;
}

/** A function call that the model requests. */
export interface AnsweredCall extends ToolCall {
  readonly id: string;
}

export interface ChatResult extends GenerateResult {
  readonly calls: readonly AnsweredCall[];
}

export interface CompareResult {
  readonly plain: StatsRow;
  readonly speculative: StatsRow;
  /** True if both produced the same tokens. */
  readonly identical: boolean;
  /** First tokens that differ; absent if none do. */
  readonly difference?: CompareDifference;
}

export interface CompareDifference {
  /** Index in the output, from 0. */
  readonly position: number;
  /** Difference of the target's logits of the two tokens; null if one is not among the most probable tokens. */
  readonly logitGap: number | null;
  /** True if rounding explains the difference: passes of one row and of several rows add in different orders. */
  readonly nearTie: boolean;
}

/**
 * State of the server. asleep: no model is in memory; the next request loads one. connecting and unreachable: states of
 * a remote engine. An unreachable engine is tried again after a pause, at the next request or when the user types.
 */
export type ServerState =
  'starting' | 'asleep' | 'loading' | 'connecting' | 'ready' | 'generating' | 'unreachable' | 'error';

export interface StatusParams {
  readonly state: ServerState;
  /** Progress from 0 to 1; loading only. */
  readonly progress?: number;
  /** Line for the user: what is wrong and what to do; error and unreachable only. */
  readonly message?: string;
  /**
   * Host and port of the remote engine in the settings, or LLAMA_CPP (remoteAddress.ts); connecting, unreachable and
   * asleep only.
   */
  readonly host?: string;
  /** Model in use, once it is loaded. */
  readonly model?: ModelInfo;
  /** Line for the user: why another model than that of the settings is in use; ready only. */
  readonly fallback?: string;
  /** Models named in the settings to which this status belongs; newer settings can wait for a load. */
  readonly chosen?: { readonly target: string; readonly drafter: string };
  /** Reason why no model is in memory; asleep only. `unused`: there was no request yet, or suggestions are off. */
  readonly asleepBecause?: 'unused' | 'idle' | 'memory';
  /** Reason why automatic requests pause. battery: this machine runs on battery, and the settings ask for a pause. */
  readonly paused?: 'battery';
  /** State of next edits, sent while the setting `nextEdit` is on. */
  readonly nextEdit?: NextEditStatus;
  /** Number of messages from this client that violate the protocol, which is a defect. Absent if there are none. */
  readonly wrongMessages?: number;
}

export interface ModelInfo {
  readonly target: string;
  /** Drafter; undefined if there is none. */
  readonly drafter?: string;
  /** Line for the user: why the drafter of the settings is not in use, and what to do. */
  readonly drafterProblem?: string;
  readonly device: 'cpu' | 'gpu' | 'remote';
  /** Prompt format of ghost text. */
  readonly infill: 'fim' | 'chat' | 'prefix';
  readonly maxDraftTokens: number;
  /** Set for a base model, which only continues text: it gets instructions as a comment above the cursor. */
  readonly isBase?: true;
  /** Remote engine to which prompts are sent. */
  readonly remote?: RemoteInfo;
}

export interface RemoteInfo {
  /** Host and port of the engine, or LLAMA_CPP (remoteAddress.ts) for a llama-server that Flashline started. */
  readonly host: string;
}
