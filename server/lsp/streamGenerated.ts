// Runs a request for generated text: streams the text to the client, records the decode, and returns the result.
import { ProgressType, type Connection } from 'vscode-languageserver/node';
import type { Decoder } from '../completion/decoder';
import type { TokenLogprob as EngineLogprob } from '../engine/sampling/sampler';
import type { History } from '../hosting/history';
import type { Model } from '../hosting/model';
import { RecordingDecoder, type DecodeMode } from '../hosting/recordingDecoder';
import type {
  GenerateDelta,
  GenerateResult,
  SamplingOverrides,
  SamplingSettings,
  ServerSettings,
  TokenLogprob,
} from '../protocol/messages';

interface GenerationOptions {
  /** Name of the request in statistics. */
  readonly file: string;
  readonly settings: ServerSettings;
  /** Sampling options that override the settings. */
  readonly sampling?: SamplingOverrides | undefined;
  readonly signal: AbortSignal;
  /** Progress token with which to stream the text; undefined for no stream. */
  readonly stream: string | number | undefined;
}

const DELTAS = new ProgressType<GenerateDelta>();

/** Streams the text of `generate`, and resolves with the whole text, even when cancelled. */
export async function streamGenerated(
  model: Model,
  { connection, history }: { readonly connection: Connection; readonly history: History },
  { file, settings, sampling, signal, stream }: GenerationOptions,
  generate: (decoder: Decoder) => AsyncIterable<string>,
): Promise<GenerateResult> {
  const mode = decodeMode(settings, { ...settings.generate, ...sampling });
  const decoder = new RecordingDecoder(model, mode, history);
  let text = '';
  for await (const piece of generate(decoder)) {
    text += piece;
    if (stream !== undefined) await connection.sendProgress(DELTAS, stream, { text: piece });
  }
  decoder.record(file);
  const { stats, logprobs } = decoder.decodes.at(-1) ?? {};
  return {
    text,
    finishReason: signal.aborted ? 'cancelled' : (stats?.finishReason ?? 'stop'),
    seed: stats?.seed,
    logprobs: logprobs?.map(({ top, ...token }) => ({
      ...tokenLogprob(token, decoder),
      top: top.map((alternative) => tokenLogprob(alternative, decoder)),
    })),
  };
}

/**
 * Returns the options of a decode. With a seed, the text must be repeatable. If drafts are accepted by rejection, the
 * text depends on where rounds end, so the draft length is fixed and no cached prompt is used.
 */
function decodeMode(
  { draftLength }: ServerSettings,
  { seed, repetitionGuard, ...options }: SamplingSettings & SamplingOverrides,
): DecodeMode {
  const sampling = { ...options, seed: seed ?? undefined };
  const mode = { kind: 'generate', draftLength, sampling, repetitionGuard } as const;
  if (seed === null || options.acceptance === 'match' || options.temperature === 0) return mode;
  return { ...mode, draftLength: draftLength === 'adaptive' ? 'full' : draftLength, fresh: true };
}

function tokenLogprob({ token, logprob }: EngineLogprob, decoder: RecordingDecoder): TokenLogprob {
  return { text: decoder.tokenText(token), logprob };
}
