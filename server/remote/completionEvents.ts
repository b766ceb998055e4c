// Parses the server-sent events of /v1/completions and llama.cpp's /infill into pieces of text and statistics. Reads
// the fields of OpenAI, vLLM, SGLang, llama.cpp and Flashline, and ignores all others.
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import * as z from 'zod/mini';
import { parseJson } from '../rules/json';
import { brokenAnswer, type ErrorContext } from './remoteError';
import { MAX_EVENT_LENGTH, StreamMeter, type StreamLimits } from './streamMeter';

const DONE = '[DONE]';

/** A number of tokens, rounds or milliseconds; undefined if a server sends anything else. */
const COUNT = z.catch(z.nullish(z.number().check(z.nonnegative())), undefined);
const USAGE = z.object({
  prompt_tokens: COUNT,
  completion_tokens: COUNT,
  prompt_tokens_details: z.catch(z.nullish(z.object({ cached_tokens: COUNT })), undefined),
});
/** Statistics of a request that vLLM sends when it runs with --per-request-spec-decode-metrics. */
const SPECULATIVE = z.object({
  num_spec_steps: COUNT,
  num_draft_tokens: COUNT,
  num_accepted_draft_tokens: COUNT,
});
const COUNTS = z.catch(z.array(z.number()), []);
/** Statistics of a request that `flashline serve` sends. */
const FLASHLINE = z.object({
  rounds: COUNT,
  draftedTokens: COUNT,
  acceptedTokens: COUNT,
  acceptedByPosition: COUNTS,
  draftedByPosition: COUNTS,
  wholeRounds: COUNT,
  mismatchesByPosition: COUNTS,
  prefillMs: COUNT,
  draftMs: COUNT,
  verifyMs: COUNT,
  decodeMs: COUNT,
});
/** Statistics of a request that llama.cpp sends, with each event if the request asks for that. */
const TIMINGS = z.catch(
  z.nullish(
    z.object({
      cache_n: COUNT,
      prompt_n: COUNT,
      prompt_ms: COUNT,
      predicted_n: COUNT,
      predicted_ms: COUNT,
      draft_n: COUNT,
      draft_n_accepted: COUNT,
    }),
  ),
  undefined,
);
/** The last event has no text: some servers send null, and some proxies leave the field out. */
const CHOICE = z.pipe(
  z
    .object({ text: z.nullish(z.string()), finish_reason: z.nullish(z.string()) })
    .check(z.refine(({ text, finish_reason: reason }) => text !== undefined || typeof reason === 'string')),
  z.transform(({ text, finish_reason: reason }) => ({ text: text ?? '', finish_reason: reason })),
);
/** Maximum choices of an event, which should have one. Very many wrong ones would overflow zod's stack. */
const MAX_CHOICES = 100;
const CHOICES = z.pipe(z.array(z.unknown()).check(z.maxLength(MAX_CHOICES)), z.array(CHOICE));
const EVENT = z.object({
  choices: CHOICES,
  usage: z.catch(z.nullish(USAGE), undefined),
  metrics: z.catch(z.nullish(z.object({ speculative_decoding: z.nullish(SPECULATIVE) })), undefined),
  flashline: z.catch(z.nullish(FLASHLINE), undefined),
  timings: TIMINGS,
});
/** An event of llama.cpp's /infill. */
const LLAMA_EVENT = z.object({
  content: z.string(),
  stop: z.boolean(),
  stop_type: z.nullish(z.string()),
  tokens_evaluated: COUNT,
  tokens_predicted: COUNT,
  timings: TIMINGS,
});
const FAILURE = z.object({ error: z.unknown() });

export type CompletionEvent = z.infer<typeof EVENT>;

/** Ends an output that has all requested tokens. */
const ENOUGH: CompletionEvent = { choices: [{ text: '', finish_reason: 'length' }] };

/**
 * Yields events until [DONE], until the end of a stream that sent a finish reason, or until there are more pieces of
 * text than requested tokens. Throws RemoteError for any other end unless the signal has aborted, and for a stream that
 * exceeds the limits of bytes, time or silence.
 */
