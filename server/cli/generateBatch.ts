// `flashline generate --batch`: reads and prints one JSON object per line. Checks all lines before it decodes the
// first, so that a mistake in the last line does not waste the work of the others.
import type { Engine } from '../engine/engine';
import type { DecodeRequest } from '../engine/decode/decode';
import { BATCH_FIELDS, requestOptions } from '../engine/request/requestOptions';
import { quoted, UserError, WrongValue } from '../rules/userError';
import { visibleJson } from '../rules/visibleText';
import { isRecord } from '../rules/json';
import { statsObject } from '../engine/request/stats';
import { interruptSignal } from './interruptSignal';
import { loadEngine, type PairArguments } from './pairArguments';
import { requireRepeatable } from './samplingArguments';
import { PromptEncoder, type ChatChoice } from './promptEncoder';
import { readText } from './sourceLocation';

interface BatchLine {
  /** File and line, for errors. */
  readonly where: string;
  readonly prompt: string | readonly number[];
  /** Limits from the command line, overridden by those in the line. */
  readonly limits: DecodeRequest;
}

export async function generateBatch(
  file: string,
  pair: PairArguments,
  chat: ChatChoice,
  limits: DecodeRequest,
): Promise<void> {
  const lines = parseLines(readText(file), file, limits);
  const engine = await loadEngine(pair);
  const encoder = PromptEncoder.of(engine, pair, chat);
  const requests = lines.map((line) => requestOf(engine, encoder, line));
  const signal = interruptSignal();
  for (const { promptIds, ...request } of requests) {
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
    throw new WrongValue({ expected: `prompts in ${file}`, got: 'an empty file', remedy });
  }
  return lines.map(({ line, where }) => ({
    where,
    ...withLineInErrors(where, () => parseLine(line, limits)),
  }));
}

/** Returns the error for a wrong line. The default remedy shows the form of a line. */
function wrong(
  expected: string,
  got: unknown,
  remedy = 'write {"promptIds":[...]} or {"prompt":"..."}',
): UserError {
  return new WrongValue({ expected, got: quoted(got), remedy });
}

function parseLine(line: string, defaults: DecodeRequest): Omit<BatchLine, 'where'> {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    throw wrong('a JSON object', line);
  }
  if (!isRecord(entry)) throw wrong('a JSON object', entry);
  const { prompt, promptIds, ...given } = entry;
  const extra = Object.keys(given).find((field) => !BATCH_FIELDS.includes(field));
  if (extra !== undefined)
    throw wrong(`only promptIds, prompt, ${BATCH_FIELDS.join(', ')}`, extra, 'leave it out');
  if ((prompt === undefined) === (promptIds === undefined)) throw wrong('either promptIds or prompt', entry);
  const limits = lineLimits(given, defaults);
  requireRepeatable(limits);
  if (typeof prompt === 'string' && prompt !== '') return { prompt, limits };
  if (prompt !== undefined) throw wrong('prompt to be a non-empty string', prompt);
  if (Array.isArray(promptIds) && promptIds.length > 0 && promptIds.every((id) => typeof id === 'number'))
    return { prompt: promptIds, limits };
  throw wrong('promptIds to be a non-empty list of numbers', promptIds);
}

function lineLimits(given: Readonly<Record<string, unknown>>, defaults: DecodeRequest): DecodeRequest {
  const { sampling, ...limits } = requestOptions(given, (field, expected, got) =>
    wrong(`${field} to be ${expected}`, got, 'correct it'),
  );
  return { ...defaults, ...limits, sampling: { ...defaults.sampling, ...sampling } };
}

function requestOf(engine: Engine, encoder: PromptEncoder, { where, prompt, limits }: BatchLine) {
  return withLineInErrors(where, () => {
    const isText = typeof prompt === 'string';
    const promptIds = isText ? encoder.encode(prompt) : prompt;
    const request = isText ? encoder.withTurnEnds(limits) : limits;
    engine.requireDecodable(promptIds, request);
    return { promptIds, ...request };
  });
}

/** Runs `check`, and adds the line to its errors. */
function withLineInErrors<T>(where: string, check: () => T): T {
  try {
    return check();
  } catch (cause) {
    if (cause instanceof UserError) throw cause.at(where);
    throw cause;
  }
}
