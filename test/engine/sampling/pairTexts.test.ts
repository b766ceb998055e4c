// Texts of the embedded pair come as often with its drafter as without: what both models say after each text of three
// tokens is computed once, and tens of thousands of texts are drawn from it.
import assert from 'node:assert/strict';
import { samplingOf, type SamplingOptions } from '../../../server/engine/request/sampling';
import type { Drafter } from '../../../server/models/drafters/drafter';
import { scope } from '../../../server/models/mlx/memory';
import * as mx from '../../../server/models/mlx/ops';
import { loadDrafter, loadTarget } from '../../../server/models/families/registry';
import type { TargetModel } from '../../../server/models/decoder/target';
import { tokenArray } from '../../../server/models/mlx/tokenArray';
import { chiSquareOf } from '../../support/chiSquare';
import { cpu } from '../../support/cpu';
import { fullSize } from '../../support/fullSize';
import { EMBEDDED_PAIR, shortPrompt } from '../../support/embeddedPair';
import { plainTexts, type LogitsAfter } from '../../support/plainChain';
import { drawnDrafting, textDrawer, textPlaces, type Drafting } from '../../support/textDrawer';

const DRAWS = fullSize ? 60_000 : 20_000;
const LENGTH = 3;
const SEED = 4_000_000;
/** Each pair that is embedded tries its luck anew, so this is what hardly any right one falls below. */
const LEAST_CHANCE = 1e-4;

interface Said {
  readonly target: readonly number[];
  /** One row for each draft. */
  readonly drafter: readonly (readonly number[])[];
}

describe('texts of the embedded pair', () => {
  let target: TargetModel;
  let drafter: Drafter;
  before(async () => {
    target = await loadTarget(EMBEDDED_PAIR.targetDirectory, cpu);
    drafter = await loadDrafter(EMBEDDED_PAIR.drafterDirectory, target.config, cpu);
  });
  after(() => {
    drafter.dispose();
    target.dispose();
  });

  function say(committed: readonly number[]): Said {
    const rows = committed.length - 1;
    const caches = target.newCaches(rows + 1);
    const state = drafter.newState(target, rows);
    let said: Said = { target: [], drafter: [] };
    scope(() => {
      const ids = tokenArray(committed, target.config.vocabSize);
      const { hidden, taps } = target.forward(ids, caches, drafter.taps);
      state.commit(committed.slice(0, -1), taps && mx.slice(taps, 1, 0, rows));
      const proposal = state.propose(committed[rows] ?? 0, LENGTH);
      assert.ok('logits' in proposal);
      const last = target.logits(mx.slice(hidden, 1, rows, rows + 1));
      const rowsOf = (logits: mx.MxArray) => mx.rows(mx.reshape(logits, -1, target.config.vocabSize));
      said = { target: rowsOf(last)[0] ?? [], drafter: rowsOf(proposal.logits) };
      return undefined;
    });
    for (const cache of caches) cache.dispose();
    state.dispose();
    return said;
  }

  function pairAfter(index: number) {
    const prompt = shortPrompt(index, fullSize ? 60 : 16);
    const known = new Map<string, Said>();
    const saidAfter = (committed: readonly number[]): Said => {
      const key = String(committed.slice(prompt.length));
      const said = known.get(key) ?? say(committed);
      known.set(key, said);
      return said;
    };
    const targetAfter: LogitsAfter = (history) => saidAfter(history).target;
    const drafterAfter: LogitsAfter = (history, drafts = 0) =>
      saidAfter(history.slice(0, history.length - drafts)).drafter[drafts] ?? [];
    return { prompt, targetAfter, drafterAfter };
  }

  const ways: readonly SamplingOptions[] = [
    { temperature: 1, topK: 3, acceptance: 'rejection' },
    { temperature: 1.5, topK: 3, repetitionPenalty: 1.3, presencePenalty: 1, acceptance: 'rejection' },
    { temperature: 1.5, topK: 3, acceptance: 'match' },
  ];
  for (const [index, options] of ways.entries())
    it(`come as often as in plain sampling with ${JSON.stringify(options)}`, () => {
      const { prompt, targetAfter, drafterAfter } = pairAfter(index);
      const { vocabSize } = target.config;
      const forbiddenTokens = [drafter.maskTokenId ?? 0];
      const sampling = samplingOf({ ...options, forbiddenTokens, seed: 0 });
      const drafting: Drafting = drawnDrafting(
        { vocabSize, after: drafterAfter },
        // Where the target draws itself, its drafts are the most probable ones.
        { ...sampling, topK: options.acceptance === 'match' ? 1 : sampling.topK },
        ({ position }, seed) => Math.max(0, LENGTH - position - (seed % 2)),
      );
      const table = { vocabSize, after: targetAfter };
      const drawText = textDrawer({ prompt, length: LENGTH, table, drafting, sampling });
      const expected = plainTexts(targetAfter, prompt, LENGTH, sampling);
      assert.equal(expected.size, 3 ** LENGTH);
      const p = chiSquareOf(textPlaces(drawText, { seed: SEED, draws: DRAWS, vocabSize }), expected);
      assert.ok(p > LEAST_CHANCE, `p = ${String(p)}`);
    });
});
