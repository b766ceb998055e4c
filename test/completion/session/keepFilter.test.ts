// Tests which automatic suggestions are hidden as unlikely to be kept, by the log-probabilities of their first line.
// The outputs are scripted tokens with their log-probabilities.
import assert from 'node:assert/strict';
import { suggest } from '../../../server/completion/session/suggest';
import type { SuggestionRequest } from '../../../server/completion/session/suggestionRequest';
import type { Decoder } from '../../../server/completion/decoder';
import { at, resources, SETTINGS } from '../suggesting';

type Token = readonly [text: string, logprob: number];

/** Suggests with a model that writes these tokens, and returns the result with the tokens that were read. */
async function suggested(
  tokens: readonly Token[],
  hideBelow: number,
  {
    document = 'a =║\n',
    hasListener = true,
    isLate = false,
    ...more
  }: Partial<SuggestionRequest> & {
    readonly document?: string;
    readonly hasListener?: boolean;
    readonly isLate?: boolean;
  } = {},
) {
  const used = resources([]);
  const read: string[] = [];
  const requested: (boolean | undefined)[] = [];
  const decode: Decoder['decode'] = async function* (_, { greedyLogprobs }) {
    requested.push(greedyLogprobs);
    for (const [text, logprob] of tokens) {
      const [token = 0] = used.decoder.tokenizer.encodeText(text);
      read.push(text);
      yield await Promise.resolve({
        text,
        ...(greedyLogprobs && { logprobs: [{ token, logprob, top: [] }] }),
      });
    }
  };
  const decoder = Object.assign(used.decoder, { decode });
  const parts: string[] = [];
  const listener = {
    onOutput: () => undefined,
    onCertain: ([first = '']: readonly string[]) => void parts.push(first),
  };
  const request = at(document, { settings: { ...SETTINGS, hideBelow }, ...more });
  const result = await suggest(request, {
    ...used,
    decoder,
    isLate: () => isLate,
    ...(hasListener && { listener }),
  });
  return { ...result, percent: Math.round(100 * (result.keepProbability ?? NaN)), read, parts, requested };
}

const SURE: readonly Token[] = [
  ['b', 0],
  ['(', 0],
  [')', 0],
  ['\n', 0],
];
const UNSURE: readonly Token[] = [
  ['b', -2],
  ['(', 0],
  [')', 0],
  ['\n', 0],
];

describe('the probability that a suggestion is kept', () => {
  it('depends on the first token most, on the rest of the first line little, and on no later line', async () => {
    const percentOf = async (...logprobs: readonly number[]) => {
      const tokens = ['{', '\n', '  c', '(', ')', '\n', '}', '\n'].map((text, i): Token => [
        text,
        logprobs[i] ?? 0,
      ]);
      const document = 'if (a) ║\n';
      const { percent } = await suggested(tokens, 1, { document });
      // Without a listener, it is computed once the whole text is known.
      assert.equal((await suggested(tokens, 1, { document, hasListener: false })).percent, percent);
      return percent;
    };
    assert.equal(await percentOf(), 79);
    assert.equal(await percentOf(-1), 43);
    assert.equal(await percentOf(0, 0, -5, -5, -5), 79);
    const oneLine: readonly Token[] = [
      ['b', 0],
      ['(', -5],
      [')', -5],
      ['\n', -50],
    ];
    assert.equal((await suggested(oneLine, 1)).percent, 57);
  });

  it('ignores an output that did not repeat the removed text of a healed prompt', async () => {
    const document = 'if (a) {\n  ║\n}\n';
    const { percent, read } = await suggested(UNSURE, 1, { document });
    assert.deepEqual(read.slice(0, 2), ['b', 'b'], 'two prompts were decoded');
    assert.equal(percent, 13);
  });

  it('is higher after the beginning of a name', async () => {
    assert.equal((await suggested(SURE, 1, { document: 'a = f(x)║\n' })).percent, 79);
    const [first, ...rest] = SURE;
    const word: readonly Token[] = [[` ab${first?.[0] ?? ''}`, 0], ...rest];
    assert.equal((await suggested(word, 1, { document: 'a = ab║\n' })).percent, 92);
  });

  it('hides an automatic suggestion below the threshold, whose rest is not computed', async () => {
    const lines: readonly Token[] = [
      ['\n', -2],
      ['  b', 0],
      ['\n', 0],
      ['  c', 0],
      ['\n', 0],
    ];
    const { outcome, texts, cause, read, parts } = await suggested(lines, 20, {
      document: 'if (a) {║\n}\n',
    });
    assert.deepEqual([outcome, texts, cause, parts], ['hidden', [], 'unlikely', []]);
    assert.deepEqual(read, ['\n', '  b', '\n']);
    assert.equal((await suggested(UNSURE, 15)).outcome, 'hidden');
    assert.deepEqual((await suggested(UNSURE, 12)).texts, ['b()']);
  });

  it('hides the words of an unlikely suggestion that is late, too', async () => {
    const { outcome, parts } = await suggested(UNSURE, 15, { isLate: true });
    assert.deepEqual([outcome, parts], ['hidden', []]);
    assert.deepEqual((await suggested(UNSURE, 12, { isLate: true })).parts, ['b', 'b()']);
  });

  it('is below 100 % for the surest text, so that a threshold of 100 hides all', async () => {
    assert.equal((await suggested(SURE, 100)).outcome, 'hidden');
  });

  it('hides no requested suggestion, and is reported with it', async () => {
    const lines: readonly Token[] = [
      ['\n', -9],
      ['  b();\n', 0],
      ['  c();\n', 0],
    ];
    const block = await suggested(lines, 50, { document: 'if (a) {║\n}\n', trigger: 'explicit' });
    assert.equal(block.texts[0], '\n  b();\n  c();');
    const { texts, percent } = await suggested(UNSURE, 50, { trigger: 'explicit' });
    assert.deepEqual([texts[0], percent], ['b()', 13]);
  });

  it('is unknown at a threshold of 0 and without log-probabilities, and the suggestion is shown', async () => {
    for (const hideBelow of [0, 50]) {
      const tokens = hideBelow === 0 ? UNSURE : UNSURE.map(([text]): Token => [text, 0]);
      const { texts, keepProbability, requested } = await suggested(tokens, hideBelow);
      assert.deepEqual(texts, ['b()']);
      assert.deepEqual(requested, [hideBelow === 0 ? undefined : true]);
      assert.equal(keepProbability === undefined, hideBelow === 0);
    }
    const used = resources([['b()\n']]);
    const settings = { ...SETTINGS, hideBelow: 50 };
    assert.deepEqual(await suggest(at('a =║\n', { settings }), used), {
      outcome: 'shown',
      texts: ['b()'],
      keepProbability: undefined,
    });
  });
});
