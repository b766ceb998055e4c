// Handles flashline/generate: generates code for an instruction, in place of a range of a document. Checks the
// parameters and streams the text.
import type { Connection } from 'vscode-languageserver/node';
import { generateCode } from '../completion/instruct/generateCode';
import { whyIneligible } from '../completion/prompt/eligibility';
import type { CompletionSession } from '../completion/session/completionSession';
import { requestOptions } from '../engine/request/requestOptions';
import type { History } from '../hosting/history';
import type { Model } from '../hosting/model';
import type { Lease } from '../hosting/lease';
import type { GenerateResult, Method, SamplingOverrides, ServerSettings } from '../protocol/messages';
import { fieldsOf, isRecord } from '../rules/json';
import type { ParamsOf } from './messageSchemas';
import { startOfCharacter } from './positions';
import { NO_MODEL, refused } from './refusal';
import { streamGenerated } from './streamGenerated';

interface GenerateParts {
  readonly connection: Connection;
  readonly session: CompletionSession<Model>;
  readonly lease: Lease;
  readonly history: History;
}

/** Maximum characters of an instruction. Encoding a longer one would block all messages for seconds. */
const MAX_INSTRUCTION = 20_000;

/**
 * Resolves with the generated text, even when cancelled. Rejects if the request cannot run or the model fails.
 */
export async function generate(
  { session, lease, ...parts }: GenerateParts,
  params: ParamsOf<typeof Method.generate>,
  settings: ServerSettings,
  signal: AbortSignal,
): Promise<GenerateResult> {
  checkLimits(params);
  const { uri, instruction, start, end, maxTokens, partialResultToken } = params;
  const sampling = samplingOverrides(params.sampling);
  const document = session.document(uri);
  if (document === undefined) throw refused(`The document ${uri} is not open. Open it first.`);
  const { text: source, fileName } = document;
  const ineligible = whyIneligible(document);
  if (end > source.length)
    throw refused(
      `Expected offsets up to ${String(source.length)}, got ${String(end)}; send offsets into the current text`,
    );
  if (ineligible !== undefined)
    throw refused(`Texts of ${ineligible} files do not enter prompts. Choose another file.`);
  // If an offset is inside a character, the range includes the whole character.
  const last = startOfCharacter(source, end);
  const range = { start: startOfCharacter(source, start), end: last < end ? end + 1 : end };
  const limit = maxTokens ?? settings.maxGenerateTokens;
  const request = { document, ...range, instruction, maxTokens: limit, signal };
  const generation = { file: fileName, settings, sampling, signal, stream: partialResultToken };
  return await lease.use((model) => {
    if (model === undefined) throw refused(NO_MODEL);
    return streamGenerated(model, parts, generation, (decoder) => generateCode(request, decoder));
  });
}

/** Throws ResponseError for an inverted range or a too long instruction. */
function checkLimits({ start, end, instruction: { length } }: ParamsOf<typeof Method.generate>): void {
  if (end < start)
    throw refused(`Expected an end at or after the start, got ${String(start)} to ${String(end)}; swap them`);
  if (length > MAX_INSTRUCTION)
    throw refused(
      `Expected an instruction of at most ${String(MAX_INSTRUCTION)} characters, got ${String(length)}; shorten it`,
    );
}

/**
 * Parses sampling options as in a batch line or an HTTP body. A null seed means a random one, even if the settings have
 * a seed.
 */
function samplingOverrides(value: unknown): SamplingOverrides {
  if (value !== undefined && value !== null && !isRecord(value))
    throw refused('The field sampling must be an object. Correct it or leave it out.');
  const { seed, ...fields } = fieldsOf(value);
  const given = { ...fields, ...(seed !== null && { seed }) };
  const { sampling, repetitionGuard } = requestOptions(given, wrongField, 'sensible');
  return {
    ...sampling,
    ...(repetitionGuard !== undefined && { repetitionGuard }),
    ...(seed === null && { seed }),
  } as SamplingOverrides;
}

function wrongField(field: string, expected: string, value: unknown): Error {
  const got = typeof value === 'number' ? String(value) : `a value of type ${typeof value}`;
  const orNull = field === 'seed' ? ', or null' : '';
  return refused(`Expected sampling.${field} to be ${expected}${orNull}, got ${got}; correct it`);
}
