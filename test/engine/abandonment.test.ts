// A consumer may stop at any chunk, or fail there: everything is freed, and the next decode is none the worse.
// On a scripted target and on a pair that draws its drafts one behind the other.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { DecodeChunk, DecodeResult } from '../../server/engine/decode/decode';
import { samplerOf } from '../../server/engine/sampling/samplerOf';
import { samplingOf } from '../../server/engine/request/sampling';
import type { Drafter } from '../../server/models/drafters/drafter';
import { liveArrays } from '../../server/models/mlx/memory';
import { loadDrafter, loadTarget } from '../../server/models/families/registry';
import type { TargetModel } from '../../server/models/decoder/target';
import { newSession } from '../support/checkedDecode';
import { cpu } from '../support/cpu';
import { DSPARK, QWEN3 } from '../support/fixtures';
import { OracleDrafter } from '../support/oracleDrafter';
import { PieceTokenizer } from '../support/pieceTokenizer';
import { newScript, ScriptedTarget } from '../support/scriptedTarget';
import { tinyPrompt } from '../support/tinyPair';

interface Reading extends AsyncIterable<DecodeChunk> {
  readonly result: DecodeResult;
}

/** Reads to the end and returns the chunks. */
async function readAll(decode: Reading): Promise<DecodeChunk[]> {
  const chunks: DecodeChunk[] = [];
  for await (const chunk of decode) chunks.push(chunk);
  return chunks;
}

/** Breaks a decode off after `count` chunks, and requires that it gave and kept exactly those. */
async function breakAfter(count: number, decode: Reading, whole: readonly DecodeChunk[]): Promise<void> {
  const before = liveArrays();
  const chunks: DecodeChunk[] = [];
  for await (const chunk of decode) {
    chunks.push(chunk);
    if (chunks.length === count) break;
  }
  assert.equal(liveArrays(), before, `arrays after breaking at chunk ${String(count)}`);
  const { tokenIds, text, finishReason, stats } = decode.result;
  const given = whole.slice(0, count);
  assert.deepEqual(
    tokenIds,
    given.flatMap(({ tokens }) => tokens),
  );
  assert.equal(text, given.map((chunk) => chunk.text).join(''));
  assert.equal(stats.emittedTokens, tokenIds.length);
  assert.equal(stats.rounds, count - 1);
  if (count < whole.length) assert.equal(finishReason, 'abandoned');
}

async function failAfter(count: number, decode: Reading): Promise<void> {
  let chunks = 0;
  await assert.rejects(async () => {
    for await (const { tokens } of decode)
      if (++chunks === count) throw new Error(`the consumer failed at ${tokens.join(' ')}`);
  }, /the consumer failed/);
}

/** The rules that hold for any decode; `newDecode` starts the same one again. */
function abandonmentRules(newDecode: () => Reading): void {
  let whole: DecodeChunk[];
  let result: DecodeResult;
  before(async () => {
    const decode = newDecode();
    whole = await readAll(decode);
    result = decode.result;
    assert.ok(whole.length > 4, 'enough chunks to break at');
  });

  async function requireSameAgain(): Promise<void> {
    const decode = newDecode();
    await readAll(decode);
    assert.deepEqual(decode.result.tokenIds, result.tokenIds);
    assert.equal(decode.result.text, result.text);
  }

  it('frees everything when the consumer breaks, after whichever chunk', async () => {
    for (let count = 1; count <= whole.length; count++) {
      await breakAfter(count, newDecode(), whole);
      await requireSameAgain();
    }
  });

  it('frees everything when the consumer fails', async () => {
    for (const count of [1, 3]) {
      const before = liveArrays();
      await failAfter(count, newDecode());
      assert.equal(liveArrays(), before);
      await requireSameAgain();
    }
  });

  it('has a result before the first chunk and without ever being read', async () => {
    const before = liveArrays();
    const uncached = newDecode();
    assert.equal(uncached.result.finishReason, 'abandoned');
    assert.deepEqual(uncached.result.tokenIds, []);
    const returned = newDecode()[Symbol.asyncIterator]();
    await returned.return?.();
    assert.equal(liveArrays(), before);
    await requireSameAgain();
  });
}

describe('abandonment', () => {
  describe('of a scripted decode', () => {
    const script = newScript(300, 40, { endAt: 33 });
    const target = new ScriptedTarget(script);
    const drafter = new OracleDrafter({ tokens: script.tokens, block: 8, right: [0, 7, 2, 1] });
    const tokenizer = new PieceTokenizer(Array.from({ length: 64 }, (_, id) => ` ${String(id)}`));
    const wish = { promptIds: script.promptIds, maxTokens: 40, stopStrings: [' 99'] };
    abandonmentRules(() => newSession({ target, drafter, tokenizer }, wish));
  });

  describe('of a decode with drafts of a chain', () => {
    let models: { target: TargetModel; drafter: Drafter };
    let liveBefore: number;
    before(async () => {
      liveBefore = liveArrays();
      const target = await loadTarget(QWEN3, cpu);
      const { config, tables } = target;
      models = { target, drafter: await loadDrafter(join(DSPARK, 'rnn'), config, cpu, { tables }) };
    });
    after(() => {
      models.drafter.dispose();
      models.target.dispose();
      assert.equal(liveArrays(), liveBefore);
    });
    const tokenizer = new PieceTokenizer(Array.from({ length: 256 }, (_, id) => ` ${String(id)}`));
    const sampler = samplerOf(samplingOf({ temperature: 1, acceptance: 'rejection', seed: 1 }));
    const wish = { promptIds: tinyPrompt, maxTokens: 8, sampler };
    abandonmentRules(() => newSession({ ...models, tokenizer }, wish));
  });
});
