// Tokens by the whole chain: penalties, truncation, chance. One chain for plain steps, target rows and draft rows; only
// what the chances of a position are used for differs between the two ways to accept drafts.
import type { MxArray } from '../../models/mlxCore';
import { acceptMatching, acceptRejecting, type Acceptance } from '../accept';
import { chancesAt, type Chances } from './chances';
import { certain, draw, type Distribution } from './distribution';
import { greedySampler } from './greedySampler';
import type { LogitRow } from './logitRow';
import { occurrences } from './penalised';
import { processDraftRow, processRow } from './processRow';
import { readRows, rowArrays, type RowWishes } from './readRows';
import { penalises, truncates, type Sampling } from './sampling';
import type { Drafted, Pending, Place, Sampler, Verdict } from './sampler';
import { tokenLogprobs } from './tokenLogprobs';

/** Beside what top-k asks for: nearly always all that matters of a distribution over code. */
const LARGEST = 48;
/** A draft is drawn from so few tokens that the target can be asked for all of them. */
const DRAFTED_FROM = 16;

export function chainSampler(sampling: Sampling): Sampler {
  const chain = new Chain(sampling);
  return {
    judge: (logits, drafted, at) => chain.judge(logits, drafted, at),
    // What the target draws itself is matched best by what is most probable.
    pick: (logits, at) => (chain.drawsDrafts ? chain.pick(logits, at) : greedySampler.pick(logits, at)),
  };
}

class Chain {
  constructor(private readonly sampling: Sampling) {}

  get drawsDrafts(): boolean {
    return this.sampling.acceptance === 'rejection' && this.sampling.temperature > 0;
  }

  judge(logits: MxArray, drafted: Drafted, at: Place): Pending<Verdict> {
    const named = this.#namedByRow(drafted, at);
    const wishes = targetWishes(this.sampling);
    const arrays = rowArrays(logits, named, wishes);
    return { arrays, read: () => this.#verdict(readRows(arrays, named, wishes), drafted, at) };
  }

  pick(logits: MxArray, at: Place): Pending<Drafted> {
    const named = Array<number[]>(logits.shape[1] ?? 0).fill(this.#named(at, []));
    const wishes = { largest: DRAFTED_FROM + this.sampling.forbiddenTokens.length };
    const arrays = rowArrays(logits, named, wishes);
    return { arrays, read: () => this.#drawDrafts(readRows(arrays, named, wishes), at) };
  }

  #verdict(rows: readonly LogitRow[], drafted: Drafted, at: Place): Verdict {
    const { tokens: drafts } = drafted;
    const { history, position } = at;
    const counts = (row: number) => occurrences(this.sampling, history, drafts.slice(0, row));
    const targetAt = (row: number) => processRow(rowOf(rows, row), counts(row), this.sampling);
    const chances = (row: number): Chances => chancesAt(this.sampling.seed, position + row);
    const verdict: Acceptance = this.drawsDrafts
      ? acceptRejecting(drafts, (row) => ({
          target: targetAt(row),
          draft: draftDistribution(drafted, row),
          chances: chances(row),
        }))
      : acceptMatching(drafts, (row) => draw(targetAt(row), chances(row).token));
    const { logprobs: top } = this.sampling;
    if (top === undefined) return verdict;
    const logprobs = verdict.tokens.map((token, row) =>
      tokenLogprobs(token, top, rowOf(rows, row), counts(row), this.sampling),
    );
    return { ...verdict, logprobs };
  }

  #drawDrafts(rows: readonly LogitRow[], { history, position }: Place): Drafted {
    const tokens: number[] = [];
    const distributions = rows.map((row, i) => {
      const from = processDraftRow(row, occurrences(this.sampling, history, tokens), this.sampling);
      tokens.push(draw(from, chancesAt(this.sampling.seed, position + i).draft));
      return from;
    });
    return { tokens, distributions };
  }

  /** Ids that every row has to know: whatever a penalty or a ban may fall on. */
  #named({ history }: Place, drafts: readonly number[]): number[] {
    const { penaltyWindow, forbiddenTokens } = this.sampling;
    const window = penalises(this.sampling) ? [...history.slice(-penaltyWindow), ...drafts] : [];
    return [...new Set([...window, ...forbiddenTokens])];
  }

  /** The same and, for drafts that were drawn, all that each was drawn from; as many for each row. */
  #namedByRow({ tokens, distributions = [] }: Drafted, at: Place): number[][] {
    const shared = this.#named(at, tokens);
    const drawn = this.drawsDrafts ? tokens.map((token, row) => distributions[row]?.tokens ?? [token]) : [];
    const widest = Math.max(0, ...drawn.map((ids) => ids.length));
    return Array.from({ length: tokens.length + 1 }, (_, row) => {
      const own = drawn[row] ?? [];
      const filler = Array<number>(widest - own.length).fill(own[0] ?? 0);
      return [...shared, ...own, ...filler];
    });
  }
}

/** The largest logits that the chain will need as a rule, and the totals that it cannot do without. */
function targetWishes(sampling: Sampling): RowWishes {
  const { temperature, topK, topP, logprobs, forbiddenTokens } = sampling;
  return {
    largest: LARGEST + Math.max(topK, logprobs ?? 0) + forbiddenTokens.length,
    total: topP < 1 || logprobs !== undefined,
    temperature: temperature > 0 && !truncates(sampling) ? temperature : undefined,
  };
}

/** What a draft was drawn from; all on its token when chance had no part in it. */
function draftDistribution({ tokens, distributions }: Drafted, row: number): Distribution {
  return distributions?.[row] ?? certain(tokens[row] ?? 0);
}

function rowOf(rows: readonly LogitRow[], row: number): LogitRow {
  const found = rows[row];
  if (found === undefined)
    throw new RangeError(`Expected more than ${String(row)} rows of logits, got fewer`);
  return found;
}
