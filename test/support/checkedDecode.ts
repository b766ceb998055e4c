// Runs a decode and asserts the rules of docs/internals/architecture.md after every chunk, from the recorded inputs of
// the models and the contents of their caches.
import { deviceName } from './testDevice';
import assert from 'node:assert/strict';
import type { DecodeChunk, DecodeResult } from '../../server/engine/decode/decode';
import { DecodeSession } from '../../server/engine/decode/decodeSession';
import { prefillChunkRows } from '../../server/engine/decode/prefill';
import { fixedLength } from '../../server/engine/draftLength/fixedLength';
import type { DraftPolicy } from '../../server/engine/draftLength/policy';
import { PromptCache } from '../../server/engine/promptCache';
import { GreedySampler } from '../../server/engine/sampling/greedySampler';
import { Scheduler } from '../../server/engine/scheduler';
import type { Sampler } from '../../server/engine/sampling/sampler';
import type { Drafter } from '../../server/models/drafters/drafter';
import { liveArrays } from '../../server/models/mlx/memory';
import { noDrafter } from './noDrafter';
import type { TargetModel } from '../../server/models/decoder/target';
import type { Tokenizer } from '../../server/models/text/tokenizer';
import { RecordingDrafter } from './recordingDrafter';
import { RecordingTarget } from './recordingTarget';

export interface CheckedRequest {
  readonly promptIds: readonly number[];
  readonly maxTokens: number;
  readonly sampler?: Sampler;
  /** Drafts per round; as many as the drafter can propose by default. */
  readonly draftLength?: number;
  readonly confidenceThreshold?: number;
  /** Draft policy; by default the one for `draftLength`. */
  readonly policy?: DraftPolicy;
  readonly stopStrings?: readonly string[];
  readonly stopTokenIds?: readonly number[];
  readonly isComplete?: (text: string) => boolean;
  readonly signal?: AbortSignal;
}

/** Recorded passes of the models during a decode, and the tokens that it has committed. */
interface Witness {
  readonly target: RecordingTarget;
  readonly drafter: RecordingDrafter;
  /** Tokens of the prompt and of the output so far. */
  readonly committed: readonly number[];
}

export interface CheckedModels {
  readonly target: TargetModel;
  readonly drafter?: Drafter;
  readonly tokenizer?: Tokenizer;
}

export function newSession(
  models: CheckedModels,
  options: CheckedRequest,
  promptCache = new PromptCache(models.target, { bytes: 0 }),
): DecodeSession {
  const drafter = models.drafter ?? noDrafter;
  const {
    promptIds,
    sampler = new GreedySampler(),
    draftLength = drafter.maxDraftTokens,
    ...request
  } = options;
  const { policy = fixedLength(draftLength) } = request;
  return new DecodeSession(
    {
      target: models.target,
      drafters: [drafter],
      tokenizer: models.tokenizer,
      sampler,
      policy,
      speculationOff: undefined,
      device: deviceName,
      scheduler: new Scheduler(),
      signals: [],
    },
    promptIds,
    request,
    promptCache,
  );
}

/** Decodes to the end, and asserts the rules. */
export async function checkedDecode(models: CheckedModels, request: CheckedRequest): Promise<DecodeResult> {
  const before = liveArrays();
  const target = new RecordingTarget(models.target);
  const drafter = new RecordingDrafter(models.drafter ?? noDrafter);
  // The cache keeps the memory of the models, so that it can be checked after the last chunk too.
  const promptCache = new PromptCache(target, { bytes: Infinity });
  const session = newSession({ ...models, target, drafter: drafter.drafter }, request, promptCache);
  const committed = [...request.promptIds];
  const witness: Witness = { target, drafter, committed };
  let text = '';
  for await (const chunk of session) {
    if (chunk.round) requireHonestRound(witness, chunk, request);
    committed.push(...chunk.tokens);
    text += chunk.text;
    requireCommitted(witness);
  }
  const { result } = session;
  requireEnding(result, request, [...target.config.eosTokenIds, ...(request.stopTokenIds ?? [])]);
  assert.deepEqual(result.tokenIds, committed.slice(request.promptIds.length));
  assert.equal(result.text, models.tokenizer ? text : null);
  const prefills = Math.ceil(request.promptIds.length / prefillChunkRows(target.config, deviceName));
  assert.equal(target.passes.length, prefills + result.acceptanceLengths.length, 'one pass per round');
  promptCache.dispose();
  assert.equal(liveArrays(), before, 'a decode frees what it made');
  return result;
}

/** Asserts the row rule: the anchor is row 0, row i judges draft i, and a draft is accepted only if it agrees. */
function requireHonestRound(
  { target, committed }: Witness,
  chunk: DecodeChunk,
  request: CheckedRequest,
): void {
  const { round, tokens } = chunk;
  const pass = target.passes.at(-1);
  assert.ok(round && pass);
  const [anchor, ...drafts] = pass.tokens;
  assert.equal(pass.offset, committed.length - 1, 'the anchor comes after the cached rows');
  assert.equal(anchor, committed.at(-1), 'the anchor is row 0');
  const remaining = request.maxTokens - (committed.length - request.promptIds.length);
  assert.ok(drafts.length <= Math.min(request.draftLength ?? Infinity, remaining - 1), 'no useless draft');
  assert.equal(round.drafted, drafts.length);
  assert.deepEqual(round.tokens, tokens);
  assert.deepEqual(tokens.slice(0, round.accepted), drafts.slice(0, round.accepted), 'accepted drafts');
  assert.ok(tokens.length - round.accepted <= 1, 'one token of the target per round');
  if (tokens.length > round.accepted && round.accepted < drafts.length) {
    assert.notEqual(tokens[round.accepted], drafts[round.accepted], 'a correction differs from the draft');
  }
}

/** Asserts the memory rule: both memories hold every committed token except the last, each fed once and in order. */
function requireCommitted({ target, drafter, committed }: Witness): void {
  const rows = committed.slice(0, -1);
  for (const cache of target.caches) assert.equal(cache.offset, rows.length, 'rows of a target cache');
  assert.equal(drafter.state?.offset, rows.length, 'rows of the draft context');
  assert.deepEqual(drafter.committed, rows, 'tokens of the draft context');
  const kept: number[] = [];
  for (const [i, { offset, tokens }] of target.passes.entries()) {
    assert.equal(offset, kept.length, 'a pass starts where the last one was cut');
    kept.push(...tokens.slice(0, (target.passes[i + 1]?.offset ?? rows.length) - offset));
  }
  assert.deepEqual(kept, rows, 'tokens of the target caches');
}

/** Asserts the end rule: no token beyond the limit and none after an end token. */
function requireEnding(
  { tokenIds }: DecodeResult,
  request: CheckedRequest,
  endTokenIds: readonly number[],
): void {
  assert.ok(tokenIds.length <= request.maxTokens, 'no more tokens than requested');
  const inside = tokenIds.slice(0, -1).filter((token) => endTokenIds.includes(token));
  assert.deepEqual(inside, [], 'nothing after an end token');
}
