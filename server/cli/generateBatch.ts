// `flashline generate --batch`: one JSON object in, one out. All lines are checked before the first is decoded,
// so a mistake in the last line does not cost the work of the others.
import type { Engine } from '../engine/engine';
import type { DecodeRequest } from '../engine/decode/decode';
import { REQUEST_FIELDS, requestOptions } from '../engine/request/requestOptions';
import { InputError, quoted, visibleJson, visibleText } from '../rules/inputError';
import { isRecord } from '../rules/json';
import {
  loadPair,
  type PairArguments,
  pairHelp,
  PAIR_OPTIONS,
  parseArguments,
  requireRepeatable,
  OUTPUT_OPTIONS,
  outputArguments,
  outputHelp,
  interruptSignal,
} from './arguments';
import { statsObject } from '../engine/request/stats';
import { readText } from './sourceLocation';
import { statsTable } from './statsTable';

interface BatchLine {
  /** For errors: the file and the line in it. */
  readonly where: string;
  readonly prompt: string | readonly number[];
  /** Those of the command line, overridden by the line's own. */
  readonly limits: DecodeRequest;
}

async function generateBatch(
  text: string,
  file: string,
  pair: PairArguments,
  limits: DecodeRequest,
): Promise<void> {
  const lines = parseLines(text, file, limits);
  const engine = await loadPair(pair);
  const asked = lines.map((line) => ({ ...line.limits, promptIds: tokenIds(engine, line) }));
  const signal = interruptSignal();
  for (const { promptIds, ...request } of asked) {
    const { stats, ...result } = await engine.decode(promptIds, { ...request, signal }).finish();
    process.stdout.write(`${visibleJson({ ...result, stats: statsObject(stats) })}\n`);
    if (signal.aborted) return;
  }
}

function parseLines(text: string, file: string, limits: DecodeRequest): BatchLine[] {
  const lines = text
    .split(/\r?\n/)
    .map((line, i) => ({ line, where: `line ${String(i + 1)} of ${file}` }))
    .filter(({ line }) => line.trim() !== '');
  if (lines.length === 0) {
    const remedy = 'write one JSON object per line';
    throw new InputError({ expected: `prompts in ${file}`, got: 'an empty file', remedy });
  }
  return lines.map(({ line, where }) => ({ where, ...attributed(where, () => parseLine(line, limits)) }));
}

function wrong(expected: string, got: unknown): InputError {
  return new InputError({
    expected,
    got: quoted(got),
    remedy: 'write {"promptIds":[...]} or {"prompt":"..."}',
  });
}

function parseLine(line: string, usual: DecodeRequest): Omit<BatchLine, 'where'> {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    throw wrong('a JSON object', line);
  }
  if (!isRecord(entry)) throw wrong('a JSON object', entry);
  const { prompt, promptIds, ...given } = entry;
  const extra = Object.keys(given).find((field) => !REQUEST_FIELDS.includes(field));
  if (extra !== undefined) throw wrong(`only promptIds, prompt, ${REQUEST_FIELDS.join(', ')}`, extra);
  if ((prompt === undefined) === (promptIds === undefined)) throw wrong('either promptIds or prompt', entry);
  const limits = lineLimits(given, usual);
  requireRepeatable(limits);
  if (typeof prompt === 'string' && prompt !== '') return { prompt, limits };
  if (prompt !== undefined) throw wrong('prompt to be a non-empty string', prompt);
  if (Array.isArray(promptIds) && promptIds.length > 0 && promptIds.every((id) => typeof id === 'number'))
    return { prompt: promptIds, limits };
  throw wrong('promptIds to be a non-empty list of numbers', promptIds);
}

function lineLimits(given: Readonly<Record<string, unknown>>, usual: DecodeRequest): DecodeRequest {
  const { sampling, ...limits } = requestOptions(given, (field, expected, got) =>
    wrong(`${field} to be ${expected}`, got),
  );
  return { ...usual, ...limits, sampling: { ...usual.sampling, ...sampling } };
}