export async function* completionEvents(
  chunks: AsyncIterable<Uint8Array>,
  context: ErrorContext,
  signal: AbortSignal,
  limits: StreamLimits,
): AsyncGenerator<CompletionEvent, void, undefined> {
  const meter = new StreamMeter(context, limits);
  const arrived: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (message) => void arrived.push(message),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded')
        throw brokenAnswer(
          context,
          `sent an event of more than ${String(MAX_EVENT_LENGTH)} characters`,
          error,
        );
    },
    maxBufferSize: MAX_EVENT_LENGTH,
  });
  const decoder = new TextDecoder();
  let isDone = false;
  let isFinished = false;
  for await (const chunk of chunks) {
    const error = meter.addBytes(chunk.length);
    // After the finish reason only the end of the stream is missing, so the answer is complete.
    if (error && isFinished) return;
    if (error) throw error;
    parser.feed(decoder.decode(chunk, { stream: true }));
    for (const { data } of arrived.splice(0)) {
      // Ends the inner loop only: the outer one reads the stream to its end, so that the connection can be used again.
      if (data === DONE) isDone = isFinished = true;
      if (isDone) break;
      const event = parseEvent(data, context);
      isFinished ||= event.choices.some(({ finish_reason: reason }) => typeof reason === 'string');
      const text = event.choices.map((choice) => choice.text).join('');
      const exceeded = meter.addText(text, isFinished);
      if (exceeded) throw exceeded;
      // Events after the last piece, such as the finish reason, have no text, so only another piece ends the output.
      if (meter.pieceCount > limits.maxTokens) return yield ENOUGH;
      yield event;
    }
  }
  if (!isFinished && !signal.aborted) throw brokenAnswer(context, 'ended its stream in the middle');
}

function parseEvent(data: string, context: ErrorContext): CompletionEvent {
  let value: unknown;
  try {
    value = parseJson(data);
  } catch (cause) {
    throw brokenAnswer(context, 'sent an event that is not JSON', cause);
  }
  const event = EVENT.safeParse(value);
  if (event.success) {
    const timed = timingStats(event.data.timings);
    const { usage = timed.usage, flashline = timed.flashline } = event.data;
    return { ...event.data, usage, flashline };
  }
  const llama = LLAMA_EVENT.safeParse(value);
  if (llama.success) return llamaEvent(llama.data);
  const isFailure = FAILURE.safeParse(value).success;
  const action = isFailure ? 'sent an error in the middle of the stream' : 'sent an event without choices';
  throw brokenAnswer(context, action, event.error);
}

/** Converts an event of llama.cpp's /infill. */
function llamaEvent(event: z.infer<typeof LLAMA_EVENT>): CompletionEvent {
  const { content, stop, stop_type: type, timings } = event;
  const reason = type === 'limit' ? 'length' : 'stop';
  return {
    choices: [{ text: content, finish_reason: stop ? reason : null }],
    flashline: timingStats(timings).flashline,
    usage: {
      prompt_tokens: event.tokens_evaluated,
      completion_tokens: event.tokens_predicted,
      prompt_tokens_details: { cached_tokens: timings?.cache_n },
    },
  };
}

/** Converts llama.cpp's timings, which omit the counts of drafts if there were none, to usage and statistics. */
function timingStats(timings: z.infer<typeof TIMINGS>): Partial<CompletionEvent> {
  if (!timings) return {};
  const { prompt_n: read, predicted_n: written } = timings;
  const cached = timings.cache_n ?? 0;
  return {
    usage: {
      prompt_tokens: read == null ? read : read + cached,
      completion_tokens: written,
      prompt_tokens_details: { cached_tokens: cached },
    },
    flashline: {
      draftedTokens: timings.draft_n ?? 0,
      acceptedTokens: timings.draft_n_accepted ?? 0,
      acceptedByPosition: [],
      draftedByPosition: [],
      mismatchesByPosition: [],
      prefillMs: timings.prompt_ms,
      decodeMs: timings.predicted_ms,
    },
  };
}
