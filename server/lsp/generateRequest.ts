// The request flashline/generate: takes an instruction and a place in a document, streams text back. Its parameters are
// checked here.
import type { CompletionSession } from '../completion/session/completionSession';
import { generateCode } from '../completion/instruct/generateCode';
import { requestOptions } from '../engine/request/requestOptions';
import {
  Method,
  type GenerateParams,
  type GenerateResult,
  type SamplingOverrides,
  type ServerSettings,
  type GenerateDelta,
  type SamplingSettings,
  type TokenLogprob,
} from '../protocol/messages';
import type { UsableModel } from '../hosting/loadedModel';
import { fieldsOf, isRecord } from '../rules/json';
import { MESSAGES, paramsOf } from './messageSchemas';
import { refused } from './requestSignal';
import { startOfCharacter } from './openDocuments';
import { ProgressType, type Connection } from 'vscode-languageserver/node';
import type { Decoder } from '../completion/decoder';
import type { TokenLogprob as EngineLogprob } from '../engine/sampling/sampler';
import type { History } from '../hosting/history';
import type { ModelLease } from '../hosting/modelLease';
import { RecordingDecoder, type DecodeMode } from '../hosting/recordingDecoder';

interface Parts extends GenerationParts {
  readonly session: CompletionSession<UsableModel>;
}

/** Encoding a longer one would block the thread that handles messages for seconds. */
const MAX_INSTRUCTION = 20_000;
/** Resolves with what was generated, even when cancelled. Rejects only for a request that cannot run. */
export async function generateRequest(
  { session, ...parts }: Parts,
  params: unknown,
  settings: ServerSettings,
  signal: AbortSignal,
): Promise<GenerateResult> {
  const { uri, instruction, start, end, maxTokens, sampling, partialResultToken } =
    parseGenerateParams(params);
  const document = session.document(uri);
  if (document === undefined)
    throw refused(`Expected an open document, got ${uri || 'nothing'}; open it first`);
  const { text: source, fileName, ineligible } = document;
  if (end > source.length)
    throw refused(
      `Expected offsets up to ${String(source.length)}, got ${String(end)}; send offsets into the current text`,
    );
  if (ineligible !== undefined)
    throw refused(`Expected a file that may be used in prompts, got a ${ineligible} file; choose another`);
  const limit = maxTokens ?? settings.maxGenerateTokens;
  // What a half belongs to is replaced with it.
  const last = startOfCharacter(source, end);
  const place = { start: startOfCharacter(source, start), end: last < end ? end + 1 : end };
  const request = { document, ...place, instruction, maxTokens: limit, signal };
  const asked = { file: fileName, settings, sampling, signal, stream: partialResultToken };
  return await streamGenerated(parts, asked, (decoder) => generateCode(request, decoder));
}

/** Throws a ResponseError for parameters that the client must correct. */
function parseGenerateParams(value: unknown): GenerateParams {
  const params = paramsOf(Method.generate, value);
  if (params.end < params.start) throw refused(MESSAGES[Method.generate].wrong);
  const { length } = params.instruction;
  if (length > MAX_INSTRUCTION)
    throw refused(
      `Expected an instruction of at most ${String(MAX_INSTRUCTION)} characters, got ${String(length)}; shorten it`,
    );
  return { ...params, sampling: samplingOverrides(params.sampling) };
}

/** As in a line of a batch and in an HTTP body; here a seed of null picks one. */
function samplingOverrides(value: unknown): SamplingOverrides {
  if (value !== undefined && value !== null && !isRecord(value))
    throw refused('Expected sampling to be an object, got something else; leave it out');
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
  const or = field === 'seed' ? ', or null' : '';
  return refused(`Expected sampling.${field} to be ${expected}${or}, got ${got}; correct it`);
}

// The run of a request for generated text: with the model of the connection, streamed to the client, recorded, and
// summed up in a result. What is asked of the model is up to the caller.

export interface GenerationParts {
  readonly connection: Connection;
  readonly host: Pick<ModelLease, 'use'>;
  readonly history: History;
}

interface Asked {
  /** What the text is for, in statistics. */
  readonly file: string;
  readonly settings: ServerSettings;
  /** Overrides the settings. */
  readonly sampling?: SamplingOverrides | undefined;
  readonly signal: AbortSignal;
  /** Where pieces go. */
  readonly stream: string | number | undefined;
}

const deltas = new ProgressType<GenerateDelta>();

/** Resolves with what was generated, even when cancelled. Rejects where there is no model. */
export async function streamGenerated(
  { connection, host, history }: GenerationParts,
  { file, settings, sampling, signal, stream }: Asked,
  generate: (decoder: Decoder) => AsyncIterable<string>,
): Promise<GenerateResult> {
  return await host.use(async (model) => {
    if (model === undefined)
      throw refused('Expected a loaded model, got none; see the status for the reason');
    const mode = modeOf(settings, { ...settings.generate, ...sampling });
    const decoder = new RecordingDecoder(model, mode, history);
    let text = '';
    for await (const piece of generate(decoder)) {
      text += piece;
      if (stream !== undefined) await connection.sendProgress(deltas, stream, { text: piece });
    }
    decoder.record(file);
    return resultOf(text, decoder, signal);
  });
}

function resultOf(text: string, decoder: RecordingDecoder, signal: AbortSignal): GenerateResult {
  const { stats, logprobs } = decoder.decodes.at(-1) ?? {};
  return {
    text,
    finishReason: signal.aborted ? 'cancelled' : (stats?.finishReason ?? 'stop'),
    seed: stats?.seed,
    logprobs: logprobs?.map(({ top, ...token }) => {
      return { ...named(token, decoder), top: top.map((each) => named(each, decoder)) };
    }),
  };
}

/** With a seed the text must be repeatable, even where it depends on where rounds end. */
function modeOf(
  { draftLength }: ServerSettings,
  { seed, repetitionGuard, ...options }: SamplingSettings & SamplingOverrides,
): DecodeMode {
  const sampling = { ...options, seed: seed ?? undefined };
  const mode = { kind: 'generate', draftLength, sampling, repetitionGuard } as const;
  if (seed === null || options.acceptance === 'match' || options.temperature === 0) return mode;
  return { ...mode, draftLength: draftLength === 'adaptive' ? 'full' : draftLength, fresh: true };
}

function named({ token, logprob }: EngineLogprob, decoder: RecordingDecoder): TokenLogprob {
  return { text: decoder.tokenText(token), logprob };
}
