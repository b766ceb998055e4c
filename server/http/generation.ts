// Runs what an endpoint wants generated: choice after choice through the engine, as one answer or as a stream of
// events. What they look like is up to the endpoint; when they may run is up to the admission.
import { healedLimits, type HealedPrompt } from '../completion/prompt/healedDecode';
import type { LineEnd } from '../completion/prompt/lineEnds';
import { RemovedText } from '../completion/prompt/removedText';
import type { DecodeChunk, DecodeRequest, DecodeResult, DraftLength } from '../engine/decode/decode';
import type { QueueTicket } from '../engine/request/queueTicket';
import { severalSeeds } from '../engine/request/sampling';
import type { TokenLogprobs } from '../engine/sampling/sampler';
import type { ServedEngine } from '../hosting/model';
import { AlignedLogprobs, type SentLogprobs } from './alignedLogprobs';
import { errorBody, type HttpError, httpError, withoutModel } from './httpError';
import type { Metrics } from './metrics';
import type { ReadDecode, SharedDecodes } from './sharedDecodes';
import type { WireRequest } from './wireRequest';

/** One text to generate. */
export interface Choice {
  readonly index: number;
  readonly promptIds: readonly number[];
  /** A prompt to be tried first, which leaves out the last characters: its output must begin with them. */
  readonly healed?: HealedPrompt | undefined;
  readonly request: DecodeRequest;
  /** How many of the most probable tokens to tell at each position of the prompt; undefined for nothing of it. */
  readonly promptLogprobs?: number | undefined;
  /** The prompt is read, and its output thrown away. */
  readonly promptOnly?: boolean | undefined;
  readonly filter?: TextFilter | undefined;
  /** In place of each \n of the output; \n if absent. */
  readonly lineEnd?: LineEnd | undefined;
}

/** What the texts of a prompt have in common. */
export type ReadPrompt = Omit<Choice, 'index' | 'request'>;

/** Of several texts for each of several prompts. They have seeds that count up, and numbers as in OpenAI's API. */
export function choices(prompts: readonly ReadPrompt[], n: number, request: WireRequest): Choice[] {
  const samplings = severalSeeds(request.sampling, n);
  return prompts.flatMap((prompt, i) =>
    samplings.map((sampling, j) => ({ ...prompt, index: i * n + j, request: { ...request, sampling } })),
  );
}

/** Takes an output piece by piece, and gives back what belongs to the text, as far as that is certain. */
export interface TextFilter {
  /** Whether the output is to end here. */
  readonly ended?: boolean;
  push(piece: string): string;
  /** What was held back, once the output has ended. */
  flush(): string;
  /** The thinking before the text that was read since the last call. */
  takeThinking?(): string;
}

/** An output, also one that goes on. */
export interface Cost {
  readonly choice: Choice;
  readonly result: DecodeResult;
  /** Tokens that begin the output but stand before the cursor. */
  readonly skipped: number;
  /** Whether the client wants our own statistics too. */
  readonly wantsStats: boolean;
}

export interface Outcome extends Cost {
  readonly text: string;
  readonly finish: 'stop' | 'length';
  /** Log-probabilities of the text's tokens; undefined if not requested. */
  readonly logprobs?: readonly SentLogprobs[] | undefined;
  readonly promptLogprobs?: readonly TokenLogprobs[] | undefined;
}

/** Text that became certain, with the tokens it came with and the log-probabilities of those whose text is complete. */
export interface Piece extends Pick<DecodeChunk, 'text' | 'tokens'> {
  readonly logprobs?: readonly SentLogprobs[] | undefined;
  /** Thinking, which is not part of the text. */
  readonly thinking?: string | undefined;
}

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
  readonly piece: (cost: Cost, piece: Piece) => object;
  readonly closing: (outcome: Outcome) => object;
  readonly trailer?: ((outcomes: readonly Outcome[]) => object) | undefined;
  /** Whether the stream ends with OpenAI's mark. */
  readonly done: boolean;
  /** Whether tokens without text, as that at the end, have an event too. */
  readonly allTokens?: boolean;
}

