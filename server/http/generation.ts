// Runs what an endpoint wants generated: choice after choice through the engine, as one answer or as a stream of
// events. What they look like is up to the endpoint; when they may run is up to the admission.
import { healedLimits, RemovedText, type HealedPrompt } from '../completion/text/healing';
import type { LineEnd } from '../completion/prompt/context';
import type { DecodeChunk, DecodeRequest, DecodeResult, DraftLength } from '../engine/decode/decode';
import type { QueuePlace } from '../engine/request/queuePlace';
import { severalSeeds } from '../engine/request/sampling';
import type { TokenLogprobs } from '../engine/sampling/sampler';
import type { ServedEngine } from '../hosting/loadedModel';
import { errorBody, HttpError, httpError, withoutModel } from './httpError';
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
  readonly engine: Pick<ServedEngine, 'decode' | 'promptLogprobs' | 'tokenizer'>;
  readonly place: QueuePlace;
  readonly signal: AbortSignal;
}

/** The answer as a whole. Throws why it was aborted, if it was. */
export async function wholeAnswer(generation: Generation, run: Run): Promise<object> {
  return generation.whole(await outcomesOf(generation, run));
}

/** What goes wrong becomes the last event. */
export async function streamAnswer(generation: Generation, run: Run, events: EventStream): Promise<void> {
  try {
    const outcomes = await outcomesOf(generation, run, events);
    if (generation.trailer) await events.send(generation.trailer(outcomes));
    if (generation.done) await events.send('[DONE]');
  } catch (cause) {
    const error = httpError(cause);
    if (error.status === 500) run.onDefect(cause);
    await events.send(errorBody(error));
  } finally {
    events.close();
  }
}

/** What may wait for a reader: below that, a decode goes on at once, and does not lose its turn. */
const BUFFER_BYTES = 65_536;

/** A client that does not read keeps others from being served. */
const READ_MS = 30_000;

/** Server-sent events, one at a time: the writer waits for a slow reader, so that nothing piles up in memory. */
export class EventStream {
  /** Of the answer. */
  readonly body: ReadableStream<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #transform: TransformStreamDefaultController<Uint8Array> | undefined;

  /** `mostMs` is for a reader to take something. */
  constructor(private readonly mostMs = READ_MS) {
    const waiting = new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES });
    const start = (controller: TransformStreamDefaultController<Uint8Array>) =>
      void (this.#transform = controller);
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({ start }, waiting);
    this.body = readable;
    this.#writer = writable.getWriter();
  }

  /** Resolves once the reader takes more, or has gone. Throws HttpError for one that takes nothing for long. */
  async send(event: object | '[DONE]'): Promise<void> {
    const data = typeof event === 'string' ? event : JSON.stringify(event);
    this.#writer.write(Buffer.from(`data: ${data}\n\n`)).catch(nobodyReads);
    if ((this.#writer.desiredSize ?? BUFFER_BYTES) > 0) return;
    const late = setTimeout(() => {
      const message = 'Expected a client that reads, got none; read the answer';
      // The body fails at once, and its connection is closed; to abort the writer would wait for a reader.
      this.#transform?.error(new HttpError(408, message, { code: 'client_closed_request' }));
    }, this.mostMs);
    try {
      await this.#writer.ready;
    } catch (error) {
      if (error instanceof HttpError) throw error;
    } finally {
      clearTimeout(late);
    }
  }

  close(): void {
    this.#writer.close().catch(nobodyReads);
  }
}

function nobodyReads(): void {
  // Nothing is lost then.
}

/** Of each choice, shown as it comes where there is a stream. */
async function outcomesOf(generation: Generation, run: Run, events?: EventStream): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const choice of generation.choices) {
    const promptLogprobs = await promptLogprobsOf(choice, run);
    if (generation.opening) await events?.send(generation.opening(choice, promptLogprobs));
    const onPiece: OnPiece = async (cost, piece) => {
      const isSeen = piece.text !== '' || piece.logprobs?.length;
      if (isSeen || (generation.allTokens && piece.tokens.length > 0))
        await events?.send(generation.piece(cost, piece));
    };
    const outcome = { ...(await outcomeOf(choice, run, onPiece)), promptLogprobs };
    outcomes.push(outcome);
    await events?.send(generation.closing(outcome));
  }
  return outcomes;
}

/** The models were replaced or freed while they decoded. */
function modelsGone(): HttpError {
  return withoutModel('Expected a model until the end of the output, got none; try again');
}

async function promptLogprobsOf({ promptIds, promptLogprobs }: Choice, { engine, place, signal }: Run) {
  if (promptLogprobs === undefined) return undefined;
  try {
    return await engine.promptLogprobs?.(promptIds, { count: promptLogprobs, place, signal });
  } catch (error) {
    throw error === 'superseded' ? modelsGone() : error;
  }
}

type OnPiece = (cost: Cost, piece: Piece) => Promise<void>;

async function outcomeOf(choice: Choice, run: Run, onPiece: OnPiece): Promise<Outcome> {
  const first = choice.healed && (await continued(choice, choice.healed, run, onPiece));
  if (first?.goesOn) return first;
  const outcome = await continued(choice, { ids: choice.promptIds, removed: '' }, run, onPiece);
  return first ? { ...outcome, result: withCost(outcome.result, first.result) } : outcome;
}

/** `goesOn` is false, and nothing was emitted, if the output does not begin with what was removed. */
async function continued(
  choice: Choice,
  prompt: HealedPrompt,
  run: Run,
  onPiece: OnPiece,
): Promise<Outcome & { readonly goesOn: boolean }> {
  const { promptOnly = false, filter, lineEnd = '\n' } = choice;
  const { signal, wantsStats } = run;
  const decode = decodeOf(choice, prompt, run);
  const heal = new RemovedText(prompt.removed, run.engine.tokenizer);
  let [text, goesOn] = ['', true];
  const emit = async (given: Piece): Promise<void> => {
    const piece = { ...given, text: given.text.replaceAll('\n', lineEnd) };
    text += piece.text;
    await onPiece({ choice, result: decode.result, skipped: heal.skipped, wantsStats }, piece);
  };
  try {
    for await (const chunk of decode) {
      if (promptOnly) continue;
      const rest = heal.without(chunk);
      goesOn = rest !== undefined;
      if (rest === undefined) break;
      await emit(filter ? { ...rest, text: filter.push(rest.text) } : rest);
      if (filter?.ended) break;
    }
    signal.throwIfAborted();
    goesOn &&= promptOnly || heal.missing === '';
    if (filter && goesOn && !promptOnly) await emit({ text: filter.flush(), tokens: [] });
  } finally {
    if (decode.isOwn) run.metrics.decoded(decode.result);
  }
  const { result } = decode;
  const isCut = filter?.ended ?? false;
  const isGone = ['cancelled', 'superseded'].includes(result.finishReason);
  // What is only read ends with the next request, and has been read so far.
  if (isGone && goesOn && !isCut && !promptOnly) throw modelsGone();
  const finish = isCut || promptOnly || result.finishReason === 'length' ? 'length' : 'stop';
  return { choice, text, finish, result, skipped: heal.skipped, wantsStats, goesOn };
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
  { engine, shared, place, draftLength, signal }: Run,
): ReadDecode {
  const own = {
    draftLength,
    ...request,
    ...healedLimits(request, removed, engine.tokenizer),
    kind: place.kind,
    place,
    signal,
  };
  return shared.decode(engine, ids, own, removed);
}
