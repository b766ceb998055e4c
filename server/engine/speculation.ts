// Who drafts for an engine, and how much of it is verified: fixed, adaptive or not at all.
import type { Drafter } from '../models/drafter';
import { ngramDrafter } from '../models/ngram/drafter';
import { noDrafter } from '../models/noDrafter';
import { AdaptiveLength } from './adaptiveLength';
import type { DraftLength } from './decodeOptions';
import { fixedLength, type DraftPolicy } from './draftPolicy';
import { PairProfile, type ProfileSnapshot } from './pairProfile';
import type { SpeculationOff } from './stats';

export interface Speculating {
  readonly drafters: readonly Drafter[];
  readonly policy: DraftPolicy;
  /** Why there are no drafts. */
  readonly speculationOff: SpeculationOff | undefined;
}

export class Speculation {
  readonly profile: PairProfile;
  readonly #adaptive: AdaptiveLength;
  readonly #drafters: readonly Drafter[];

  constructor(
    private readonly drafter: Drafter,
    snapshot?: ProfileSnapshot,
  ) {
    const ngram = ngramDrafter();
    // The same for any length, so that one request can go on from what another has read.
    this.#drafters = drafter.maxDraftTokens > 0 ? [drafter, ngram] : [ngram];
    const maxRows = 1 + Math.max(...this.#drafters.map(({ maxDraftTokens }) => maxDraftTokens));
    this.profile = new PairProfile(maxRows, snapshot);
    this.#adaptive = new AdaptiveLength(this.profile);
  }

  of(draftLength: DraftLength): Speculating {
    if (draftLength === 0) return without('draft_length_zero');
    const drafters = this.#drafters;
    if (draftLength === 'adaptive') return { drafters, policy: this.#adaptive, speculationOff: undefined };
    const most = this.drafter.maxDraftTokens;
    if (most === 0) return without('no_drafter');
    const policy = fixedLength(draftLength === 'full' ? most : draftLength);
    return { drafters, policy, speculationOff: undefined };
  }
}

/** Plain decoding is the same loop with a drafter that never drafts. */
function without(speculationOff: SpeculationOff): Speculating {
  return { drafters: [noDrafter], policy: fixedLength(0), speculationOff };
}
