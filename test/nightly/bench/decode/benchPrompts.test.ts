// Prompts for a place in a file: what is before the cursor with what is behind it, or alone.
import assert from 'node:assert/strict';
import { benchPrompts, continuationPrompt } from '../../../../bench/decode/benchPrompts';
import { holePrompt, type PromptModel } from '../../../../server/cli/complete';
import { loadTokenizer } from '../../../../server/models/text/tokenizer';
import { PAIR_TARGET } from '../../../support/fixtures';

const PLACE = {
  file: 'sums.py',
  fileName: 'sums.py',
  line: 2,
  column: 12,
  prefix: 'def add(a, b):\n    return ',
  suffix: '\n\n\nprint(add(1, 2))\n',
};

describe('prompts for a place', () => {
  const tokenizer = loadTokenizer(PAIR_TARGET) ?? assert.fail();
  const model = (maxPositionEmbeddings: number): PromptModel => ({
    tokenizer,
    config: { modelType: 'qwen3', maxPositionEmbeddings },
  });

  it('have both sides of the cursor, or only what is before it', () => {
    const infill = tokenizer.decode(holePrompt(model(512), PLACE, 64).promptIds);
    for (const part of [PLACE.prefix, PLACE.suffix]) assert.ok(infill.includes(part), part);
    assert.equal(tokenizer.decode(continuationPrompt(model(512), PLACE, 64)), PLACE.prefix);
  });

  it('keep what is next to the cursor and leave room for the answer', () => {
    const place = { ...PLACE, prefix: PLACE.prefix.repeat(100) };
    const whole = continuationPrompt(model(10_000), place, 64);
    assert.ok(whole.length > 500);
    assert.deepEqual(continuationPrompt(model(128), place, 28), whole.slice(-100));
    assert.deepEqual(continuationPrompt(model(128), place, 1000), whole.slice(-64));
    assert.ok(holePrompt(model(128), place, 28).promptIds.length <= 100);
  });

  it('begin as the vocabulary begins a text', () => {
    const begun: PromptModel = {
      ...model(0),
      tokenizer: {
        ...tokenizer,
        textStart: { ids: [7], space: ' ' },
        encodeText: (text) => [...text].map((letter) => letter.charCodeAt(0)),
      },
    };
    const ids = continuationPrompt({ ...begun, config: model(10).config }, { prefix: 'abc' }, 1);
    assert.deepEqual(ids, [7, 32, 97, 98, 99]);
    const short = continuationPrompt({ ...begun, config: model(4).config }, { prefix: 'abc' }, 1);
    assert.deepEqual(short, [7, 98, 99]);
  });

  it('are two for each place of the benchmark', () => {
    const prompts = benchPrompts(model(2048), 64, 'spm');
    assert.equal(prompts.length, 16);
    assert.equal(new Set(prompts.map(String)).size, 16);
    for (const [i, prompt] of prompts.entries()) {
      if (i % 2 === 1) continue;
      const [infill, before] = [prompt, prompts[i + 1] ?? []].map((ids) => tokenizer.decode(ids));
      assert.ok(before !== '' && infill?.endsWith(before ?? ''), 'the text before the cursor comes last');
    }
  });
});
