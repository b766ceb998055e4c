// Owns a loaded pair and decodes with it. Knows tokens and text; documents and messages are not its business.
import { InputError } from '../rules/inputError';
import { bufferCache, type DeviceName } from '../models/mlx/device';
import type { OwnTemplate } from '../models/text/ownTemplate';
import type { ChatTemplate } from '../models/text/chatTemplate';
import type { Drafter } from '../models/drafters/drafter';
import type { TargetConfig, TargetModel } from '../models/decoder/target';
import { requireTokenIds } from '../models/mlx/tokenArray';
import type { PromptPart, Tokenizer } from '../models/text/tokenizer';
import { requireRequest, type Decode, type DecodeRequest } from './decode/decode';
import { turn } from './scheduler';
import { QueuePlace } from './request/queuePlace';
import { loadPairModels, type PairFiles, type PairModels } from './pairModels';
import type { ProfileSnapshot } from './draftLength/profile';
import type { NumberType } from '../rules/nearTieGap';
import { PromptCache, type CacheBudget } from './promptCache';
import { promptLogprobs, type PromptLogprobsRequest } from './decode/prefill';
import type { TokenLogprobs } from './sampling/sampler';
import { samplerOf } from './sampling/samplerOf';
import { samplingOf } from './request/sampling';
import { DecodeSession } from './decode/session';
import { Speculation } from './draftLength/speculation';

export interface EngineOptions extends PairFiles {
  /** Budget for what the models have read, so that a common beginning is not read again; by default nothing is kept. */
  readonly cacheBytes?: number | undefined;
  /** What an earlier process has measured with the same pair on this machine. */
  readonly profile?: ProfileSnapshot | undefined;
}

export class Engine {
  readonly target: TargetModel;
  readonly tokenizer: Tokenizer | undefined;
  readonly device: DeviceName;
  readonly numberType: NumberType;
  readonly #chatTemplate: OwnTemplate;
  /** Ends all decodes. */
  readonly #closing = new AbortController();
  readonly #promptCache: PromptCache;
  readonly drafter: Drafter | undefined;
  readonly #speculation: Speculation;
  #newestPrefetch: AbortController | undefined;

  private constructor(models: PairModels, { cacheBytes = 0, profile }: EngineOptions) {
    const { target, drafter, missing, tokenizer, chatTemplate } = models;
    this.target = target;
    this.tokenizer = tokenizer;
    this.device = models.device;
    this.numberType = models.numberType;
    this.#chatTemplate = chatTemplate;
    this.drafter = drafter;
    this.#speculation = new Speculation(drafter, profile, missing, models.rowCost);
    this.#promptCache = new PromptCache(target, { bytes: cacheBytes });
  }

  /** Loads a pair. Throws InputError for anything wrong with the files; nothing stays in memory then. */
  static async load(options: EngineOptions): Promise<Engine> {
    return new Engine(await loadPairModels(options), options);
  }

  get config(): TargetConfig {
    return this.target.config;
  }

  /** The maximum number of tokens that the drafter proposes at a time; 0 without one. */
  get maxDraftTokens(): number {
    return this.drafter?.maxDraftTokens ?? 0;
  }

  /** Bytes kept for texts that no request is working on. */
  get promptCacheBytes(): number {
    return this.#promptCache.bytes;
  }

  /** Another budget for what is kept; what exceeds it goes back to the system. */
  resizeCache(budget: CacheBudget): void {
    this.#promptCache.resize(budget);
    bufferCache?.trim();
  }

  /** Token ids of a prompt whose special tokens are spelled out. Throws InputError without a tokenizer. */
  encodePrompt(text: string): number[] {
    if (this.tokenizer) return this.tokenizer.encodePrompt(text);
    throw withoutTokenizer('add it, or give token ids');
  }

  /** A conversation in the model's own form; undefined when it has no chat template for that. */
  chatParts(...conversation: Parameters<ChatTemplate>): readonly PromptPart[] | undefined {
    return this.tokenizer && this.#chatTemplate.parts(...conversation);
  }

