// The parameters of flashline/generate, checked at the edge. Knows neither documents nor models.
import { LSPErrorCodes, ResponseError } from 'vscode-languageserver/node';
import type { GenerateParams } from '../protocol';
import { parseSamplingOverrides } from './samplingSettings';

/** Longer ones would be read for seconds on the thread that handles messages. */
const MAX_INSTRUCTION = 20_000;

/** Throws a ResponseError for parameters that a client must put right. */
export function parseGenerateParams(value: unknown): GenerateParams {
  const given: Readonly<Record<string, unknown>> =
    typeof value === 'object' && value !== null ? { ...value } : {};
  const { uri, instruction, start, end, partialResultToken: token } = given;
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
  const sampling = parseSamplingOverrides(given['sampling'], refused);
  const hasToken = typeof token === 'string' || typeof token === 'number';
  return { uri, instruction, start, end, sampling, ...(hasToken && { partialResultToken: token }) };
}

export function refused(message: string): ResponseError<void> {
  return new ResponseError(LSPErrorCodes.RequestFailed, message);
}

function isOffset(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
