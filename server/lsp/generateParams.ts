// The parameters of flashline/generate, checked at the edge. Knows neither documents nor models.
import { LSPErrorCodes, ResponseError } from 'vscode-languageserver/node';
import type { GenerateParams, SamplingOverrides } from '../protocol';
import { SAMPLING_RANGES } from '../rules/samplingRanges';
import { number, SERVER_SETTINGS } from '../rules/settings';

/** Longer ones would be read for seconds on the thread that handles messages. */
const MAX_INSTRUCTION = 20_000;
/** What a request may say in place of the settings, and what only a request can ask for. */
const SAMPLING = { ...SERVER_SETTINGS.generate, logprobs: number(SAMPLING_RANGES.logprobs.sensible, 0) };

/** Throws a ResponseError for parameters that a client must put right. */
export function parseGenerateParams(value: unknown): GenerateParams {
  const { uri, instruction, start, end, sampling, partialResultToken: token } = fieldsOf(value);
  if (
    typeof uri !== 'string' ||
    typeof instruction !== 'string' ||
    !isOffset(start) ||
    !isOffset(end) ||
    end < start
  )
    throw refused('Expected uri, instruction, start and end, got something else; send GenerateParams');
  if (instruction.length > MAX_INSTRUCTION)
    throw refused(
      `Expected an instruction of at most ${String(MAX_INSTRUCTION)} characters, got ${String(instruction.length)}; shorten it`,
    );
  const hasToken = typeof token === 'string' || typeof token === 'number';
  return {
    ...{ uri, instruction, start, end, sampling: samplingOverrides(sampling) },
    ...(hasToken && { partialResultToken: token }),
  };
}

function samplingOverrides(value: unknown): SamplingOverrides {
  if (value !== undefined && value !== null && !isRecord(value))
    throw refused('Expected sampling to be an object, got something else; leave it out');
  const given = Object.entries(SAMPLING).flatMap(([name, { expected, takes }]) => {
    const each = fieldsOf(value)[name];
    if (each === undefined) return [];
    if (takes(each)) return [[name, each]];
    const got = typeof each === 'number' ? String(each) : `a value of type ${typeof each}`;
    throw refused(`Expected sampling.${name} to be ${expected}, got ${got}; correct it`);
  });
  return Object.fromEntries(given) as SamplingOverrides;
}

export function refused(message: string): ResponseError<void> {
  return new ResponseError(LSPErrorCodes.RequestFailed, message);
}

function isOffset(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

/** Nothing of what is no object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
