// The embedded pair decodes real files as the reference implementation did: the same tokens with any draft length and,
// with whole blocks, the same number of tokens per round.
import assert from 'node:assert/strict';
import { nearTieGap } from '../../server/rules/nearTieGap';
import type { DecodeRequest, DecodeResult } from '../../server/engine/decode/decode';
import { Engine } from '../../server/engine/engine';
import { liveArrays } from '../../server/models/mlx/memory';
import type { Drafter } from '../../server/models/drafters/drafter';
import { loadDrafter } from '../../server/models/families/registry';
import { newSession } from '../support/checkedDecode';
import { cpu } from '../support/cpu';
import { EMBEDDED_PAIR, pairCases, type PairCase } from '../support/embeddedPair';
import { fullSize } from '../support/fullSize';
import { gapsAfter, type Gaps } from '../support/nearTies';

const MAX_TOKENS = 64;
/** Each case takes the next one. */
const DRAFT_LENGTHS = ['full', 0, 'full', 1, 'full', 3, 'full', 7] as const;

const allCases = pairCases.map((pairCase, index) => ({
  pairCase,
  index,
  draftLength: DRAFT_LENGTHS[index % DRAFT_LENGTHS.length] ?? 'full',
}));
/** Unless all are decoded, the one with the shortest prompt for each of these. */
const SAMPLE = [0, 3] as const;
const cases = fullSize ? allCases : SAMPLE.map((length) => shortestFor(DRAFT_LENGTHS.indexOf(length)));

function shortestFor(place: number): (typeof allCases)[number] {
  const [shortest] = allCases
    .filter(({ index }) => index % DRAFT_LENGTHS.length === place)
    .sort((a, b) => a.pairCase.prompt_ids.length - b.pairCase.prompt_ids.length);
  return shortest ?? assert.fail();
}

describe('pair cases', () => {
  let liveBefore: number;
  let engine: Engine;
  /** Beside the engine's own, which it keeps to itself. */
  let drafter: Drafter;
  before(async () => {
    liveBefore = liveArrays();
    engine = await Engine.load(EMBEDDED_PAIR);
    drafter = await loadDrafter(EMBEDDED_PAIR.drafterDirectory, engine.config, cpu);
  });

  after(async () => {
    drafter.dispose();
    await engine.dispose();
    assert.equal(liveArrays(), liveBefore);
  });

  async function decode(
    { prompt_ids: promptIds }: PairCase,
    draftLength: DecodeRequest['draftLength'],
  ): Promise<DecodeResult> {
    const decoding = engine.decode(promptIds, { maxTokens: MAX_TOKENS, draftLength });
    const given: number[] = [];
    for await (const { tokens } of decoding) given.push(...tokens);
    assert.deepEqual(decoding.result.tokenIds, given);
    return decoding.result;
  }

  /**
   * Whole blocks, as those of the reference are. There is room for a block behind the last token that the reference
   * has: a narrower one drafts otherwise.
   */
  async function decodeWhole(pairCase: PairCase): Promise<DecodeResult> {
    const session = newSession(
      { target: engine.target, drafter },
      { promptIds: pairCase.prompt_ids, maxTokens: MAX_TOKENS + drafter.maxDraftTokens },
    );
    const { tokenIds, acceptanceLengths, ...rest } = await session.finish();
    return {
      ...rest,
      tokenIds: tokenIds.slice(0, pairCase.output_ids.length),
      acceptanceLengths: acceptanceLengths.slice(0, pairCase.acceptance_lengths.length),
    };
  }

  for (const { pairCase, index, draftLength } of cases) {
    const title = `case ${String(index)}, ${pairCase.path}`;
    it(`decodes ${title}, as the reference does, also with draft length ${String(draftLength)}`, async () => {
      const before = liveArrays();
      const result = await decode(pairCase, draftLength);
      assert.equal(liveArrays(), before);
      const what = `Case ${String(index)} with draft length ${String(draftLength)}`;
      await requireTokens({ engine, drafter }, what, pairCase, result);
      const whole = await decodeWhole(pairCase);
      const whatWhole = `Case ${String(index)} with whole blocks`;
      if (await requireTokens({ engine, drafter }, whatWhole, pairCase, whole))
        await requireLengths({ engine, drafter }, whatWhole, pairCase, whole);
    });
  }
});

interface Pair {
  readonly engine: Engine;
  readonly drafter: Drafter;
}

/** True when all tokens are the same; false when the first that is not was a near tie. */
async function requireTokens(
  pair: Pair,
  what: string,
  { prompt_ids, output_ids }: PairCase,
  { tokenIds }: DecodeResult,
): Promise<boolean> {
  const at = firstDifference(tokenIds, output_ids);
  if (at === undefined) return true;
  const { target } = await gapsOf(pair, [...prompt_ids, ...output_ids.slice(0, at)]);
  if (target >= nearTieGap('float32')) assert.deepEqual(tokenIds, output_ids, `${what}: token ${String(at)}`);
  excuse(what, `token ${String(at)}`, target);
  return false;
}

/** The last round of the reference may run past the end of the output, where ours is cut. */
async function requireLengths(
  pair: Pair,
  what: string,
  pairCase: PairCase,
  { acceptanceLengths }: DecodeResult,
): Promise<void> {
  const expected = pairCase.acceptance_lengths;
  const last = expected.length - 1;
  const at = firstDifference(acceptanceLengths, expected);
  if (at === undefined) return;
  const [own = 0, theirs = 0] = [acceptanceLengths[at], expected[at]];
  if (at === last && acceptanceLengths.length === expected.length && own < theirs) return;
  // Both agree on the drafts before this one, and on nothing from it on.
  const draft = Math.min(own, theirs) - 1;
  const committed = expected.slice(0, at).reduce((sum, length) => sum + length, 1);
  const before = [...pairCase.prompt_ids, ...pairCase.output_ids.slice(0, committed)];
  const { drafts } = await gapsOf(pair, before, pairCase.output_ids.slice(committed));
  const gap = drafts[draft] ?? Infinity;
  if (gap >= nearTieGap('float32'))
    assert.deepEqual(acceptanceLengths, expected, `${what}: round ${String(at)}`);
  excuse(what, `draft ${String(draft)} of round ${String(at)}`, gap);
}

function firstDifference(actual: readonly number[], expected: readonly number[]): number | undefined {
  const length = Math.max(actual.length, expected.length);
  const at = Array.from({ length }, (_, i) => i).findIndex((i) => actual[i] !== expected[i]);
  return at < 0 ? undefined : at;
}

function excuse(what: string, where: string, gap: number): void {
  console.log(`${what}: ${where} differs from the reference in a near tie of ${gap.toExponential(2)}.`);
}

async function gapsOf(
  { engine, drafter }: Pair,
  committed: readonly number[],
  following: readonly number[] = [],
): Promise<Gaps> {
  return await gapsAfter(engine.target, drafter, committed, following);
}
