// Arguments of the command line, with their values and files. No run loads a model, as the last arguments name a
// missing pair or a wrong value. Each wrong input gives one clear line and its exit code.
import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OUTPUT_OPTIONS } from '../../../../server/cli/samplingArguments';
import { PAIR_OPTIONS } from '../../../../server/cli/pairArguments';
import { readSourceLocation } from '../../../../server/cli/sourceLocation';
import type { Outcome } from '../../../cli/flashline';
import { inProcess } from '../../../cli/inProcess';
import { temporaryFolder } from '../../../support/temporaryFolder';
import { assertExplainedText, valueUnlessRefused } from '../assertExplained';
import { fuzzKind } from '../kind';
import { damaged, joined, jsonText, mixed, oddText, spoiltJson, type Json } from '../oddValues';

/** A missing path, so that arguments that are valid up to there end there. */
const MISSING = '/nowhere/at/all';
const PAIR = Object.keys(PAIR_OPTIONS).join(' ');
const SHARED = `${PAIR} ${Object.keys(OUTPUT_OPTIONS).join(' ')} json max-tokens`;
const REMOTE = 'remote-model remote-tokenizer remote-key-file';
const SERVING = 'host port api-key-file allow-host cors-origin max-running max-body-mb timeout cache-memory';

/** Options of each command, and last arguments that end it before it does anything. */
const COMMANDS: Readonly<Record<string, string>> = {
  complete: `${SHARED} ${REMOTE} alternatives | --target ${MISSING}`,
  demo: `${SHARED} alternatives | --target ${MISSING}`,
  generate: `${SHARED} prompt prompt-file batch stop | --target ${MISSING}`,
  serve: `${PAIR} ${SERVING} max-waiting | --max-waiting 0`,
  lsp: `stdio ${REMOTE} | --remote-model m`,
  models: `json bits drafter update cache-dir endpoint | --cache-dir ${MISSING} --bits 3`,
  doctor: 'json target drafter device seconds | --nothing',
  nothing: SHARED,
};

const VALUES = [
  ...'0 1 -1 64 0.5 .5 1e3 0x10 ١ 99999999999999999999 NaN Infinity 4 16'.split(' '),
  ...'cpu gpu none full adaptive match rejection qwen3-4b Qwen/Qwen3-4B . / /dev/null *'.split(' '),
  ...'a.ts:1:1 a.ts:99:1 a.ts:1 :1:1 list pull remove info https://x.example http://u:p@x'.split(' '),
  '',
  ' 1',
  '1 ',
];
const value = mixed([4, fc.constantFrom(...VALUES)], [1, oddText]).filter((text) => !text.includes('\0'));
const withoutNul = (text: string): string => text.replaceAll('\0', '');

/** Returns whether a word requests the help text, which would hide all errors. */
const isHelp = (word: string): boolean => word === '--help' || word === '-h';

const commandLines: fc.Arbitrary<string[]> = fc.oneof(
  ...Object.entries(COMMANDS).map(([command, text]) => {
    const [options = [], end = []] = text.split(' | ').map((part) => part.split(' '));
    const option = fc.constantFrom(...options).map((name) => `--${name}`);
    const words = mixed<string[]>(
      [5, fc.tuple(option, value)],
      [1, fc.tuple(option, value).map((parts) => [parts.join('=')])],
      [1, option.map((name) => [name])],
      [1, value.map((word) => [word])],
      [1, damaged('--max-tokens').map((word) => [withoutNul(word)])],
    );
    const maxOptions = command === 'models' || command === 'lsp' ? 3 : 6;
    return fc
      .array(words, { maxLength: maxOptions })
      .map((parts) => [command, ...parts.flat().filter((word) => word !== '--' && !isHelp(word)), ...end]);
  }),
);

function assertRefused({ stderr, ...outcome }: Outcome): void {
  assert.deepEqual(outcome, { code: 2, signal: null, stdout: '' }, stderr);
  assert.match(stderr, /^flashline: [^\p{Cc}]+\n$/u);
  assertExplainedText(stderr.slice('flashline: '.length).trimEnd());
}