/** What all requests share. */
export interface RunParts {
  readonly shared: SharedDecodes;
  /** Of choices that do not say. */
  readonly draftLength: DraftLength;
  /** Told what each choice cost, also when it was cancelled. */
  readonly metrics: Metrics;
  /** For defects: never any text of a request. */
  readonly onDefect: (error: unknown) => void;
}

interface Run extends RunParts, Pick<Cost, 'wantsStats'> {
  readonly engine: Pick<ServedEngine, 'config' | 'decode' | 'promptLogprobs' | 'tokenizer'>;
  readonly ticket: QueueTicket;
  readonly signal: AbortSignal;
}

/** The last one of OpenAI's is a mark. */
type Events<T> = AsyncGenerator<object | '[DONE]', T, undefined>;

/** The answer as a whole. Throws why it was aborted, if it was. */
export async function wholeAnswer(generation: Generation, run: Run): Promise<object> {
  const events = eventsOf(generation, run);
  for (;;) {
    const { done, value } = await events.next();
    if (done) return generation.whole(value);
  }
}

/** The events of a stream. What goes wrong becomes the last one. */
export async function* streamAnswer(generation: Generation, run: Run, onEnd: () => void): Events<void> {
  try {
    const outcomes = yield* eventsOf(generation, run);
    if (generation.trailer) yield generation.trailer(outcomes);
    if (generation.done) yield '[DONE]';
  } catch (cause) {
    const error = httpError(cause);
    if (error.status === 500) run.onDefect(cause);
    yield errorBody(error);
  } finally {
    onEnd();
  }
}

/** What may wait for a reader: below that, a decode goes on at once, and does not lose its turn. */
const BUFFER_BYTES = 65_536;

/** A client that does not read keeps others from being served. */
const READ_MS = 30_000;

/**
 * Server-sent events: the next one waits for a slow reader, so that nothing piles up in memory. `onStill` is called for one
 * that takes nothing for `mostMs`.
 */
export function eventStream(
  events: Events<void>,
  onStill: () => void,
  mostMs = READ_MS,
): ReadableStream<Uint8Array> {
  let still: NodeJS.Timeout | undefined;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    clearTimeout(still);
    const { done, value } = await events.next();
    if (done) return controller.close();
    const data = typeof value === 'string' ? value : JSON.stringify(value);
    still = setTimeout(onStill, mostMs);
    controller.enqueue(Buffer.from(`data: ${data}\n\n`));
  };
  const cancel = async (): Promise<void> => {
    clearTimeout(still);
    await events.return();
  };
  return new ReadableStream({ pull, cancel }, new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES }));
}

/** Of each choice as it comes, where there is a stream; returns the outcomes. */
async function* eventsOf(generation: Generation, run: Run): Events<Outcome[]> {
  const { stream, opening, closing } = generation;
  const outcomes: Outcome[] = [];
  for (const choice of generation.choices) {
    const promptLogprobs = await promptLogprobsOf(choice, run);
    if (stream && opening) yield opening(choice, promptLogprobs);
    const outcome = { ...(yield* outcomeOf(choice, run, generation)), promptLogprobs };
    outcomes.push(outcome);
    if (stream) yield closing(outcome);
  }
  return outcomes;
}

/** The models were replaced or freed while they decoded. */
function modelsGone(): HttpError {
  return withoutModel('Expected a model until the end of the output, got none; try again');
}

async function promptLogprobsOf({ promptIds, promptLogprobs }: Choice, { engine, ticket, signal }: Run) {
  if (promptLogprobs === undefined) return undefined;
  try {
    return await engine.promptLogprobs?.(promptIds, { count: promptLogprobs, ticket, signal });
  } catch (error) {
    throw error === 'superseded' ? modelsGone() : error;
  }
}

async function* outcomeOf(choice: Choice, run: Run, generation: Generation): Events<Outcome> {
  const first = choice.healed && (yield* continued(choice, choice.healed, run, generation));
  if (first?.goesOn) return first;
  const outcome = yield* continued(choice, { ids: choice.promptIds, removed: '' }, run, generation);
  return first ? { ...outcome, result: withCost(outcome.result, first.result) } : outcome;
}