  /** Token ids of that. */
  encodeChat(...conversation: Parameters<ChatTemplate>): number[] | undefined {
    const parts = this.chatParts(...conversation);
    return parts && this.tokenizer?.encodeParts(parts);
  }

  /** Why the model's chat template cannot be used, where it has one. */
  get chatProblem(): InputError | undefined {
    return this.#chatTemplate.problem;
  }

  /** The text of the model's chat template in its files. */
  get chatTemplateText(): string | undefined {
    return this.#chatTemplate.source;
  }

  /** Decodes after `promptIds`. Throws InputError at once for a prompt that cannot be decoded. */
  decode(promptIds: readonly number[], request: DecodeRequest): Decode {
    if (this.#closing.signal.aborted)
      throw new Error('Expected a loaded engine, got a disposed one; load it again');
    requireRequest(request);
    const room = this.requirePrompt(promptIds);
    if (request.stopStrings?.length && !this.tokenizer) throw withoutTokenizer('leave the stop strings out');
    const { kind, draftLength = 'full' } = request;
    const maxTokens = Math.min(request.maxTokens, room);
    const sampling = samplingOf(request.sampling);
    const steered = [...sampling.forbiddenTokens, ...sampling.logitBias.map(([token]) => token)];
    if (steered.length > 0) requireTokenIds(steered, this.target.config.vocabSize);
    // Prefetching ends with the next request of any kind, on any connection.
    this.#newestPrefetch?.abort('superseded');
    this.#newestPrefetch = kind === 'prefetch' ? new AbortController() : undefined;
    const parts = {
      ...this.#speculation.of(draftLength, sampling, promptIds.length + maxTokens),
      target: this.target,
      tokenizer: this.tokenizer,
      sampler: samplerOf(sampling, this.drafter?.maskTokenId, request.tellsProbabilities),
      seed: sampling.temperature > 0 ? sampling.seed : undefined,
      device: this.device,
      signals: [this.#closing.signal, this.#newestPrefetch?.signal],
      onPrefill: (tokens: number, ms: number) => {
        this.#speculation.profile.recordPrefill(tokens, ms);
      },
    };
    const promptCache = request.fresh ? new PromptCache(this.target, { bytes: 0 }) : this.#promptCache;
    return new DecodeSession(parts, promptIds, { ...request, maxTokens }, promptCache);
  }

  /** The log-probabilities of a prompt's tokens after the first. Throws InputError for one that cannot be read. */
  async promptLogprobs(
    promptIds: readonly number[],
    request: PromptLogprobsRequest,
  ): Promise<TokenLogprobs[]> {
    this.requirePrompt(promptIds);
    const signal = AbortSignal.any([this.#closing.signal, ...(request.signal ? [request.signal] : [])]);
    return await promptLogprobs(this.target, this.device, promptIds, { ...request, signal });
  }

  /** Throws InputError for a prompt that cannot be decoded; returns how many tokens fit after it. */
  requirePrompt(promptIds: readonly number[]): number {
    const { vocabSize, maxPositionEmbeddings } = this.target.config;
    requireTokenIds(promptIds, vocabSize);
    const room = maxPositionEmbeddings - promptIds.length;
    if (room > 0) return room;
    throw new InputError({
      expected: `a prompt of fewer than ${String(maxPositionEmbeddings)} tokens`,
      got: String(promptIds.length),
      remedy: 'shorten the prompt',
    });
  }

  /** What has been learned about the pair so far, for the next process. */
  get profile(): ProfileSnapshot {
    return this.#speculation.profile.snapshot();
  }

  /** Of prompts, as measured lately; undefined before one was read. */
  get prefillSpeed(): number | undefined {
    return this.#speculation.profile.prefillSpeed;
  }

  /** Cancels what is running, waits for its step to end and frees the weights. */
  async dispose(): Promise<void> {
    this.#closing.abort('superseded');
    const release = await turn(new QueuePlace('inline'), this.device);
    this.#promptCache.dispose();
    this.drafter?.dispose();
    this.target.dispose();
    release();
  }
}

function withoutTokenizer(remedy: string): InputError {
  return new InputError({ expected: 'tokenizer.json in the target directory', got: 'none', remedy });
}
