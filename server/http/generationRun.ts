// Runs a generation: decodes one choice after the other, for one answer or a stream of events. The endpoint decides the
// form of both; `Admission` decides when the generation runs.
import type { OutputLimits } from '../completion/prompt/healedOutput';
import type { HealedPrompt } from '../completion/prompt/healing';
import type { DecodeResult, DraftLength } from '../engine/decode/decode';
import type { QueueTicket } from '../engine/request/queueTicket';
import type { TokenLogprobs } from '../engine/sampling/sampler';
import type { ServedEngine } from '../hosting/model';
import { ChoiceOutput } from './choiceOutput';
import type { Events } from './eventStream';
import type { Choice, Generation, Outcome, Piece } from './generation';
import { errorBody, type HttpError, httpError, withoutModel } from './httpError';
import type { ServerState } from './serverState';
import type { DecodeView } from './sharedDecodes';

/** Engine, queue ticket, signal and default draft length of one HTTP request. */
interface RunContext {
  readonly engine: ServedEngine;
  readonly ticket: QueueTicket;
  readonly signal: AbortSignal;
  readonly draftLength: DraftLength;
}

export class GenerationRun {
  constructor(
    private readonly generation: Generation,
    private readonly context: RunContext,
    private readonly state: ServerState,
  ) {}

  /** Resolves with the whole answer. Throws the reason of the signal if it aborts. */
  async answer(): Promise<object> {
    const outcomes = this.#outcomes();
    for (;;) {
      const { done, value } = await outcomes.next();
      if (done) return this.generation.complete(value);
    }
  }

  /** Yields the events of a stream. An error becomes the last event. */
  async *events(onEnd: () => void): Events<void> {
    const { trailer, endsWithDone } = this.generation;
    try {
      const outcomes = yield* this.#outcomes();
      if (trailer) yield trailer(outcomes);
      if (endsWithDone) yield '[DONE]';
    } catch (cause) {
      const error = httpError(cause);
      if (error.status === 500) this.state.onDefect(cause);
      yield errorBody(error);
    } finally {
      onEnd();
    }
  }

  /** Yields the events of all choices if the answer is a stream, and returns their outcomes. */
  async *#outcomes(): Events<Outcome[]> {
    const { choices, stream, opening, closing } = this.generation;
    const outcomes: Outcome[] = [];
    for (const choice of choices) {
      const promptLogprobs = await this.#promptLogprobs(choice);
      if (stream && opening) yield opening(choice, promptLogprobs);
      const outcome = { ...(yield* this.#outcome(choice)), promptLogprobs };
      outcomes.push(outcome);
      if (stream) yield closing(outcome);
    }
    return outcomes;
  }

  async #promptLogprobs({ promptIds, promptLogprobs }: Choice): Promise<TokenLogprobs[] | undefined> {
    if (promptLogprobs === undefined) return undefined;
    const { engine, ticket, signal } = this.context;
    try {
      return await engine.promptLogprobs(promptIds, { count: promptLogprobs, ticket, signal });
    } catch (error) {
      throw error === 'superseded' ? modelGone() : error;
    }
  }

  /** Decodes the healed prompt if there is one, and the plain prompt if not, or if the healed output does not fit. */
  async *#outcome(choice: Choice): Events<Outcome> {
    const first = choice.healed && (yield* this.#attempt(choice, choice.healed));
    if (first?.fits) return first;
    const outcome = yield* this.#attempt(choice, { ids: choice.promptIds, removed: '' });
    return first ? { ...outcome, result: addCost(outcome.result, first.result) } : outcome;
  }

  /**
   * Decodes a prompt. If the output does not begin with the removed characters, there are no events and `fits` is
   * false.
   */
  async *#attempt(choice: Choice, prompt: HealedPrompt): Events<Outcome & { readonly fits: boolean }> {
    const { engine, signal } = this.context;
    const { promptOnly = false } = choice;
    const output = new ChoiceOutput(choice, prompt, engine);
    const decode = this.#decode(choice, prompt, output.limits);
    const progress = () => ({ choice, result: decode.result, skipped: output.skipped });
    let fits = true;
    try {
      for await (const chunk of decode) {
        if (promptOnly) continue;
        const piece = output.push(chunk);
        fits = piece !== undefined;
        if (piece === undefined) break;
        if (this.#hasEvent(piece)) yield this.generation.piece(progress(), piece);
        if (output.isCut) break;
      }
      signal.throwIfAborted();
      fits &&= promptOnly || !output.isIncomplete;
      const last = fits && !promptOnly ? output.flush() : undefined;
      if (last && this.#hasEvent(last)) yield this.generation.piece(progress(), last);
    } finally {
      const finalResult = decode.takeFinalResult();
      if (finalResult) this.state.metrics.countDecode(finalResult);
    }
    const { finishReason } = decode.result;
    const isGone = finishReason === 'cancelled' || finishReason === 'superseded';
    // A request that only reads its prompt can be superseded: the part that was read stays in the cache.
    if (isGone && fits && !output.isCut && !promptOnly) throw modelGone();
    const isLimited = output.isCut || promptOnly || finishReason === 'length';
    const { text, logprobs } = output;
    return { ...progress(), text, logprobs, finish: isLimited ? 'length' : 'stop', fits };
  }

  /** Returns whether a piece is worth an event of a stream. */
  #hasEvent({ text, thinking = '', logprobs = [], tokens }: Piece): boolean {
    const { stream, allTokens = false } = this.generation;
    return stream && (text + thinking !== '' || logprobs.length > 0 || (allTokens && tokens.length > 0));
  }

  #decode({ request }: Choice, { ids, removed }: HealedPrompt, limits: OutputLimits): DecodeView {
    const { engine, ticket, signal, draftLength } = this.context;
    const decodeRequest = {
      draftLength,
      ...request,
      ...limits,
      kind: ticket.kind,
      ticket,
      signal,
    };
    return this.state.shared.decode(engine, ids, decodeRequest, removed);
  }
}

/** Creates the error for models that were replaced or freed during a decode. */
function modelGone(): HttpError {
  return withoutModel('The model was unloaded before the end of the output. Try again.');
}

/** Adds the cost of an earlier attempt to a result; all its computing time counts as prefill. */
function addCost(result: DecodeResult, { stats: earlier }: DecodeResult): DecodeResult {
  const { stats } = result;
  return {
    ...result,
    stats: {
      ...stats,
      reusedTokens: Math.min(stats.reusedTokens, earlier.reusedTokens),
      prefillMs: earlier.prefillMs + earlier.decodeMs + stats.prefillMs,
      queuedMs: earlier.queuedMs + stats.queuedMs,
      timeToFirstTokenMs: earlier.timeToFirstTokenMs + earlier.decodeMs + stats.timeToFirstTokenMs,
    },
  };
}
