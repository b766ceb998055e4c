// A window hides what is farther away and nothing else, also after old rows were dropped from memory.
import { loadTarget } from '../../../server/models/families/registry';
import { assertClose, rowsOf } from '../../support/arrayValues';
import { cpu } from '../../support/cpu';
import { MISTRAL, readCheckpoint } from '../../support/fixtures';
import { seededIntegers } from '../../support/seededRandom';
import { withConfig, withTensors, writeCheckpoint, type Checkpoint } from '../../support/tinyCheckpoint';
import { runInChunks, runWhole } from '../../support/tokenRun';

const WINDOW = 12;
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
  for (const length of [LONG]) {
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
});
