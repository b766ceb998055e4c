// A loaded pair, ready to decode. It works on tokens and text; documents and protocol messages belong to its
// callers.
import { UserError, WrongValue } from '../rules/userError';
import { bufferCache, peakMemoryBytes } from '../models/mlx/bufferCache';
import type { DeviceName } from '../models/mlx/device';
import type { ReloadingTemplate } from '../models/text/reloadingTemplate';
import type { ChatTemplate } from '../models/text/chatTemplate';
import type { Drafter } from '../models/drafters/drafter';
import type { TargetConfig, TargetModel } from '../models/decoder/target';
import { requireTokenIds } from '../models/mlx/tokenArray';
import type { PromptPart, Tokenizer } from '../models/text/tokenizer';
import { requireRequest, type Decode, type DecodeRequest } from './decode/decode';
import { Scheduler } from './scheduler';
import { loadPair, type PairFiles, type LoadedPair } from './loadPair';
import type { ProfileSnapshot } from './draftLength/profile';
import { QueueTicket } from './request/queueTicket';
import type { NumberType } from '../rules/nearTieGap';
import { PromptCache, type CacheLimits } from './promptCache';
import { PromptReader, type PromptLogprobsRequest } from './decode/promptLogprobs';
import type { TokenLogprobs } from './sampling/sampler';
import { createSampler } from './sampling/createSampler';
import { samplingOf } from './request/sampling';
import { DecodeSession } from './decode/decodeSession';
import { Speculation } from './draftLength/speculation';

export interface EngineOptions extends PairFiles {
  /**
   * Budget of the prompt cache in bytes; 0, the default, keeps no prompts after their decode, so a prompt can continue
   * only from one that is being decoded.
   */
  readonly cacheBytes?: number | undefined;
  /** Measurements of an earlier process with the same pair on this machine. */
  readonly profile?: ProfileSnapshot | undefined;
  /** Shared by all engines of a process, as they compute on one device; by default a new one. */
  readonly scheduler?: Scheduler | undefined;
}

/** Limits of the prompt cache that can depend on the size of the loaded models. */
export interface CacheBudget extends CacheLimits {
  /** Maximum bytes as a share of the memory that the process took to load its models; unlimited by default. */
  readonly modelShare?: number | undefined;
}

export class Engine {
  readonly target: TargetModel;
  readonly tokenizer: Tokenizer | undefined;
  readonly device: DeviceName;
  readonly numberType: NumberType;
  /** Whether greedy decodes report log-probabilities if a request has `greedyLogprobs`. */
  readonly greedyLogprobs: boolean = true;
  readonly #chatTemplate: ReloadingTemplate;
  readonly #scheduler: Scheduler;
  /** Aborts all decodes when the engine is disposed. */
  readonly #closing = new AbortController();
  readonly #promptCache: PromptCache;
  /** Peak memory of the process once the models were loaded, in bytes. */
  readonly #loadedBytes = peakMemoryBytes();
  readonly drafter: Drafter | undefined;
  /** Error of a drafter that cannot be used and was left out; undefined if it can be, or if none was requested. */
  readonly drafterProblem: UserError | undefined;
  /** Expected prefill speed (tokens/ms) before the first prefill; undefined if there is no estimate. */
  readonly expectedPrefillSpeed: number | undefined;
  readonly #speculation: Speculation;
  #newestPrefetch: AbortController | undefined;

  private constructor(models: LoadedPair, options: EngineOptions) {
    const { cacheBytes = 0, profile, scheduler = new Scheduler() } = options;
    const { target, drafter, noDrafterReason, tokenizer, chatTemplate } = models;
    this.target = target;
    this.#scheduler = scheduler;
    this.tokenizer = tokenizer;
    this.device = models.device;
    this.numberType = models.numberType;
    this.#chatTemplate = chatTemplate;
    this.drafter = drafter;
    this.drafterProblem = models.drafterProblem;
    this.expectedPrefillSpeed = models.expectedPrefillSpeed;
    this.#speculation = new Speculation(drafter, profile, noDrafterReason, models.rowFacts);
    this.#promptCache = new PromptCache(target, { bytes: cacheBytes });
  }

  /**
   * Loads a pair, without the drafter if that cannot be used. Throws UserError for anything wrong with the other files,
   * and then keeps nothing in memory.
   */
  static async load(options: EngineOptions): Promise<Engine> {
    return new Engine(await loadPair(options), options);
  }

  get config(): TargetConfig {
    return this.target.config;
  }

  /** Maximum number of tokens that the drafter proposes per round; 0 without a drafter. */
  get maxDraftTokens(): number {
    return this.drafter?.maxDraftTokens ?? 0;
  }

  /** Bytes in the prompt cache, without those that running decodes have borrowed. */
  get promptCacheBytes(): number {
    return this.#promptCache.bytes;
  }

  /** Changes the budget of the prompt cache and returns the excess to the system. */
  resizeCache({ bytes, prompts, modelShare = Infinity }: CacheBudget): void {
    this.#promptCache.resize({ prompts, bytes: Math.min(bytes, modelShare * this.#loadedBytes) });
    bufferCache?.trim();
  }

  /** Encodes a prompt in which special tokens are spelled out. Throws UserError without a tokenizer. */
  encodePrompt(text: string): number[] {
    if (this.tokenizer) return this.tokenizer.encodePrompt(text);
    throw missingTokenizer('Add it, or give token ids.');
  }

  /** Whether conversations can be encoded: there are a tokenizer and a chat template that works. */
  get hasChatTemplate(): boolean {
    return this.tokenizer !== undefined && this.#chatTemplate.isUsable;
  }