/** Creates a folder with a source file. */
function project(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'folder'));
  writeFileSync(join(folder, 'a.ts'), 'const a = 1;\n');
  return folder;
}

export const commandLine = fuzzKind({
  name: 'arguments',
  inputs: commandLines,
  runs: 150,
  open: () => {
    const cwd = project();
    return {
      attempt: async (args) => assertRefused(await inProcess(args, { cwd })),
      checkValid: async () => {
        const { code, stdout } = await inProcess(['--version'], { cwd });
        assert.deepEqual({ code, stdout }, { code: 0, stdout: '0.1.0\n' });
      },
    };
  },
});

const LINES: readonly Json[] = [
  { prompt: 'const a = ', maxTokens: 5, stop: ['\n'], seed: 7, temperature: 0.5, topK: 3, logprobs: 2 },
  { promptIds: [1, 2, 3], minP: 0.1, repetitionPenalty: 1.1, penaltyWindow: 8 },
  { promptIds: [1], stopTokenIds: [4], forbiddenTokens: [5] },
  { prompt: 'x', logitBias: [[5, -100]], topP: 0.9, presencePenalty: 0.5, frequencyPenalty: 0.5 },
];

/** Batch files, each refused for its lines or because there is no model, in both cases before any decode. */
export const batchFile = fuzzKind({
  name: 'batch',
  inputs: fc.record({
    lines: fc.array(fc.oneof(...LINES.map((line) => spoiltJson(line))), { maxLength: 4 }),
    end: fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\u2028'),
  }),
  runs: 150,
  open: () => {
    const cwd = project();
    const run = (text: string): Promise<Outcome> => {
      writeFileSync(join(cwd, 'batch.jsonl'), text);
      return inProcess(['generate', '--batch', 'batch.jsonl', '--target', MISSING], { cwd });
    };
    return {
      attempt: async ({ lines, end }) => assertRefused(await run(lines.join(end))),
      checkValid: async () => {
        const { stderr } = await run(LINES.map(jsonText).join('\n'));
        assert.match(stderr, /No model folder at \/nowhere/);
      },
    };
  },
});

interface Source {
  readonly bytes: Uint8Array;
  readonly location: string;
}

const sources: fc.Arbitrary<Source> = fc.record({
  bytes: mixed<Uint8Array>(
    [
      5,
      joined(9, oddText, fc.constantFrom('\n', '\r\n', '\r', 'const a = 1;', '\uFEFF')).map((text) =>
        Buffer.from(text),
      ),
    ],
    [1, fc.uint8Array({ maxLength: 40 })],
  ),
  location: mixed(
    [5, fc.tuple(fc.nat(6), fc.nat(20)).map(([line, column]) => `a.ts:${line}:${column}`)],
    [1, damaged('a.ts:1:1').map(withoutNul)],
  ),
});

export const sourceFile = fuzzKind({
  name: 'source-file',
  inputs: sources,
  runs: 150,
  open: () => {
    const [folder, before] = [project(), process.cwd()];
    process.chdir(folder);
    const file = join(folder, 'a.ts');
    return {
      attempt: async ({ bytes, location }) => {
        writeFileSync(file, bytes);
        const found = await valueUnlessRefused(() => readSourceLocation(location));
        if (found === undefined) return;
        const { prefix, suffix, line, column } = found;
        assert.equal(prefix + suffix, new TextDecoder().decode(bytes));
        const lines = prefix.split(/\r\n|\n|\r/);
        // No location is within a CRLF, so each line end in the prefix is complete.
        assert.deepEqual([lines.length, (lines.at(-1) ?? '').length + 1], [line, column]);
      },
      checkValid: () => {
        writeFileSync(file, 'ab\ncd');
        const { prefix, suffix } = readSourceLocation('a.ts:2:2');
        assert.deepEqual([prefix, suffix], ['ab\nc', 'd']);
      },
      close: () => process.chdir(before),
    };
  },
});
