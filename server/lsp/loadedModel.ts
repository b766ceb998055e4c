// A model as the server uses it, how one is loaded, and who has it in memory. Types only.
import type { FimLayout, Infill } from '../completion/decoder';
import type { LineTokens } from '../completion/lineTokens';
import type { RecentSuggestions } from '../completion/recent';
import type { Engine } from '../engine/engine';
import type { ProfileSnapshot } from '../engine/pairProfile';
import type { PromptCache } from '../engine/promptCache';
import type { ModelInfo, ServerSettings } from '../protocol';

export interface LoadedModel {
  /** Tells pairs apart: token ids of one mean nothing to another. */
  readonly pair: string;
  readonly engine: ServedEngine;
  readonly info: ModelInfo;
  readonly layout: FimLayout;
  /** Lines of documents as this model's tokens. */
  readonly lines: LineTokens;
  /** What this pair has suggested of late, in all windows: another one would say something else. */
  readonly recent: RecentSuggestions;
  /** Shows that client `generating` until what it gives is called. */
  readonly begin?: () => () => void;
}

/** What the server uses of an engine; tests bring a double. */
export type ServedEngine = Pick<
  Engine,
  | 'config'
  | 'tokenizer'
  | 'encodeChat'
  | 'decode'
  | 'maxDraftTokens'
  | 'device'
  | 'resizeCache'
  | 'profile'
  | 'dispose'
> &
  Partial<Pick<Engine, 'handOver'>>;

/** The settings that say which models are loaded. */
export type PairChoice = Pick<ServerSettings, 'target' | 'drafter' | 'drafterBits' | 'device'>;

/** `left` is what the pair has read when it was in memory before; it belongs to the engine once that is loaded. */
export type LoadModel = (
  choice: PairChoice,
  onProgress: (fraction: number) => void,
  left?: PromptCache,
) => Promise<LoadedFiles>;

/** What the files of a pair gave, under the names that a person knows it by. */
export interface LoadedFiles {
  readonly engine: ServedEngine;
  readonly target: string;
  readonly drafter: string | undefined;
  /** Why there is none although one was named. */
  readonly drafterProblem?: string | undefined;
  /** For the log. */
  readonly notes?: readonly string[];
  /** How it is best asked to fill a hole; undefined when that has to be tried out. */
  readonly probed?: Infill | undefined;
  /** Keeps what has been measured and tried out for the next load; never throws. */
  readonly remember: (profile: ProfileSnapshot, infill: Infill) => void;
}

/** Who has a lease of a pair, as the pool sees it. */
export interface Leaseholder {
  /** What it would give to what is read; the largest of all counts. */
  readonly cacheBytes: number;
  /** When it got the pair, or its last request ended; Infinity while one runs. */
  readonly lastUse: number;
  /** How many of its outputs somebody waits for. */
  readonly waiting: number;
  /** 0 to 1, while the pair is loaded. */
  readonly onProgress: (fraction: number) => void;
  /** Memory is too short for a pair that is not in use: it is to be given back. */
  readonly onShortMemory: () => void;
  readonly log: (line: string) => void;
}

/** A pair that somebody has a lease of. Only the pool changes it. */
export interface PooledPair {
  readonly name: string;
  /** Rejects when it cannot be loaded. */
  readonly model: Promise<LoadedModel>;
  readonly holders: Set<Leaseholder>;
  /** Who has given it back last, and hears of what goes wrong when nobody has a lease any more. */
  last?: Leaseholder;
  /** Undefined before it is loaded, and once it is being freed. */
  loaded?: { readonly engine: ServedEngine; readonly remember: () => void } | undefined;
  progress: number;
  /** Of what the holders would give to what is read; less while memory is short. */
  cacheShare: number;
  timer?: NodeJS.Timeout;
}