  /** Renders a conversation with the chat template; undefined if the model has none that can be used. */
  renderChat(...conversation: Parameters<ChatTemplate['render']>): readonly PromptPart[] | undefined {
    return this.tokenizer && this.#chatTemplate.render(...conversation);
  }

  /** Encodes a conversation as `renderChat` renders it; undefined if that is undefined. */
  encodeChat(...conversation: Parameters<ChatTemplate['render']>): number[] | undefined {
    const parts = this.renderChat(...conversation);
    return parts && this.tokenizer?.encodeParts(parts);
  }

  /** Reason why the model's chat template cannot be used; undefined if it can, or if there is none. */
  get chatProblem(): UserError | undefined {
    return this.#chatTemplate.problem;
  }

  /** Source of the model's chat template; undefined without a working template. */
  get chatTemplateText(): string | undefined {
    return this.#chatTemplate.source;
  }

  /** Starts a decode after `promptIds`. Throws immediately, as `requireDecodable` does. */
  decode(promptIds: readonly number[], request: DecodeRequest): Decode {
    const maxTokens = this.requireDecodable(promptIds, request);
    const sampling = samplingOf(request.sampling);
    const { kind, draftLength = 'full' } = request;
    const isEdit = kind === 'nextEdit';
    const prefetch = kind === 'prefetch' ? new AbortController() : undefined;
    // A new request on any connection ends the running prefetch. A next edit does not, as the scheduler runs its steps
    // before those of the prefetch.
    if (!isEdit) {
      this.#newestPrefetch?.abort('superseded');
      this.#newestPrefetch = prefetch;
    }
    const parts = {
      ...this.#speculation.plan(draftLength, sampling, promptIds.length + maxTokens, isEdit),
      target: this.target,
      tokenizer: this.tokenizer,
      sampler: createSampler(sampling, this.drafter?.maskTokenId, request.greedyLogprobs),
      seed: sampling.temperature > 0 ? sampling.seed : undefined,
      device: this.device,
      scheduler: this.#scheduler,
      signals: [this.#closing.signal, prefetch?.signal],
      onPrefill: (tokens: number, ms: number) => {
        this.#speculation.profile.recordPrefill(tokens, ms);
      },
    };
    const promptCache = request.fresh ? new PromptCache(this.target, { bytes: 0 }) : this.#promptCache;
    return new DecodeSession(parts, promptIds, { ...request, maxTokens }, promptCache);
  }

  /**
   * Returns the maximum number of output tokens. Throws UserError for a prompt, or for options of a request, that the
   * model cannot decode, RangeError as `requireRequest` does, and Error once the engine is disposed.
   */
  requireDecodable(promptIds: readonly number[], request: DecodeRequest): number {
    if (this.#closing.signal.aborted) throw new Error('The engine was disposed. Load the model again.');
    requireRequest(request);
    const room = this.#requirePrompt(promptIds);
    if (request.stopStrings?.length && !this.tokenizer) throw missingTokenizer('Leave the stop strings out.');
    const { forbiddenTokens = [], logitBias = [] } = request.sampling ?? {};
    const biasedTokens = logitBias.map(([token]) => token);
    const { vocabSize } = this.target.config;
    if (forbiddenTokens.length > 0) requireTokenIds(forbiddenTokens, vocabSize, 'forbiddenTokens');
    if (biasedTokens.length > 0) requireTokenIds(biasedTokens, vocabSize, 'logitBias');
    return Math.min(request.maxTokens, room);
  }

  /** Computes log-probabilities of the prompt's tokens after the first. Throws UserError for an invalid prompt. */
  async promptLogprobs(
    promptIds: readonly number[],
    request: PromptLogprobsRequest,
  ): Promise<TokenLogprobs[]> {
    this.#requirePrompt(promptIds);
    const signal = AbortSignal.any([this.#closing.signal, ...(request.signal ? [request.signal] : [])]);
    const reader = new PromptReader(this.target, this.device, this.#scheduler, promptIds);
    return await reader.logprobs({ ...request, signal });
  }

  /** Throws UserError for a prompt that cannot be decoded; returns the number of tokens that fit after it. */
  #requirePrompt(promptIds: readonly number[]): number {
    const { vocabSize, maxPositionEmbeddings } = this.target.config;
    requireTokenIds(promptIds, vocabSize);
    const room = maxPositionEmbeddings - promptIds.length;
    if (room > 0) return room;
    throw new WrongValue({
      expected: `a prompt of fewer than ${String(maxPositionEmbeddings)} tokens`,
      got: String(promptIds.length),
      remedy: 'shorten the prompt',
    });
  }

  /** Measurements of the pair so far, for the next process. */
  get profile(): ProfileSnapshot {
    return this.#speculation.profile.snapshot();
  }

  /** Recent prefill speed (tokens/ms); undefined until this or an earlier process measured a long prefill pass. */
  get prefillSpeed(): number | undefined {
    return this.#speculation.profile.prefillSpeed;
  }

  /** Ends all decodes as superseded, waits for the running step to end and frees the weights. */
  async dispose(): Promise<void> {
    this.#closing.abort('superseded');
    const release = await this.#scheduler.acquire(new QueueTicket('inline'));
    try {
      this.#promptCache.dispose();
      this.drafter?.dispose();
      this.target.dispose();
    } finally {
      release();
    }
  }
}

function missingTokenizer(remedy: string): UserError {
  return new UserError(`The target directory has no tokenizer.json. ${remedy}`);
}
