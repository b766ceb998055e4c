// Drafters of the tiny target side by side: every length of each is measured, by counters that add up, and other texts
// are told from equal ones.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { compareDrafters, type Contestant } from '../../../bench/drafters/compareDrafters';
import { decodeAll } from '../../../bench/decode/decodeAll';
import { drafterBits } from '../../../bench/drafters/drafterBits';
import { Engine, type EngineOptions } from '../../../server/engine/engine';
import { liveArrays } from '../../../server/models/memory';
import { DSPARK, QWEN3, readCheckpoint } from '../../support/fixtures';
import { withConfig, writeCheckpoint } from '../../support/tinyCheckpoint';
import { TINY_PAIR, tinyOutput, tinyPrompt } from '../../support/tinyPair';

const maxTokens = tinyOutput.length;
const prompts = [tinyPrompt, tinyPrompt.slice(0, 13)];

describe('compareDrafters', () => {
  let contestants: Contestant[];
  const load = (name: string, options: Partial<EngineOptions>) =>
    Engine.load({ ...TINY_PAIR, ...options }).then((engine) => ({ name, engine }));
  before(async () => {
    contestants = [
      await load('dflash', {}),
      await load('dspark', { drafterDirectory: join(DSPARK, 'vanilla') }),
      await load('look-ups', { drafterDirectory: undefined }),
    ];
  });
  after(async () => {
    for (const { engine } of contestants) await engine.dispose();
  });
  const compare = (all: readonly Contestant[]) =>
    compareDrafters({ contestants: all, prompts, maxTokens, repeats: 2, progress: () => undefined });

  it('measures each length of each drafter by its own counters', async () => {
    const live = liveArrays();
    const { drafters, identical } = await compare(contestants);
    assert.equal(liveArrays(), live);
    assert.ok(identical);
    const lengths = drafters.map((each) => [each.name, each.lengths.map(({ draftLength }) => draftLength)]);
    const most = contestants.map(({ engine }) => engine.maxDraftTokens);
    const fixed = (longest = 0) => [...new Set([3, 5, 7, 11, longest])].filter((each) => each <= longest);
    assert.deepEqual(lengths, [
      ['dflash', [...fixed(most[0]), 'adaptive']],
      ['dspark', [...fixed(most[1]), 'adaptive']],
      ['look-ups', ['adaptive']],
    ]);
    for (const [i, { engine }] of contestants.entries())
      for (const { draftLength, tokensPerRound, sources, ...times } of drafters[i]?.lengths ?? []) {
        for (const time of Object.values(times)) assert.ok(time >= 0);
        if (draftLength === 'adaptive') continue;
        let [tokens, rounds, drafted, accepted] = [0, 0, 0, 0];
        for (const prompt of prompts) {
          const alone = await decodeAll(engine, prompt, { maxTokens }, [draftLength]);
          for (const { stats } of alone.values()) {
            tokens += stats.roundTokens;
            rounds += stats.rounds;
            drafted += stats.draftedTokens;
            accepted += stats.acceptedTokens;
          }
        }
        assert.equal(tokensPerRound, tokens / rounds);
        // Of two repeats.
        const [source] = sources;
        assert.deepEqual([sources.length, source?.name], [1, drafters[i]?.name]);
        assert.deepEqual([source?.drafted, source?.accepted], [2 * drafted, 2 * accepted]);
      }
  });

  it('says if the drafters give different texts', async () => {
    const ending = writeCheckpoint(withConfig(readCheckpoint(QWEN3), { eos_token_id: tinyOutput[3] }));
    const other = await load('other', { targetDirectory: ending, drafterDirectory: undefined });
    const { identical } = await compare([...contestants.slice(2), other]);
    await other.engine.dispose();
    assert.ok(!identical);
  });

  it('counts tokens per round in each width, and frees the models', async () => {
    const live = liveArrays();
    const asked: (number | undefined)[] = [];
    const { draftLength, tokensPerRound } = await drafterBits({
      load: async (bits) => {
        asked.push(bits);
        return await Engine.load({ ...TINY_PAIR, drafterBits: bits });
      },
      prompts,
      maxTokens,
    });
    assert.deepEqual(asked, [undefined, 4, 8, 16]);
    assert.equal(draftLength, contestants[0]?.engine.maxDraftTokens);
    assert.equal(tokensPerRound.length, 4);
    for (const each of tokensPerRound) assert.ok(each >= 1 && each <= draftLength + 1);
    assert.equal(tokensPerRound[0], tokensPerRound[3]);
    assert.equal(liveArrays(), live);
  });
});
