// Arguments of the command line, with their values and files. All of them end before a model is loaded: the pair that
// they name last is not there. A mistake is one line that says what it is, and the exit code for it.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { OUTPUT_OPTIONS, PAIR_OPTIONS } from '../../../../server/cli/arguments';
import { readSourceLocation } from '../../../../server/cli/sourceLocation';
import type { Outcome } from '../../../cli/flashline';
import { inProcess } from '../../../cli/inProcess';
import { temporaryFolder } from '../../../support/temporaryFolder';
import { assertExplainedText, valueUnlessRefused } from '../assertExplained';
import { fuzzKind } from '../kind';
import { damaged, oddText, spoilt, jsonText, type Json } from '../oddValues';

/** Nothing is there, so that whatever is right up to there ends there. */
const MISSING = '/nowhere/at/all';
const SHARED = Object.keys({ ...PAIR_OPTIONS, ...OUTPUT_OPTIONS });
const REMOTE = ['remote-model', 'remote-tokenizer', 'remote-key-file'];
const SERVING =
  'host port api-key-file allow-host cors-origin max-running max-body-mb timeout cache-memory'.split(' ');

/** Of each command its options, and what it ends with so that it can do nothing. */
const COMMANDS = {
  complete: {
    options: [...SHARED, ...REMOTE, 'json', 'max-tokens', 'alternatives'],
    end: ['--target', MISSING],
  },
  demo: { options: [...SHARED, 'json', 'max-tokens', 'alternatives'], end: ['--target', MISSING] },
  generate: {
    options: [...SHARED, 'prompt', 'prompt-file', 'batch', 'max-tokens', 'stop', 'json'],
    end: ['--target', MISSING],
  },
  serve: { options: [...Object.keys(PAIR_OPTIONS), ...SERVING, 'max-waiting'], end: ['--max-waiting', '0'] },
  lsp: { options: ['stdio', ...REMOTE], end: ['--remote-model', 'm'] },
  models: {
    options: ['json', 'bits', 'drafter', 'update', 'cache-dir', 'endpoint'],
    end: ['--cache-dir', MISSING, '--bits', '3'],
  },
  doctor: { options: ['json', 'target', 'drafter', 'device', 'seconds'], end: ['--nothing'] },
  nothing: { options: SHARED, end: [] },
} as const;

const VALUES = [
  ...'0 1 -1 64 0.5 .5 1e3 0x10 ١ 99999999999999999999 NaN Infinity 4 16'.split(' '),
  ...'cpu gpu none full adaptive match rejection qwen3-4b Qwen/Qwen3-4B . / /dev/null *'.split(' '),
  ...'a.ts:1:1 a.ts:99:1 a.ts:1 :1:1 list pull remove info https://x.example http://u:p@x'.split(' '),
  ...['', ' 1', '1 '],
];
const value = fc
  .oneof({ weight: 4, arbitrary: fc.constantFrom(...VALUES) }, { weight: 1, arbitrary: oddText })
  .filter((text) => !text.includes('\0'));

/** A help text is what was asked for; it would hide all else. */
const isHelp = (word: string): boolean => word === '--help' || word === '-h';

const commandLines: fc.Arbitrary<string[]> = fc.oneof(
  ...Object.entries(COMMANDS).map(([command, { options, end }]) => {
    const option = fc.constantFrom(...options).map((name) => `--${name}`);
    const words = fc.oneof(
      { weight: 5, arbitrary: fc.tuple(option, value) },
      { weight: 1, arbitrary: fc.tuple(option, value).map(([name, text]) => [`${name}=${text}`]) },
      { weight: 1, arbitrary: option.map((name) => [name]) },
      { weight: 1, arbitrary: value.map((text) => [text]) },
      { weight: 1, arbitrary: damaged('--max-tokens').map((text) => [text.replaceAll('\0', '')]) },
    );
    const most = command === 'models' || command === 'lsp' ? 3 : 6;
    return fc
      .array(words, { maxLength: most })
      .map((all) => [command, ...all.flat().filter((word) => word !== '--' && !isHelp(word)), ...end]);
  }),
);

const NO_CODES = { code: 2, signal: null, stdout: '' };

function assertRefused({ stderr, ...outcome }: Outcome): void {
  assert.deepEqual(outcome, NO_CODES, stderr);
  assert.match(stderr, /^flashline: [^\p{Cc}]+\n$/u);
  assertExplainedText(stderr.slice('flashline: '.length).trimEnd());
}

