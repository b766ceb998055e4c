// What a session decodes, and with what: everything decided, nothing left to look up.
import type { Drafter } from '../models/drafter';
import type { TargetModel } from '../models/target';
import type { Tokenizer } from '../models/tokenizer';
import type { DraftPolicy } from './draftPolicy';
import type { Sampler } from './sampling/sampler';
import type { SpeculationOff } from './stats';

export interface Models {
  readonly target: TargetModel;
  /** Those that may be asked for drafts; all of them are shown every committed token. */
  readonly drafters: readonly Drafter[];
  readonly tokenizer: Tokenizer | undefined;
}

export interface DecodeRequest {
  /** Checked against the vocabulary before anything is computed. */
  readonly promptIds: readonly number[];
  /** Most tokens to give out, the end token included. */
  readonly maxTokens: number;
  readonly sampler: Sampler;
  /** Of the sampler, for who wants the same text again; undefined when chance plays no part. */
  readonly seed?: number | undefined;
  readonly policy: DraftPolicy;
  readonly speculationOff: SpeculationOff | undefined;
  readonly stopStrings: readonly string[];
  /** End this output, beside the target's own end tokens. */
  readonly stopTokenIds?: readonly number[] | undefined;
  /** As in DecodeOptions. */
  readonly isComplete?: ((text: string) => boolean) | undefined;
  readonly repetitionGuard?: boolean | undefined;
  /** Aborting with the reason 'superseded' ends the request as superseded, any other as cancelled. */
  readonly signal: AbortSignal;
  /** Tokens of text that the output may repeat, beside the prompt. */
  readonly related?: readonly number[] | undefined;
}
