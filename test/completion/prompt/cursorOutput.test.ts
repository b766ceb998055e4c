// Tests the log-probabilities of a healed output: tokens that only repeat removed text are not part of the suggestion.
import assert from 'node:assert/strict';
import type { Decoder } from '../../../server/completion/decoder';
import { CursorOutput } from '../../../server/completion/prompt/cursorOutput';
import { contextAt } from '../../support/cursor';
import { FakeDecoder } from '../fakeDecoder';

describe('log-probabilities of a healed output', () => {
  /** Returns the log-probabilities of `length` characters after `co`, if the model writes these tokens. */
  async function logprobsAfter(
    tokens: readonly (readonly [text: string, logprob: number])[],
    length: number,
  ): Promise<readonly number[]> {
    const fake = new FakeDecoder([]);
    const decode: Decoder['decode'] = async function* () {
      for (const [text, logprob] of tokens) {
        const [token = 0] = fake.tokenizer.encodeText(text);
        yield await Promise.resolve({ text, logprobs: [{ token, logprob, top: [] }] });
      }
    };
    const decoder = Object.assign(fake, { decode });
    const request = {
      context: contextAt('let x = co║;\n'),
      snippets: [],
      budget: 2048,
      maxTokens: 16,
      signal: new AbortController().signal,
    };
    const output = new CursorOutput(request, decoder);
    let text = '';
    for await (const piece of output.pieces()) text += piece;
    assert.equal(text, 'unt(a)');
    return output.logprobs(length);
  }

  it('leave out tokens that only repeat removed text', async () => {
    const tokens = [
      [' co', -1],
      ['unt', -2],
      ['(', -4],
      ['a', -8],
      [')', -16],
    ] as const;
    assert.deepEqual(await logprobsAfter(tokens, 3), [-2]);
    assert.deepEqual(await logprobsAfter(tokens, 4), [-2, -4]);
  });

  it('include the token that spans the cursor', async () => {
    const tokens = [
      [' count', -1],
      ['(', -2],
      ['a', -4],
      [')', -8],
    ] as const;
    assert.deepEqual(await logprobsAfter(tokens, 3), [-1]);
    assert.deepEqual(await logprobsAfter(tokens, 4), [-1, -2]);
  });
});
