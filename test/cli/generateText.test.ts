// Tests `flashline generate` with one prompt: text goes to stdout, statistics go to stderr. The small target writes
// noise, but always the same.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { QWEN3 } from '../support/fixtures';
import { temporaryFolder } from '../support/temporaryFolder';
import { itComplainsAbout, type BadInput } from './complaint';
import { flashline } from './flashline';
import { outputAndPrompt, outputOf, printedLine, RESULT_KEYS, STATS_KEYS } from './printed';
import { writeSmallTarget } from './smallTarget';

const CONTEXT = 512;
const PROMPT = 'const größe = "😀";\n\treturn\u0001 <|fim_middle|>';

/** Rows of the statistics table. */
const TABLE = [
  ...'prompt tokens, emitted tokens, tokens per round, drafts accepted, accepted by position'.split(', '),
  ...'drafts accepted whole, first mismatch by position'.split(', '),
  ...'time to first token, prefill / draft / verify, decode speed, end-to-end speed'.split(', '),
  ...'peak memory, finish reason, speculation'.split(', '),
];

const folder = temporaryFolder();
const generate = (...args: readonly string[]) => ['generate', '--target', 'small', ...args];

const BAD: readonly BadInput[] = [
  ['no prompt', generate(), 'one of --prompt, --prompt-file and --batch', 'none'],
  ['a prompt beside a batch', generate('--prompt', 'x', '--batch', 'prompt.txt'), '--batch', 'got 2'],
  ['three prompts', generate('--prompt', '', '--prompt-file', '', '--batch', ''), 'one of', 'got 3'],
  ['an empty prompt', generate('--prompt', ''), 'a prompt', 'an empty string'],
  ['an empty stop', generate('--prompt', 'x', '--stop', 'a', '--stop', ''), '--stop', 'an empty string'],
  ['a prompt file that is not there', generate('--prompt-file', 'absent'), 'a file at absent', 'nothing'],
  ['a folder as prompt file', generate('--prompt-file', '.'), 'a file at .', 'a folder'],
  ['a binary prompt file', generate('--prompt-file', 'binary'), 'UTF-8 text at binary'],
  ['a prompt that fills the context', generate('--prompt-file', 'long.txt'), 'fewer than 512 tokens', '512'],
  ['a target without a tokenizer', generate('--prompt', 'x', '--target', resolve(QWEN3)), 'tokenizer.json'],
];

describe('flashline generate', () => {
  const run = (...args: readonly string[]) =>
    flashline(generate('--device', 'cpu', '--max-tokens', '24', ...args), { cwd: folder });

  before(() => {
    writeSmallTarget({ folder: join(folder, 'small'), context: CONTEXT });
    writeFileSync(join(folder, 'prompt.txt'), PROMPT);
    writeFileSync(join(folder, 'binary'), Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0, 0));
    writeFileSync(join(folder, 'long.txt'), 'a'.repeat(CONTEXT));
  });

  itComplainsAbout(BAD, () => folder);

  it('prints only one JSON object with --json', async () => {
    const printed = printedLine(outputOf(await run('--prompt', PROMPT, '--json')));
    assert.deepEqual(Object.keys(printed), RESULT_KEYS);
    assert.deepEqual(Object.keys(printed.stats), STATS_KEYS);
    assert.equal(printed.tokenIds.length, 24);
    assert.equal(printed.finishReason, 'length');
    // The special token that the prompt spells is one token, and every other byte is one.
    assert.equal(printed.stats['promptTokens'], Buffer.byteLength(PROMPT) - '<|fim_middle|>'.length + 1);
  });

  it('writes the text to stdout and a table to stderr', async () => {
    const { text } = printedLine(outputOf(await run('--prompt', PROMPT, '--json')));
    const { stdout, stderr, ...ended } = await run('--prompt', PROMPT);
    assert.deepEqual(ended, { code: 0, signal: null });
    assert.ok(text);
    assert.equal(stdout, text);
    assert.match(stderr, /^\n\n {2}prompt tokens +\d+ \(0 reused\)\n {2}emitted tokens +24 in 23 rounds\n/);
    assert.match(stderr, /\n {2}speculation +off \(no_drafter\)\n$/);
    const labels = [...stderr.matchAll(/^ {2}(\S+(?: \S+)*) {2,}/gm)].map(([, label]) => label);
    assert.deepEqual(labels, TABLE);
  });

  it('reads the same prompt from a file as from the command line', async () => {
    const fromFile = printedLine(outputOf(await run('--prompt-file', 'prompt.txt', '--json')));
    const fromCommandLine = printedLine(outputOf(await run('--prompt', PROMPT, '--json')));
    assert.deepEqual(outputAndPrompt(fromFile), outputAndPrompt(fromCommandLine));
  });

  it('cuts the text before the first stop string that it contains', async () => {
    const { text } = printedLine(outputOf(await run('--prompt', PROMPT, '--json')));
    assert.ok(text);
    const stop = text.slice(4, 6);
    const args = ['--prompt', PROMPT, '--stop', 'never there', '--stop', stop];
    const printed = printedLine(outputOf(await run(...args, '--json')));
    assert.equal(printed.text, text.slice(0, text.indexOf(stop)));
    assert.equal(printed.finishReason, 'stop');
    assert.ok(printed.tokenIds.length < 24);
    assert.equal((await run(...args)).stdout, printed.text);
  });
});
