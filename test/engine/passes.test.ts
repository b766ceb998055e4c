// Who gets the engine next, counted in passes of the target: whoever is more urgent waits for the pass that runs and
// for no second one.
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { DecodeRequest, DecodeResult } from '../../server/engine/decode/decode';
import { Engine } from '../../server/engine/engine';
import type { RequestKind } from '../../server/engine/request/queuePlace';
import type { LayerCache } from '../../server/models/decoder/layerCache';
import * as mx from '../../server/models/mlx/ops';
import { seededIntegers } from '../support/seededRandom';
import { TINY_PAIR } from '../support/tinyPair';

const MAX_TOKENS = 12;
const CHUNKS = 2;
const PROMPT_TOKENS = 256 * CHUNKS - 40;
const REQUESTS = [
  { name: 'inline', kind: 'inline' },
  { name: 'newer inline', kind: 'inline' },
  { name: 'generate', kind: 'generate' },
  { name: 'prefetch', kind: 'prefetch' },
] as const satisfies { readonly name: string; readonly kind: RequestKind }[];
type Name = (typeof REQUESTS)[number]['name'];

/** It begins with a number of its own. */
function promptOf(request: number): number[] {
  return [1 + request, ...seededIntegers(request, PROMPT_TOKENS - 1, 3, 255)];
}

describe('passes of the target', () => {
  let engine: Engine;
  /** Whose pass it was, in the order in which they ran. */
  let passes: string[];
  /** What happens while a pass is on its way, as a message that arrives then. */
  let during: Map<number, () => void>;
  const alone = new Map<Name, DecodeResult>();

  before(async () => {
    engine = await Engine.load(TINY_PAIR);
    const { target } = engine;
    const forward = target.forward.bind(target);
    // Nothing is kept between requests here, so each has caches of its own.
    const owners = new WeakMap<LayerCache, string>();
    mock.method(target, 'forward', (...given: Parameters<typeof forward>) => {
      const [tokens, [cache]] = given;
      assert.ok(cache);
      const [first = 0] = mx.numbers(tokens);
      if (cache.offset === 0) owners.set(cache, REQUESTS[first - 1]?.name ?? 'nobody');
      passes.push(owners.get(cache) ?? 'nobody');
      const happens = during.get(passes.length);
      if (happens) setImmediate(happens);
      return forward(...given);
    });
  });
  after(() => engine.dispose());

  beforeEach(async () => {
    passes = [];
    during = new Map();
    for (const { name } of REQUESTS) if (!alone.has(name)) alone.set(name, await ask(name));
    passes = [];
  });

  /** Who asks for suggestions ends an older request when a newer one comes. */
  let newest = new AbortController();

  function ask(name: Name, options: Partial<DecodeRequest> = {}): Promise<DecodeResult> {
    const number = REQUESTS.findIndex((request) => request.name === name);
    const kind = REQUESTS[number]?.kind;
    if (kind === 'inline') {
      newest.abort('superseded');
      newest = new AbortController();
    }
    const signal = kind === 'inline' ? newest.signal : undefined;
    return engine
      .decode(promptOf(number), { maxTokens: MAX_TOKENS, draftLength: 2, kind, signal, ...options })
      .finish();
  }

  /** Asks for `second` during a pass of `first`; gives the passes after that. */
  async function pushedAside(first: Name, second: Name, pass: number): Promise<string[]> {
    let later: Promise<DecodeResult> | undefined;
    during.set(pass, () => {
      later = ask(second);
    });
    const { finishReason, tokenIds } = await ask(first);
    assert.equal(finishReason, 'superseded');
    assert.deepEqual(tokenIds, alone.get(first)?.tokenIds.slice(0, tokenIds.length));
    assert.deepEqual((await later)?.tokenIds, alone.get(second)?.tokenIds);
    return passes.slice(pass);
  }

  const successions: readonly (readonly [first: Name, second: Name])[] = [
    ['inline', 'newer inline'],
    ['prefetch', 'inline'],
    ['prefetch', 'generate'],
  ];
  for (const [first, second] of successions)
    for (const pass of [1, CHUNKS + 2])
      it(`are ${second} from the next one on, once that is asked for (pass ${String(pass)} of ${first})`, async () => {
        assert.deepEqual(new Set(await pushedAside(first, second, pass)), new Set([second]));
      });

  it('go to the newest of several that are asked for during one pass', async () => {
    let later: Promise<DecodeResult>[] = [];
    during.set(2, () => {
      later = [ask('inline'), ask('newer inline')];
    });
    const generated = await ask('generate');
    const [superseded, newest] = await Promise.all(later);
    assert.equal(superseded?.finishReason, 'superseded');
    assert.deepEqual(newest?.tokenIds, alone.get('newer inline')?.tokenIds);
    assert.deepEqual(generated.tokenIds, alone.get('generate')?.tokenIds);
    assert.equal(passes[2], 'newer inline');
    assert.ok(!passes.includes('inline'));
  });

  it('go to a suggestion after one of generate, which goes on behind it', async () => {
    let suggested: Promise<DecodeResult> | undefined;
    during.set(2, () => {
      suggested = ask('inline');
    });
    assert.deepEqual((await ask('generate')).tokenIds, alone.get('generate')?.tokenIds);
    assert.deepEqual((await suggested)?.tokenIds, alone.get('inline')?.tokenIds);
    const mine = [...passes.keys()].filter((i) => passes[i] === 'inline');
    assert.equal(mine[0], 2);
    const waits = mine.slice(1).map((pass, i) => pass - (mine[i] ?? 0) - 1);
    assert.equal(Math.max(...waits), 0, 'no pass of another between them');
    const last = mine.at(-1) ?? 0;
    assert.ok(passes.slice(last + 1).filter((name) => name === 'generate').length > 2, 'which goes on');
  });
});