/** `goesOn` is false, and there was no event, if the output does not begin with what was removed. */
async function* continued(
  choice: Choice,
  prompt: HealedPrompt,
  run: Run,
  { stream, piece: eventOf, allTokens }: Generation,
): Events<Outcome & { readonly goesOn: boolean }> {
  const { promptOnly = false, filter, lineEnd = '\n' } = choice;
  const { signal, wantsStats } = run;
  const decode = decodeOf(choice, prompt, run);
  const heal = new RemovedText(prompt.removed, run.engine.tokenizer);
  const aligned = alignedLogprobs(choice, prompt, run.engine);
  const sent: SentLogprobs[] = [];
  let [text, goesOn] = ['', true];
  const told = function* (given: Piece): Generator<object> {
    const thinking = filter?.takeThinking?.() ?? '';
    const piece = { ...given, thinking, text: given.text.replaceAll('\n', lineEnd) };
    text += piece.text;
    const { logprobs = [], tokens } = piece;
    sent.push(...logprobs);
    const isSeen =
      piece.text + thinking !== '' || logprobs.length > 0 || (allTokens === true && tokens.length > 0);
    if (stream && isSeen)
      yield eventOf({ choice, result: decode.result, skipped: heal.skipped, wantsStats }, piece);
  };
  try {
    for await (const chunk of decode) {
      if (promptOnly) continue;
      aligned?.push(chunk);
      const rest = heal.without(chunk);
      goesOn = rest !== undefined;
      if (rest === undefined) break;
      const certain = filter ? filter.push(rest.text) : rest.text;
      yield* told({ tokens: rest.tokens, text: certain, logprobs: aligned?.take(heal.skipped) });
      if (filter?.ended) break;
    }
    signal.throwIfAborted();
    goesOn &&= promptOnly || heal.missing === '';
    if (goesOn && !promptOnly)
      yield* told({ text: filter?.flush() ?? '', tokens: [], logprobs: aligned?.takeRest(heal.skipped) });
  } finally {
    if (decode.isOwn) run.metrics.decoded(decode.result);
  }
  const { result } = decode;
  const isCut = filter?.ended ?? false;
  const isGone = ['cancelled', 'superseded'].includes(result.finishReason);
  // What is only read ends with the next request, and has been read so far.
  if (isGone && goesOn && !isCut && !promptOnly) throw modelsGone();
  const finish = isCut || promptOnly || result.finishReason === 'length' ? 'length' : 'stop';
  const logprobs = aligned && sent;
  return { choice, text, finish, result, logprobs, skipped: heal.skipped, wantsStats, goesOn };
}

/** Returns undefined if no log-probabilities are requested. */
function alignedLogprobs(
  { request }: Choice,
  { ids }: HealedPrompt,
  { config, tokenizer }: Run['engine'],
): AlignedLogprobs | undefined {
  if (request.sampling?.logprobs === undefined || tokenizer === undefined) return undefined;
  const endTokenIds = [...config.eosTokenIds, ...(request.stopTokenIds ?? [])];
  return new AlignedLogprobs({ ...request, endTokenIds }, tokenizer, ids);
}

/** The result with what the attempt before it has cost. */
function withCost(result: DecodeResult, { stats: before }: DecodeResult): DecodeResult {
  const { stats } = result;
  return {
    ...result,
    stats: {
      ...stats,
      reusedTokens: Math.min(stats.reusedTokens, before.reusedTokens),
      prefillMs: before.prefillMs + before.decodeMs + stats.prefillMs,
      queuedMs: before.queuedMs + stats.queuedMs,
      timeToFirstTokenMs: before.timeToFirstTokenMs + stats.timeToFirstTokenMs,
    },
  };
}

function decodeOf(
  { request }: Choice,
  { ids, removed }: HealedPrompt,
  { engine, shared, ticket, draftLength, signal }: Run,
): ReadDecode {
  const own = {
    draftLength,
    ...request,
    ...healedLimits(request, removed, engine.tokenizer),
    kind: ticket.kind,
    ticket,
    signal,
  };
  return shared.decode(engine, ids, own, removed);
}
