// Measures one streamed answer against its limits of bytes, characters, time and silence: a server must not be able to
// keep a request open or fill the memory.
import type { WaitingClock } from '../machine/waitingClock';
import { brokenAnswer, type ErrorContext, type RemoteError, silence } from './remoteError';

/** Limits of a stream: the requested tokens, and the longest time without text, measured while waiting for chunks. */
export interface StreamLimits {
  readonly maxTokens: number;
  readonly clock: WaitingClock;
}

/** Maximum length of an event, in characters. */
export const MAX_EVENT_LENGTH = 1_000_000;
/** Limits per token: characters of its text, and bytes of its event. */
const MAX_TOKEN_LENGTH = 1_000;
const MAX_BYTES_PER_TOKEN = 10_000;
/** Time limit of an answer, as multiples of the longest allowed silence: a constant part and a part per token. */
const BASE_SILENCES = 4;
const SILENCES_PER_TOKEN = 1 / 30;

export class StreamMeter {
  #lastTextAt = 0;
  #bytes = 0;
  #characters = 0;
  #pieceCount = 0;

  constructor(
    private readonly context: ErrorContext,
    private readonly limits: StreamLimits,
  ) {}

  /** Number of pieces of text so far. Each has at least one token. */
  get pieceCount(): number {
    return this.#pieceCount;
  }

  /** Counts bytes that have arrived; returns the error if a limit is exceeded. */
  addBytes(count: number): RemoteError | undefined {
    this.#bytes += count;
    return this.#error();
  }

  /** Counts the text of an event; returns the error if the text exceeds a limit. */
  addText(text: string, isFinished: boolean): RemoteError | undefined {
    if (text !== '' || isFinished) this.#lastTextAt = this.limits.clock.waitedMs;
    if (text === '') return undefined;
    this.#characters += text.length;
    this.#pieceCount += 1;
    return this.#error();
  }

  #error(): RemoteError | undefined {
    const { maxTokens, clock } = this.limits;
    const { waitedMs, limitMs: silenceMs } = clock;
    if (waitedMs - this.#lastTextAt > silenceMs) return silence(this.context, silenceMs, 'no text');
    const limitMs = silenceMs * (BASE_SILENCES + maxTokens * SILENCES_PER_TOKEN);
    if (waitedMs > limitMs)
      return brokenAnswer(this.context, `did not end its answer within ${(limitMs / 1000).toFixed(0)} s`);
    const isLong = this.#characters > maxTokens * MAX_TOKEN_LENGTH;
    if (!isLong && this.#bytes <= MAX_EVENT_LENGTH + maxTokens * MAX_BYTES_PER_TOKEN) return undefined;
    return brokenAnswer(this.context, `did not stop after the requested ${String(maxTokens)} tokens`);
  }
}
