// A model as the server uses it, how one is loaded, and who holds it in memory. Types only.
import type { PromptTokens } from '../completion/prompt/promptTokens';
import type { RecentSuggestions } from '../completion/session/recent';
import type { DecodeRequest, Decode } from '../engine/decode/decode';
import type { Engine } from '../engine/engine';
import type { CacheBudget } from '../engine/promptCache';
import type { ClientSettings, ModelInfo, RemoteInfo } from '../protocol/messages';

/** A model that completes: in this process, or elsewhere, where what it is asked leaves the machine. */
export interface UsableModel {
  readonly engine: ServedEngine | RemoteServedEngine;
  /** Tells pairs apart: token ids of one mean nothing to another. */
  readonly pair: string;
  readonly info: ModelInfo;
  /** How long its prompts may be, in all windows. */
  readonly promptTokens: PromptTokens;
  /** What this pair has recently suggested, in all windows. */
  readonly recent: RecentSuggestions;
  /** Shows `generating` to the client until the returned function is called. */
  readonly begin?: () => () => void;
}

export interface LoadedModel extends UsableModel {
  readonly engine: ServedEngine;
}

/** What the server uses of an engine; tests bring a double. */
export type ServedEngine = Pick<
  Engine,
  'config' | 'tokenizer' | 'encodeChat' | 'decode' | 'maxDraftTokens' | 'device' | 'resizeCache' | 'dispose'
> &
  Partial<
    Pick<
      Engine,
      | 'chatParts'
      | 'chatProblem'
      | 'chatTemplateText'
      | 'promptLogprobs'
      | 'numberType'
      | 'prefillSpeed'
      | 'expectedPrefillSpeed'
    >
  > & {
    readonly remote?: undefined;
  };

/** The same of a remote one, which tells less about itself. */
export interface RemoteServedEngine extends Omit<ServedEngine, 'config' | 'device' | 'decode' | 'remote'> {
  readonly config: Pick<Engine['config'], 'maxPositionEmbeddings'>;
  readonly device: 'remote';
  readonly remote: RemoteInfo;
  decode(promptIds: readonly number[], request: DecodeRequest): Decode<null>;
}

/** The settings that say which models are loaded, or which remote engine is used instead. */
export type PairChoice = Pick<ClientSettings, 'target' | 'drafter' | 'drafterBits' | 'device'> &
  Partial<Pick<ClientSettings, 'strict' | 'remote' | 'remoteKey'>>;

export type LoadModel = (
  choice: PairChoice,
  onProgress: (fraction: number) => void,
  /** Of those who wait for it, and have a lease of the pair later. */
  watch?: { readonly log: (line: string) => void; readonly isWanted: () => boolean },
) => Promise<LoadedFiles>;

/** What was loaded from the files of a pair, under the names that the user knows. */
export interface LoadedFiles {
  readonly engine: ServedEngine | RemoteServedEngine;
  readonly target: string;
  readonly drafter: string | undefined;
  /** Why there is no drafter although one was named. */
  readonly drafterProblem?: string | undefined;
  /** Stores what was measured for the next load; never throws. */
  readonly remember: () => void;
}

/** Who has a lease of a pair, as the pool sees it. */
export interface Leaseholder {
  /** Memory it allows for what was read; the largest of all holders counts. */
  readonly cacheBudget: CacheBudget;
  /** When it got the pair or its last request ended; Infinity while one runs. */
  readonly lastUse: number;
  /** The number of its outputs that somebody is waiting for. */
  readonly waiting: number;
  /** Called with 0 to 1 while the pair is loading. */
  readonly onProgress: (fraction: number) => void;
  /** Memory is too low for a pair that is not in use: it must be given back. */
  readonly onShortMemory: () => void;
  readonly log: (line: string) => void;
}

/** A pair that somebody has leased. Only the pool changes it. */
export interface PooledPair {
  readonly name: string;
  /** Rejects when it cannot be loaded. */
  readonly model: Promise<UsableModel>;
  readonly holders: Set<Leaseholder>;
  /** Who gave it back last; told about errors once nobody has a lease. */
  last?: Leaseholder;
  /** Undefined before it is loaded, and once it is being freed. */
  loaded?: LoadedFiles | undefined;
  progress: number;
  /** The share of the holders' `cacheBudget` in use; below 1 while memory is low. */
  cacheShare: number;
  timer?: NodeJS.Timeout;
}
