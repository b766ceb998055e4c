// What models have read, as an earlier process, a full disk or somebody else has left it: facts that are spoilt, signed or
// not, and files of arrays with other bytes or another length. What is read back is computed with.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { DecodeMemory } from '../../../server/engine/decodeMemory';
import { StoredTexts } from '../../../server/engine/storedTexts';
import { TextStore } from '../../../server/engine/textStore';
import { dispose, evaluate, liveArrays, scope } from '../../../server/models/memory';
import { ngramDrafter } from '../../../server/models/ngramDrafter';
import { loadTarget } from '../../../server/models/registry';
import { tokenArray } from '../../../server/models/tokenArray';
import { cpu } from '../../support/cpu';
import { GEMMA3 } from '../../support/fixtures';
import { seededIntegers } from '../../support/seededRandom';
import { temporaryFolder } from '../../support/temporaryFolder';
import { fuzzKind } from '../kind';
import { damaged, spoilt, type Json } from '../oddValues';

const TOKENS = seededIntegers(1, 160, 3, 255);
const EMPTY = createHash('sha256').digest('hex');

/** As long as those of the fixture, with hashes that are replaced by the right ones where they are zeros. */
const part = (bytes: number, counts: Json): Json => ({
  counts,
  bytes,
  sha256: bytes > 0 ? '0'.repeat(64) : EMPTY,
});
const facts = (parts: number): Json => ({
  version: 1,
  tokens: TOKENS,
  promptLength: TOKENS.length,
  drafters: ['ngram'],
  parts: [...Array.from({ length: parts }, () => part(1, { start: 0, held: TOKENS.length })), part(0, {})],
});
/** Of the fixture. */
const LAYERS = 4;

type Spoilt =
  | { readonly kind: 'facts'; readonly text: Json }
  | { readonly kind: 'words'; readonly words: string }
  | { readonly kind: 'bytes'; readonly file: number; readonly at: number; readonly bytes: readonly number[] }
  | { readonly kind: 'length'; readonly file: number; readonly length: number };

const file = fc.nat(LAYERS - 1);
const inputs: fc.Arbitrary<Spoilt> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('facts' as const), text: spoilt(facts(LAYERS)) }) },
  fc.record({ kind: fc.constant('words' as const), words: damaged(JSON.stringify(facts(LAYERS))) }),
  fc.record({
    kind: fc.constant('bytes' as const),
    file,
    at: fc.nat(4000),
    bytes: fc.array(fc.nat(255), { minLength: 1, maxLength: 9 }),
  }),
  fc.record({ kind: fc.constant('length' as const), file, length: fc.nat(9000) }),
);

export const storedText = fuzzKind({
  name: 'stored-text',
  inputs,
  counts: { test: 200, million: 5_000 },
  open: async () => {
    const target = await loadTarget(GEMMA3, cpu);
    const drafters = [ngramDrafter()];
    const [sound, folder] = [temporaryFolder(), temporaryFolder()];
    const storeIn = (place: string): TextStore => {
      const store = new TextStore(new StoredTexts(place, 'tiny'), target, 'cpu');
      store.limit(1e9);
      return store;
    };
    const compute = async (memory: DecodeMemory, tokens: readonly number[]): Promise<void> => {
      const hidden = scope(() => {
        const ids = tokenArray(tokens, target.config.vocabSize);
        const { hidden, taps } = target.forward(ids, memory.caches, memory.taps);
        memory.commit(tokens, taps);
        return hidden;
      });
      await evaluate(hidden, memory.arrays());
      dispose(hidden);
    };
    const written = DecodeMemory.empty(target, drafters, TOKENS.length);
    await compute(written, TOKENS);
    await storeIn(sound).store(
      [{ memory: written, tokens: TOKENS, promptLength: TOKENS.length }],
      () => true,
    );
    written.dispose();
    let live = 0;
    /** How many tokens were read back, from whatever lies in the folder. */
    const recalled = async (): Promise<number> => {
      const text = await storeIn(folder).recall([...TOKENS, 7], drafters, 0, 300);
      if (text) {
        const at = text.memory.length;
        assert.equal(at, text.tokens.length);
        await compute(text.memory, [7, 8]);
        assert.equal(text.memory.length, at + 2);
        text.memory.dispose();
      }
      return text?.tokens.length ?? 0;
    };
    const place = (): string => {
      rmSync(folder, { recursive: true, force: true });
      cpSync(sound, folder, { recursive: true });
      const [pair = ''] = readdirSync(folder);
      const [text = ''] = readdirSync(join(folder, pair));
      return join(folder, pair, text);
    };
    // The target keeps the masks of its last pass.
    place();
    assert.equal(await recalled(), TOKENS.length);
    live = liveArrays();
    return {
      attempt: async (given) => {
        spoil(place(), given);
        await recalled();
        assert.equal(liveArrays(), live, 'arrays left');
      },
      sound: async () => {
        place();
        assert.equal(await recalled(), TOKENS.length);
        spoil(place(), { kind: 'facts', text: facts(LAYERS) });
        assert.equal(await recalled(), TOKENS.length, 'signed facts');
      },
    };
  },
});

/** Facts are signed, so that what they say is tried; sizes and hashes that nobody spoilt become the right ones. */
function spoil(folder: string, given: Spoilt): void {
  const path = (name: string): string => join(folder, name);
  if (given.kind === 'words') {
    writeFileSync(path('text.json'), given.words);
    return;
  }
  if (given.kind === 'facts') {
    const text = JSON.stringify(withTruth(folder, given.text));
    const sha256 = createHash('sha256').update(text).digest('hex');
    writeFileSync(path('text.json'), `{"sha256":"${sha256}","text":${text}}`);
    return;
  }
  const name = path(`${String(given.file)}.safetensors`);
  const bytes = readFileSync(name);
  if (given.kind === 'bytes')
    bytes.set(given.bytes.slice(0, Math.max(0, bytes.length - given.at)), Math.min(given.at, bytes.length));
  writeFileSync(name, given.kind === 'length' ? bytes.subarray(0, given.length) : bytes);
}

function withTruth(folder: string, text: Json): Json {
  const { parts } = (text ?? {}) as { readonly parts?: Json };
  if (!Array.isArray(parts)) return text;
  const truth = (parts as readonly Json[]).map((part, i): Json => {
    if ((part as { readonly bytes?: Json } | null)?.bytes !== 1) return part;
    const bytes = readFileSync(join(folder, `${String(Math.min(i, LAYERS - 1))}.safetensors`));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { ...(part as object), bytes: bytes.length, sha256 };
  });
  return { ...(text as object), parts: truth };
}
