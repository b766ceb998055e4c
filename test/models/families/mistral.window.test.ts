// A window hides what is farther away and nothing else, also after old rows were dropped from memory, and drafts
// change nothing about it.
import assert from 'node:assert/strict';
import { noDrafter } from '../../support/noDrafter';
import { loadTarget } from '../../../server/models/families/registry';
import { assertClose, rowsOf } from '../../support/arrayValues';
import { checkedDecode } from '../../support/checkedDecode';
import { cpu } from '../../support/cpu';
import { MISTRAL, readCheckpoint } from '../../support/fixtures';
import { OracleDrafter } from '../../support/oracleDrafter';
import { assertSameText, plainText } from '../../support/plainText';
import { seededIntegers } from '../../support/seededRandom';
import { withConfig, withTensors, writeCheckpoint, type Checkpoint } from '../../support/tinyCheckpoint';
import { runInChunks, runWhole } from '../../support/tokenRun';

const WINDOW = 12;
const IDS = seededIntegers(6, 60, 3, 255);
/** More than a windowed cache holds. */
const LONG = 1200;
const TOLERANCE = 1e-4;

const mistral = (config: Readonly<Record<string, unknown>>) => withConfig(readCheckpoint(MISTRAL), config);

const load = (checkpoint: Checkpoint) => loadTarget(writeCheckpoint(checkpoint), cpu);

/** Its first layer alone, in which a row sees no more than its own window. */
function oneLayer(config: Readonly<Record<string, unknown>>): Checkpoint {
  const whole = mistral({ num_hidden_layers: 1, max_position_embeddings: 4096, ...config });
  const later = Object.keys(whole.tensors).filter((name) => /layers\.[123]\./.test(name));
  return withTensors(whole, Object.fromEntries(later.map((name) => [name, undefined])));
}

describe('Mistral with a window', () => {
  for (const length of [60, LONG]) {
    it(`sees the newest rows of ${length} as a model without one that was given no others`, async () => {
      const ids = seededIntegers(5, length, 3, 255);
      const windowed = await load(oneLayer({ sliding_window: WINDOW }));
      const full = await load(oneLayer({}));
      const { vocabSize } = full.config;
      const { logits } = runInChunks(windowed, ids, [256]);
      for (const row of [0, 5, 11, 12, 13, 40, length - 2, length - 1]) {
        // Turned queries and keys only know how far apart they are.
        const seen = runWhole(full, ids.slice(Math.max(0, row - WINDOW + 1), row + 1));
        const expected = seen.logits.slice(-vocabSize);
        assertClose(rowsOf(logits, vocabSize, row, row + 1), expected, TOLERANCE, `logits of row ${row}`);
      }
      windowed.dispose();
      full.dispose();
    });
  }

  it('is as without one until the text is longer', async () => {
    const [windowed, full] = [await load(mistral({ sliding_window: WINDOW })), await load(mistral({}))];
    const { vocabSize } = full.config;
    const [some, all] = [runWhole(windowed, IDS).logits, runWhole(full, IDS).logits];
    assertClose(rowsOf(some, vocabSize, 0, WINDOW), rowsOf(all, vocabSize, 0, WINDOW), TOLERANCE, 'logits');
    assert.notDeepEqual(rowsOf(some, vocabSize, WINDOW, 60), rowsOf(all, vocabSize, WINDOW, 60));
    windowed.dispose();
    full.dispose();
  });

  it('gives the plain output with drafts that are sometimes right, after rows were dropped', async () => {
    const target = await load(mistral({ sliding_window: WINDOW, max_position_embeddings: 4096 }));
    const text = await plainText(target, LONG, 64);
    for (const block of [2, 8, 16]) {
      const right = seededIntegers(block, 40, 0, block - 1);
      const drafter = new OracleDrafter({ tokens: text.tokens, block, right }, noDrafter);
      const { tokenIds } = await checkedDecode({ target, drafter }, text.wish);
      assertSameText(tokenIds, text);
    }
    target.dispose();
  });
});
