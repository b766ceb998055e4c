// Tests `flashline generate --batch`: one JSON object per line in and out, with the tokens of the reference
// implementation. A mistake is reported with the number of its line before any line is decoded.
import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadTokenizer } from '../../server/models/text/loadTokenizer';
import { embeddedEndToken } from '../support/embeddedFacts';
import { pairCases } from '../support/embeddedPair';
import { DFLASH, PAIR_TARGET, QWEN3 } from '../support/fixtures';
import { fullSize } from '../support/fullSize';
import { temporaryFolder } from '../support/temporaryFolder';
import { tinyOutput, tinyPrompt } from '../support/tinyPair';
import { assertComplaint, itComplainsAbout, type BadInput } from './complaint';
import { flashline } from './flashline';
import { outputAndPrompt, outputOf, printedLines, RESULT_KEYS, STATS_KEYS } from './printed';
import { writeSmallTarget } from './smallTarget';

/** Maximum number of reference cases to decode, of those of the embedded pair whose output ends by itself. */
const CASES = fullSize ? Infinity : 2;
const GOOD = '{"promptIds":[1,2,3],"maxTokens":2}';

const BAD_LINES: readonly (readonly [mistake: string, line: string, ...mentions: string[]])[] = [
  ['a line that is not JSON', 'promptIds: [1]', 'a JSON object', 'promptIds: [1]'],
  ['a line that ends early', '{"promptIds":[1', 'a JSON object'],
  ['a JSON array', '[1,2,3]', 'a JSON object', '[1,2,3]'],
  [
    'JSON of 10,000 levels',
    `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    'a JSON object',
    'nested too deeply',
  ],
  ['both kinds of prompt', '{"prompt":"x","promptIds":[1]}', 'either promptIds or prompt'],
  ['neither kind of prompt', '{"maxTokens":1}', 'either promptIds or prompt', '{"maxTokens":1}'],
  ['an unknown key', '{"promptIds":[1],"max_tokens":1}', 'only promptIds, prompt, maxTokens', 'max_tokens'],
  ['a key that every object has', '{"promptIds":[1],"__proto__":1}', 'only promptIds', '__proto__'],
  ['an empty prompt', '{"prompt":""}', 'prompt to be a non-empty string'],
  ['promptIds that are empty', '{"promptIds":[]}', 'promptIds to be a non-empty list of numbers', '[]'],
  ['promptIds that are strings', '{"promptIds":["1"]}', 'promptIds to be a non-empty list of numbers'],
  ['an id beyond the vocabulary', '{"promptIds":[0,256]}', '0 to 255', '256 at position 1'],
  ['a negative id', '{"promptIds":[-1]}', '0 to 255', '-1 at position 0'],
  ['an id that wraps around to 1', '{"promptIds":[4294967297]}', '0 to 255', '4294967297'],
  ['an infinite id', '{"promptIds":[1e999]}', '0 to 255', 'Infinity'],
  ['more ids than the context', `{"promptIds":[${'7,'.repeat(511)}7]}`, 'fewer than 512 tokens', '512'],
  ['a forbidden id beyond the vocabulary', '{"promptIds":[1],"forbiddenTokens":[256]}', '0 to 255', '256'],
  ['a bias of an id beyond the vocabulary', '{"promptIds":[1],"logitBias":[[256,1]]}', '0 to 255', '256'],
  ['maxTokens 0', '{"promptIds":[1],"maxTokens":0}', 'maxTokens', '1 to 100000', 'got 0'],
  ['maxTokens in words', '{"promptIds":[1],"maxTokens":"8"}', 'maxTokens', '"8"'],
  ['a temperature below 0', '{"promptIds":[1],"temperature":-1}', 'temperature to be a number from 0', '-1'],
  ['logprobs that are true', '{"promptIds":[1],"logprobs":true}', 'logprobs to be a whole number', 'true'],
  ['an empty stop', '{"promptIds":[1],"stop":["a",""]}', 'a non-empty string or a list', '["a",""]'],
  ['a stop where there is no tokenizer', '{"promptIds":[1],"stop":"a"}', 'tokenizer.json', 'stop strings'],
  ['a text where there is no tokenizer', '{"prompt":"x"}', 'no tokenizer.json'],
];

const batch = (file: string) => ['generate', '--batch', file, '--target', resolve(QWEN3)];

const BAD_FILES: readonly BadInput[] = [
  ['a batch that is not there', batch('absent.jsonl'), 'a file at absent.jsonl', 'got nothing'],
  ['a folder as batch', batch('.'), 'a file at .', 'a folder'],
  ['an empty batch', batch('empty.jsonl'), 'prompts in empty.jsonl', 'an empty file'],
  ['a batch of blank lines', batch('blank.jsonl'), 'prompts in blank.jsonl', 'an empty file'],
  ['a binary batch', batch('binary.jsonl'), 'UTF-8 text at binary.jsonl'],
];

describe('flashline generate --batch', () => {
  const folder = temporaryFolder();
  const write = (name: string, lines: readonly (string | object)[]): string => {
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
    writeFileSync(join(folder, name), text.join('\n'));
    return name;
  };
  const run = (...args: readonly string[]) =>
    flashline(['generate', '--device', 'cpu', '--batch', ...args], { cwd: folder });

  itComplainsAbout(
    [
      ...BAD_FILES,
      ...BAD_LINES.map(([mistake, , ...mentions], i): BadInput => {
        const file = `bad-${String(i)}.jsonl`;
        return [mistake, batch(file), `in line 3 of ${file}`, ...mentions];
      }),
    ],
    () => {
      for (const [i, [, line]] of BAD_LINES.entries())
        write(`bad-${String(i)}.jsonl`, [GOOD, '', line, GOOD]);
      write('empty.jsonl', []);
      write('blank.jsonl', [' ', '\t', '\r', '']);
      write('binary.jsonl', ['\0']);
      return folder;
    },
  );

  describe('with the embedded pair', () => {
    // Cases with the shortest prompts.
    const cases = pairCases
      .filter(({ output_ids: ids }) => ids.at(-1) === embeddedEndToken && ids.length > 2)
      .sort((a, b) => a.prompt_ids.length - b.prompt_ids.length)
      .slice(0, CASES);
    const tokenizer = loadTokenizer(PAIR_TARGET);

    it('gives the tokens, rounds and text of the reference for token ids', async () => {
      // Leaves room for a whole block after the last token, as a narrower block drafts other tokens.
      const lines = cases.map(({ prompt_ids: promptIds }) => ({ promptIds, maxTokens: 100 }));
      const printed = printedLines(outputOf(await run(write('ids.jsonl', lines))));
      assert.equal(printed.length, cases.length);
      for (const [i, { tokenIds, text, acceptanceLengths, finishReason, stats }] of printed.entries()) {
        const expected = cases[i] ?? assert.fail();
        assert.deepEqual(tokenIds, expected.output_ids);
        assert.equal(text, tokenizer?.decode(expected.output_ids));
        assert.equal(finishReason, 'stop');
        // The reference counts its whole last round, and ours ends with the end token.
        const lengths = expected.acceptance_lengths.slice(0, -1);
        assert.deepEqual(acceptanceLengths, [...lengths, tokenIds.length - 1 - sum(lengths)]);
        assert.equal(stats['promptTokens'], expected.prompt_ids.length);
        assert.equal(stats['emittedTokens'], tokenIds.length);
        assert.equal(stats['rounds'], acceptanceLengths.length);
        assert.equal(stats['tokensPerRound'], (tokenIds.length - 1) / acceptanceLengths.length);
        assert.equal(stats['finishReason'], finishReason);
      }
    });
  });

  it('needs no tokenizer for token ids, and gives null for the text', async () => {
    const tokens = { promptIds: tinyPrompt };
    const file = write('tiny.jsonl', [tokens, { ...tokens, maxTokens: 1 }]);
    const pair = ['--target', resolve(QWEN3), '--drafter', resolve(DFLASH)];
    const printed = printedLines(outputOf(await run(file, ...pair, '--max-tokens', '6')));
    for (const line of printed) {
      assert.deepEqual(Object.keys(line), RESULT_KEYS);
      assert.deepEqual(Object.keys(line.stats), STATS_KEYS);
      assert.equal(line.text, null);
    }
    const [long, short] = printed;
    assert.deepEqual(long?.tokenIds, tinyOutput.slice(0, 6));
    assert.equal(sum(long?.acceptanceLengths ?? []), 5);
    assert.deepEqual(short?.tokenIds, tinyOutput.slice(0, 1));
    assert.deepEqual(short?.acceptanceLengths, []);
  });

  describe('with sampling', () => {
    const prompt = 'const a = ';
    const options = '--max-tokens 12 --temperature 1.2 --seed 3 --top-k 50'.split(' ');
    let target: string;
    before(() => (target = writeSmallTarget()));
    const sampled = async (lines: readonly object[], ...more: readonly string[]) => {
      const file = write(`sampled-${String(lines.length)}.jsonl`, lines);
      const pair = ['--target', target, '--drafter', resolve(DFLASH)];
      return printedLines(outputOf(await run(file, ...pair, ...options, ...more)));
    };

    it('prefers the options of a line to those of the command line', async () => {
      const lines = [
        { prompt },
        { prompt, seed: 4 },
        { prompt, seed: 3 },
        { prompt, temperature: 0 },
        { prompt, temperature: 0, repetitionPenalty: 1.5, presencePenalty: 1, frequencyPenalty: 1 },
        { prompt, topK: 1 },
        { prompt, maxTokens: 3, logprobs: 2 },
      ];
      const [seed3, seed4, seed3Again, greedy, penalised, best, reported] = await sampled(lines);
      assert.deepEqual(seed3Again?.tokenIds, seed3?.tokenIds);
      assert.notDeepEqual(seed4?.tokenIds, seed3?.tokenIds);
      assert.deepEqual(
        [seed3, seed4, seed3Again, greedy].map((result) => result?.stats['seed']),
        [3, 4, 3, null],
      );
      assert.deepEqual(best?.tokenIds, greedy?.tokenIds);
      assert.notDeepEqual(penalised?.tokenIds, greedy?.tokenIds);
      assert.deepEqual(reported?.tokenIds, seed3?.tokenIds.slice(0, 3));
      assert.equal(reported?.stats['speculationOff'], 'logprobs_requested');
      assert.deepEqual(
        reported?.logprobs?.map(({ token, top }) => [token, top.length]),
        reported?.tokenIds.map((token) => [token, 2]),
      );
      for (const { logprob, top } of reported?.logprobs ?? []) {
        assert.ok(logprob < 0 && logprob <= (top[0]?.logprob ?? -Infinity));
      }
      assert.ok([seed3, seed4, greedy].every((result) => result && !('logprobs' in result)));
    });

    it('complains about a seed in a line if the adaptive draft length excludes it', async () => {
      const file = write('clock.jsonl', [{ prompt }, { prompt, seed: 1 }]);
      const options = '--temperature 1 --acceptance rejection --draft-length adaptive'.split(' ');
      assertComplaint(await run(file, ...options), ['in line 2 of clock.jsonl', 'depends on timing']);
    });
  });

  it('reads files with LF or CRLF, blank lines and a byte order mark', async () => {
    const target = writeSmallTarget();
    writeFileSync(join(folder, 'crlf.jsonl'), `\uFEFF{"prompt":"a"}\r\n \r\n\r\n{"prompt":"b"}\r\n`);
    write('lf.jsonl', [{ prompt: 'a' }, { prompt: 'b' }]);
    const args = ['--target', target, '--max-tokens', '4'];
    const outputs = await Promise.all([run('crlf.jsonl', ...args), run('lf.jsonl', ...args)]);
    const [crlf = [], lf = []] = outputs.map((outcome) => printedLines(outputOf(outcome)));
    assert.equal(lf.length, 2);
    assert.deepEqual(crlf.map(outputAndPrompt), lf.map(outputAndPrompt));
  });

  it('accepts any text, with NUL, emoji and half an emoji', async () => {
    const target = join(folder, 'target');
    cpSync(writeSmallTarget(), target, { recursive: true });
    const file = write('text.jsonl', [{ prompt: 'a\0b\n😀' }, '{"prompt":"\\ud83d"}']);
    const printed = printedLines(outputOf(await run(file, '--target', 'target', '--max-tokens', '4')));
    // Half an emoji becomes U+FFFD, which has three bytes.
    assert.deepEqual(
      printed.map(({ stats }) => stats['promptTokens']),
      [8, 3],
    );
  });
});

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
