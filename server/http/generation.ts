// Runs what an endpoint wants generated: choice after choice through the engine, as one answer or as a stream of
// events. What they look like is up to the endpoint; when they may run is up to the admission.
import type { Decode, DecodeChunk, DecodeRequest, DecodeResult, DraftLength } from '../engine/decode';
import type { LineEnd } from '../completion/lineEnds';
import type { LaneKind } from '../engine/lane';
import type { TokenLogprobs } from '../engine/sampling/sampler';
import type { ServedEngine } from '../lsp/loadedModel';
import type { EventStream } from './eventStream';
import { errorBody, HttpError, httpError } from './httpError';

/** One text to generate. */
export interface Choice {
  readonly index: number;
  readonly promptIds: readonly number[];
  readonly request: DecodeRequest;
  /** How many of the most probable tokens to tell at each position of the prompt; undefined for nothing of it. */
  readonly promptLogprobs?: number | undefined;
  /** The prompt is read, and its output thrown away. */
  readonly promptOnly?: boolean | undefined;
  readonly filter?: TextFilter | undefined;
  /** In place of each \n of the output; \n if absent. */
  readonly lineEnd?: LineEnd | undefined;
}

/** Takes an output piece by piece, and gives back what belongs to the text, as far as that is certain. */
export interface TextFilter {
  /** Whether the output is to end here. */
  readonly ended?: boolean;
  push(piece: string): string;
  /** What was held back, once the output has ended. */
  flush(): string;
}

export interface Outcome {
  readonly choice: Choice;
  readonly text: string;
  readonly finish: 'stop' | 'length';
  readonly result: DecodeResult;
  readonly promptLogprobs?: readonly TokenLogprobs[] | undefined;
}

/** Text that became certain, with the tokens it came with. */
export type Piece = Pick<DecodeChunk, 'text' | 'tokens' | 'logprobs'>;

/** What an endpoint answers with. */
export interface Generation {
  /** The field of the request that the prompt comes from; "prompt" if absent. */
  readonly promptField?: string;
  readonly choices: readonly Choice[];
  readonly stream: boolean;
  readonly whole: (outcomes: readonly Outcome[]) => object;
  /** Before the first piece of a choice. */
  readonly opening?:
    ((choice: Choice, promptLogprobs: readonly TokenLogprobs[] | undefined) => object) | undefined;
  /** `decode` has what it cost so far. */
  readonly piece: (choice: Choice, piece: Piece, decode: Pick<Decode, 'result'>) => object;
  readonly closing: (outcome: Outcome) => object;
  readonly trailer?: ((outcomes: readonly Outcome[]) => object) | undefined;
  /** Whether the stream ends with OpenAI's mark. */
  readonly done: boolean;
}

export interface Run {
  readonly engine: Pick<ServedEngine, 'decode' | 'promptLogprobs'>;
  readonly kind: LaneKind;
  /** Of choices that do not say. */
  readonly draftLength: DraftLength;
  readonly signal: AbortSignal;
  /** Called with what each choice cost, also when it was cancelled. */
  readonly onResult: (result: DecodeResult) => void;
}

/** The answer as a whole. Throws why it was aborted, if it was. */
export async function wholeAnswer(generation: Generation, run: Run): Promise<object> {
  const outcomes: Outcome[] = [];
  for (const choice of generation.choices) {
    const promptLogprobs = await promptLogprobsOf(choice, run);
    const outcome = await outcomeOf(choice, run, () => Promise.resolve());
    outcomes.push({ ...outcome, promptLogprobs });
  }
  return generation.whole(outcomes);
}

/** Never rejects: what goes wrong becomes the last event, and `onDefect` learns of what nobody can put right. */
export async function streamAnswer(
  generation: Generation,
  run: Run,
  events: EventStream,
  onDefect: (error: unknown) => void,
): Promise<void> {
  try {
    const outcomes: Outcome[] = [];
    for (const choice of generation.choices) {
      const promptLogprobs = await promptLogprobsOf(choice, run);
      if (generation.opening) await events.send(generation.opening(choice, promptLogprobs));
      const onPiece = (piece: Piece, decode: Decode): Promise<void> =>
        events.send(generation.piece(choice, piece, decode));
      const outcome = await outcomeOf(choice, run, onPiece);
      outcomes.push(outcome);
      await events.send(generation.closing(outcome));
    }
    if (generation.trailer) await events.send(generation.trailer(outcomes));
    if (generation.done) await events.send('[DONE]');
  } catch (cause) {
    const error = httpError(cause);
    if (error.status === 500) onDefect(cause);
    await events.send(errorBody(error));
  } finally {
    events.close();
  }
}

/** The models were replaced or freed while they decoded. */
function modelsGone(): HttpError {
  return new HttpError(503, {
    message: 'Expected a model until the end of the output, got none; try again',
    type: 'unavailable_error',
    code: 'model_not_available',
  });
}

async function promptLogprobsOf({ promptIds, promptLogprobs }: Choice, { engine, kind, signal }: Run) {
  if (promptLogprobs === undefined) return undefined;
  try {
    return await engine.promptLogprobs?.(promptIds, { count: promptLogprobs, kind, signal });
  } catch (error) {
    throw error === 'superseded' ? modelsGone() : error;
  }
}

async function outcomeOf(
  choice: Choice,
  { engine, kind, draftLength, signal, onResult }: Run,
  onPiece: (piece: Piece, decode: Decode) => Promise<void>,
): Promise<Outcome> {
  const { promptIds, request, promptOnly, filter, lineEnd = '\n' } = choice;
  const decode = engine.decode(promptIds, { draftLength, ...request, kind, signal });
  let text = '';
  const emit = async (given: Piece): Promise<void> => {
    const piece = { ...given, text: given.text.replaceAll('\n', lineEnd) };
    text += piece.text;
    if (piece.text !== '' || piece.logprobs) await onPiece(piece, decode);
  };
  try {
    for await (const chunk of decode) {
      if (promptOnly) continue;
      const piece = filter ? { ...chunk, text: filter.push(chunk.text) } : chunk;
      await emit(piece);
      if (filter?.ended) break;
    }
    signal.throwIfAborted();
    if (filter && !promptOnly) await emit({ text: filter.flush(), tokens: [] });
  } finally {
    onResult(decode.result);
  }
  const { result } = decode;
  if (!filter?.ended && ['cancelled', 'superseded'].includes(result.finishReason)) throw modelsGone();
  const isCut = filter?.ended ?? false;
  const finish = isCut || promptOnly || result.finishReason === 'length' ? 'length' : 'stop';
  return { choice, text, finish, result };
}
