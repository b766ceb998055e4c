// A model as the server uses it: what a loader gives, what all who use it share, and what each client adds.
// Types only.
import type { FimLayout, Infill } from '../completion/decoder';
import type { LineTokens } from '../completion/lineTokens';
import type { RecentSuggestions } from '../completion/recent';
import type { Engine } from '../engine/engine';
import type { ProfileSnapshot } from '../engine/pairProfile';
import type { ResidentPrefixes } from '../engine/residentPrefixes';
import type { ModelInfo, ServerSettings } from '../protocol';

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
  | 'calibrate'
  | 'profile'
  | 'dispose'
> &
  Partial<Pick<Engine, 'handOver'>>;

/** The settings that say which models are loaded. */
export type PairChoice = Pick<ServerSettings, 'target' | 'drafter' | 'device'>;

/** An engine under the names that a person knows its models by. */
export interface NamedEngine {
  readonly engine: ServedEngine;
  readonly target: string;
  readonly drafter: string | undefined;
  /** Why there is none although one was named. */
  readonly drafterProblem?: string | undefined;
  /** How it is best asked to fill a hole; undefined when that has to be tried out. */
  readonly probed?: Infill | undefined;
  /** Keeps what has been measured and tried out for the next load; never throws. */
  readonly remember: (profile: ProfileSnapshot, infill: Infill) => void;
}

/** `left` is what the pair has read when it was in memory before; it belongs to the engine once that is loaded. */
export type LoadModel = (
  choice: PairChoice,
  onProgress: (fraction: number) => void,
  left?: ResidentPrefixes,
) => Promise<NamedEngine>;

/** What all clients share who use the same pair. */
export interface SharedModel {
  /** Tells pairs apart: token ids of one mean nothing to another. */
  readonly pair: string;
  readonly engine: ServedEngine;
  readonly info: ModelInfo;
  readonly layout: FimLayout;
  /** Lines of documents as this model's tokens. */
  readonly lines: LineTokens;
  /** What this pair has suggested of late, in all windows: what another one would say is another text. */
  readonly recent: RecentSuggestions;
}

/** The model for one client. */
export interface LoadedModel extends SharedModel {
  /** Shows `generating` until what it gives is called. */
  readonly begin: () => () => void;
}