/** A folder with a source file, as people have one. */
function project(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'folder'));
  writeFileSync(join(folder, 'a.ts'), 'const a = 1;\n');
  return folder;
}

export const commandLine = fuzzKind({
  name: 'arguments',
  inputs: commandLines,
  counts: { test: 300, million: 120_000 },
  open: () => {
    const cwd = project();
    return {
      attempt: async (args) => assertRefused(await inProcess(args, { cwd })),
      sound: async () => {
        const { code, stdout } = await inProcess(['--version'], { cwd });
        assert.deepEqual({ code, stdout }, { code: 0, stdout: '0.1.0\n' });
      },
    };
  },
});

const LINES: readonly Json[] = [
  { prompt: 'const a = ', maxTokens: 5, stop: ['\n'], seed: 7, temperature: 0.5, topK: 3, logprobs: 2 },
  {
    promptIds: [1, 2, 3],
    minP: 0.1,
    repetitionPenalty: 1.1,
    penaltyWindow: 8,
    stopTokenIds: [4],
    forbiddenTokens: [5],
  },
  { prompt: 'x', logitBias: [[5, -100]], topP: 0.9, presencePenalty: 0.5, frequencyPenalty: 0.5 },
];

/** Refused for its lines, or because there is no model; in both cases before anything is decoded. */
export const batchFile = fuzzKind({
  name: 'batch',
  inputs: fc.record({
    lines: fc.array(
      fc.oneof(...LINES.map((line) => fc.oneof(spoilt(line).map(jsonText), damaged(jsonText(line))))),
      { maxLength: 4 },
    ),
    end: fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\u2028'),
  }),
  counts: { test: 300, million: 60_000 },
  open: () => {
    const cwd = project();
    const run = (text: string): Promise<Outcome> => {
      writeFileSync(join(cwd, 'batch.jsonl'), text);
      return inProcess(['generate', '--batch', 'batch.jsonl', '--target', MISSING], { cwd });
    };
    return {
      attempt: async ({ lines, end }) => assertRefused(await run(lines.join(end))),
      sound: async () => {
        const { stderr } = await run(LINES.map(jsonText).join('\n'));
        assert.match(stderr, /Expected a model directory at \/nowhere/);
      },
    };
  },
});

interface Source {
  readonly bytes: Uint8Array;
  readonly place: string;
}

const texts = fc
  .array(fc.oneof(oddText, fc.constantFrom('\n', '\r\n', '\r', 'const a = 1;', '\uFEFF')), { maxLength: 9 })
  .map((all) => all.join(''));
const sources: fc.Arbitrary<Source> = fc.record({
  bytes: fc.oneof(
    { weight: 5, arbitrary: texts.map((text) => new Uint8Array(Buffer.from(text))) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
  ),
  place: fc.oneof(
    {
      weight: 5,
      arbitrary: fc
        .tuple(fc.nat(6), fc.nat(20))
        .map(([line, column]) => `a.ts:${String(line)}:${String(column)}`),
    },
    { weight: 1, arbitrary: damaged('a.ts:1:1').map((text) => text.replaceAll('\0', '')) },
  ),
});

export const sourceFile = fuzzKind({
  name: 'source-file',
  inputs: sources,
  counts: { test: 300, million: 200_000 },
  open: () => {
    const [folder, before] = [project(), process.cwd()];
    process.chdir(folder);
    const file = join(folder, 'a.ts');
    return {
      attempt: async ({ bytes, place }) => {
        writeFileSync(file, bytes);
        const found = await valueUnlessRefused(() => readSourceLocation(place));
        if (found === undefined) return;
        const { prefix, suffix, line, column } = found;
        assert.equal(prefix + suffix, new TextDecoder().decode(bytes));
        const lines = prefix.split(/\r\n|\n|\r/);
        // A cursor may stand between the two characters of a line end, and then has begun no line.
        assert.deepEqual([lines.length, (lines.at(-1) ?? '').length + 1], [line, column]);
      },
      sound: () => {
        writeFileSync(file, 'ab\ncd');
        const { prefix, suffix } = readSourceLocation('a.ts:2:2');
        assert.deepEqual([prefix, suffix], ['ab\nc', 'd']);
      },
      close: () => process.chdir(before),
    };
  },
});
