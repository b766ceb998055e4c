// Verifies that decodes emitted the tokens of the target alone: it processes each prompt with its output, and every
// token is compared with the target's own choice. Knows neither documents nor the server.
import { StopCriteria } from '../../server/engine/stopCriteria';
import type { Engine } from '../../server/engine/engine';
import { createSampler } from '../../server/engine/sampling/createSampler';
import { samplingOf, type SamplingOptions } from '../../server/engine/request/sampling';
import type { FinishReason } from '../../server/engine/request/stats';
import { nearTieGap } from '../../server/rules/nearTieGap';
import { TeacherForcing } from './teacherForcing';
import type { Losslessness } from './lossless';

export interface RecordedRun {
  readonly promptIds: readonly number[];
  readonly stopStrings: readonly string[];
  readonly stopTokenIds?: readonly number[] | undefined;
  /** Sampling options, with the seed if tokens were sampled, which reproduces them unless drafts were sampled too. */
  readonly sampling?: SamplingOptions | undefined;
  /** Emitted tokens, also of a cancelled decode. */
  readonly tokenIds: readonly number[];
  readonly finishReason: FinishReason;
}

/** Parts of the engine that judge decodes. */
export type Reference = Pick<Engine, 'target' | 'drafter' | 'tokenizer' | 'device' | 'numberType'>;

/** Verifies decodes, ignoring those without output. */
export async function verifyDecodes(
  runs: readonly RecordedRun[],
  reference: Reference,
): Promise<Losslessness> {
  const counts = { requests: 0, equal: 0, nearTies: 0, different: 0, tokens: 0, tiedTokens: 0 };
  const teacherForcing = new TeacherForcing(reference.target, reference.device);
  try {
    for (const run of runs.filter(({ tokenIds }) => tokenIds.length > 0).toSorted(byPrompt)) {
      const { verdict, tied } = await judgement(run, reference, teacherForcing);
      counts[verdict] += 1;
      counts.tokens += run.tokenIds.length;
      counts.tiedTokens += tied;
      counts.requests += 1;
    }
  } finally {
    teacherForcing.dispose();
  }
  return counts;
}

async function judgement(run: RecordedRun, reference: Reference, teacherForcing: TeacherForcing) {
  const sampler = createSampler(samplingOf(run.sampling), reference.drafter?.maskTokenId);
  const deviations = await teacherForcing.deviations({ ...run, sampler });
  const limit = nearTieGap(reference.numberType);
  const tied = deviations.filter(({ gap }) => Math.abs(gap) < limit).length;
  const isRight = tied === deviations.length && endsRight(run, reference);
  return { verdict: isRight ? (tied > 0 ? 'nearTies' : 'equal') : 'different', tied } as const;
}

/** Returns whether the output ends exactly where its stop rules end it. */
function endsRight(
  { tokenIds, stopStrings, stopTokenIds = [], finishReason }: RecordedRun,
  { target, tokenizer }: Reference,
): boolean {
  const rules = { maxTokens: Infinity, stopTokenIds, stopStrings };
  const ending = new StopCriteria(rules, target.config.eosTokenIds, tokenizer);
  const { tokens } = ending.append(tokenIds);
  const hasStopped = ending.finishReason === 'stop';
  return tokens.length === tokenIds.length && hasStopped === (finishReason === 'stop');
}

/** Compares prompts, so that those with a common beginning are adjacent after sorting. */
function byPrompt({ promptIds: a }: RecordedRun, { promptIds: b }: RecordedRun): number {
  const at = a.findIndex((token, i) => token !== b[i]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}
