// `flashline generate --batch`: one JSON object in, one out. All lines are checked before the first is decoded,
// so a mistake in the last line does not cost the work of the others.
import type { Engine } from '../engine/engine';
import type { DecodeOptions } from '../engine/decodeOptions';
import { InputError } from '../inputError';
import type { PairArguments } from './arguments';
import { interruptSignal } from './interruptSignal';
import { loadPair } from './loadPair';
import { statsObject } from './statsTable';

interface BatchLine {
  /** For errors: the file and the line in it. */
  readonly where: string;
  readonly prompt: string | readonly number[];
  readonly maxTokens: number | undefined;
}

export async function generateBatch(
  text: string,
  file: string,
  pair: PairArguments,
  limits: DecodeOptions,
): Promise<void> {
  const lines = parseLines(text, file);
  const engine = await loadPair(pair);
  const prompts = lines.map((line) => tokenIds(engine, line));
  const signal = interruptSignal();
  for (const [i, promptIds] of prompts.entries()) {
    const maxTokens = lines[i]?.maxTokens ?? limits.maxTokens;
    const { stats, ...result } = await engine.decode(promptIds, { ...limits, maxTokens, signal }).finish();
    process.stdout.write(`${JSON.stringify({ ...result, stats: statsObject(stats) })}\n`);
    if (signal.aborted) return;
  }
}

function parseLines(text: string, file: string): BatchLine[] {
  const lines = text
    .split(/\r?\n/)
    .map((line, i) => ({ line, where: `line ${String(i + 1)} of ${file}` }))
    .filter(({ line }) => line.trim() !== '');
  if (lines.length === 0) {
    throw new InputError({
      expected: `prompts in ${file}`,
      got: 'an empty file',
      remedy: 'write one JSON object per line',
    });
  }
  return lines.map(({ line, where }) => parseLine(line, where));
}

function parseLine(line: string, where: string): BatchLine {
  const wrong = (expected: string, got: unknown): InputError =>
    new InputError({
      expected: `${expected} in ${where}`,
      got: (JSON.stringify(got) ?? 'nothing').slice(0, 60),
      remedy: 'write {"promptIds":[...]} or {"prompt":"..."}',
    });
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    throw wrong('a JSON object', line);
  }
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw wrong('a JSON object', entry);
  const { prompt, promptIds, maxTokens, ...unknown } = entry as Record<string, unknown>;
  const [extra] = Object.keys(unknown);
  if (extra !== undefined) throw wrong('only promptIds, prompt and maxTokens', extra);
  if ((prompt === undefined) === (promptIds === undefined)) throw wrong('either promptIds or prompt', entry);
  if (maxTokens !== undefined && !isCount(maxTokens))
    throw wrong('maxTokens to be a whole number above 0', maxTokens);
  if (typeof prompt === 'string' && prompt !== '') return { where, prompt, maxTokens };
  if (prompt !== undefined) throw wrong('prompt to be a text that is not empty', prompt);
  if (Array.isArray(promptIds) && promptIds.length > 0 && promptIds.every((id) => typeof id === 'number')) {
    return { where, prompt: promptIds, maxTokens };
  }
  throw wrong('promptIds to be a list of numbers that is not empty', promptIds);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 100_000;
}

function tokenIds(engine: Engine, { where, prompt }: BatchLine): readonly number[] {
  try {
    const ids = typeof prompt === 'string' ? engine.encodePrompt(prompt) : prompt;
    engine.requirePrompt(ids);
    return ids;
  } catch (cause) {
    if (cause instanceof InputError) throw cause.at(where);
    throw cause;
  }
}
