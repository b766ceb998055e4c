// Chooses drafters and draft policy for a request: a fixed length, the adaptive one, or none with the reason.
import type { Drafter } from '../../models/drafters/drafter';
import { ngramDrafter } from '../../models/drafters/ngramDrafter';
import type { DraftLength } from '../decode/decode';
import type { Sampling } from '../request/sampling';
import type { SpeculationOff } from '../request/stats';
import type { RowFacts } from '../../rules/rowCost';
import { AdaptiveLength, type Mode } from './adaptiveLength';
import { fixedLength } from './fixedLength';
import type { DraftPolicy } from './policy';
import { PairProfile, type ProfileSnapshot } from './profile';

/** Drafters and policy of one decode. */
export interface SpeculationPlan {
  readonly drafters: readonly Drafter[];
  readonly policy: DraftPolicy;
  /** Reason why nothing is drafted; undefined if drafts are made. */
  readonly speculationOff: SpeculationOff | undefined;
}

export class Speculation {
  readonly profile: PairProfile;
  /** One policy per mode: acceptance differs between modes. */
  readonly #adaptive: Readonly<Record<Mode, AdaptiveLength>>;
  /** Drafters of every decode that drafts, in this order. */
  readonly #drafters: readonly Drafter[];

  constructor(
    private readonly drafter: Drafter | undefined,
    snapshot?: ProfileSnapshot,
    /** Reason why there is no drafter, if there is none. */
    private readonly noDrafterReason: SpeculationOff = 'no_drafter',
    facts?: RowFacts,
  ) {
    const ngram = ngramDrafter();
    // The list is the same for all draft lengths but 0, so that a request can continue from the cached prompt of
    // another.
    this.#drafters = drafter ? [drafter, ngram] : [ngram];
    this.profile = new PairProfile(snapshot, facts);
    this.#adaptive = {
      greedy: new AdaptiveLength(this.profile),
      match: new AdaptiveLength(this.profile, 'match'),
      rejection: new AdaptiveLength(this.profile, 'rejection'),
      edit: new AdaptiveLength(this.profile, 'edit', Infinity),
    };
  }

  /** Plans the drafts of a text that can grow to `positions` tokens; `isEdit` marks a request for a next edit. */
  plan(draftLength: DraftLength, sampling: Sampling, positions: number, isEdit = false): SpeculationPlan {
    const speculationOff = this.#offReason(draftLength, sampling, positions);
    // Plain decoding is the same loop with empty drafts.
    if (speculationOff) return { drafters: [], policy: fixedLength(0), speculationOff };
    const policy =
      draftLength === 'adaptive'
        ? this.#adaptive[modeOf(sampling, isEdit)]
        : fixedLength(draftLength === 'full' ? Infinity : draftLength);
    return { drafters: this.#drafters, policy, speculationOff: undefined };
  }

  #offReason(draftLength: DraftLength, sampling: Sampling, positions: number): SpeculationOff | undefined {
    if (draftLength === 0) return 'draft_length_zero';
    if (sampling.logprobs !== undefined) return 'logprobs_requested';
    if (draftLength !== 'adaptive' && this.drafter === undefined) return this.noDrafterReason;
    return positions > (this.drafter?.maxPositions ?? Infinity) ? 'context_limit' : undefined;
  }
}

function modeOf({ temperature, acceptance }: Sampling, isEdit: boolean): Mode {
  if (temperature > 0) return acceptance;
  return isEdit ? 'edit' : 'greedy';
}