function tokenIds(engine: Engine, { where, prompt, limits }: BatchLine): readonly number[] {
  return attributed(where, () => {
    const ids = typeof prompt === 'string' ? engine.encodePrompt(prompt) : prompt;
    engine.requirePrompt(ids);
    if (limits.stopStrings?.length && engine.tokenizer === undefined) {
      const expected = 'tokenizer.json in the target directory';
      throw new InputError({ expected, got: 'none', remedy: 'leave the stop strings out' });
    }
    return ids;
  });
}

/** Makes errors name the line that they are about. */
function attributed<T>(where: string, check: () => T): T {
  try {
    return check();
  } catch (cause) {
    if (cause instanceof InputError) throw cause.at(where);
    throw cause;
  }
}

// `flashline generate`: text after a prompt, streamed, or many prompts from a file.

export const GENERATE_HELP = `flashline generate --prompt TEXT | --prompt-file FILE | --batch FILE.jsonl [options]

Continues a prompt and streams the text; the statistics go to standard error. Special tokens spelled out in the
prompt, such as <|fim_prefix|>, are read as those tokens.

  --prompt TEXT         the prompt
  --prompt-file FILE    the prompt, from a UTF-8 file
  --batch FILE.jsonl    one prompt per line, {"promptIds":[...]} or {"prompt":"..."}, with any of "maxTokens", "stop",
                        "seed", "temperature", "topP" and the other sampling options, up to "logprobs"; prints one
                        JSON object per line
  --max-tokens N        maximum length, in tokens, including the end token (default: 128)
  --stop TEXT           stop before this text; may be repeated
  --json                print one JSON object instead of streaming${pairHelp('full')}
${outputHelp('off')}`;

export async function generate(args: string[]): Promise<void> {
  const { values } = parseArguments({
    args,
    options: {
      ...PAIR_OPTIONS,
      ...OUTPUT_OPTIONS,
      prompt: { type: 'string' },
      'prompt-file': { type: 'string' },
      batch: { type: 'string' },
      'max-tokens': { type: 'string', default: '128' },
      stop: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
    },
  });
  const sources = [values.prompt, values['prompt-file'], values.batch].filter(
    (source) => source !== undefined,
  );
  if (sources.length !== 1) {
    throw new InputError({
      expected: 'one of --prompt, --prompt-file and --batch',
      got: sources.length === 0 ? 'none' : String(sources.length),
      remedy: 'give exactly one of them',
    });
  }
  if (values.stop.includes('')) {
    throw new InputError({ expected: '--stop to be a string', got: 'an empty one', remedy: 'leave it out' });
  }
  const json = values.json || values.batch !== undefined;
  const { pair, limits: said } = outputArguments({ ...values, json }, { draftLength: 'full', guard: 'off' });
  const limits = { ...said, stopStrings: values.stop };
  if (values.batch !== undefined) {
    await generateBatch(readText(values.batch), values.batch, pair, limits);
    return;
  }
  const prompt = values.prompt ?? readText(values['prompt-file'] ?? '');
  if (prompt === '')
    throw new InputError({ expected: 'a prompt', got: 'an empty string', remedy: 'give some text' });
  const engine = await loadPair(pair);
  const decode = engine.decode(engine.encodePrompt(prompt), { ...limits, signal: interruptSignal() });
  // Elsewhere than on a terminal, the text is data.
  const shown = process.stdout.isTTY ? visibleText : (text: string) => text;
  for await (const { text } of decode) if (!values.json) process.stdout.write(shown(text));
  const { stats, ...result } = decode.result;
  if (values.json) process.stdout.write(`${visibleJson({ ...result, stats: statsObject(stats) })}\n`);
  else process.stderr.write(`\n\n${statsTable(stats, limits.sampling)}\n`);
}
