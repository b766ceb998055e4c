// The angle of each pair under the scalings of Llama 3 and YaRN, against the published definitions, written in another
// way.
import assert from 'node:assert/strict';
import { ropeFrequencies } from '../../server/models/decoder/rope';
import type { RopeScaling } from '../../server/models/decoder/ropeConfig';
import { assertClose } from '../support/arrayValues';

const LLAMA_3_1: RopeScaling = {
  type: 'llama3',
  factor: 8,
  lowFreqFactor: 1,
  highFreqFactor: 4,
  originalMaxPositionEmbeddings: 8192,
};

const YARN: RopeScaling = {
  type: 'yarn',
  factor: 4,
  originalMaxPositionEmbeddings: 4096,
  betaFast: 32,
  betaSlow: 1,
  attentionFactor: 1,
};

/** Positions that one turn of pair `i` takes. */
const waveLength = (i: number, dim: number, theta: number) => 2 * Math.PI * theta ** ((2 * i) / dim);

describe('rotary frequencies', () => {
  it('of Llama 3 depend on how many waves fit the original text', () => {
    const frequencies = ropeFrequencies({ headDim: 128, ropeTheta: 5e5, scaling: LLAMA_3_1 });
    const kinds = { kept: 0, mixed: 0, slowed: 0 };
    for (const [i, frequency] of frequencies.entries()) {
      const length = waveLength(i, 128, 5e5);
      if (length < 8192 / 4) {
        kinds.kept += 1;
        assertClose([frequency * length], [2 * Math.PI], 1e-9, `pair ${i}`);
      } else if (length > 8192) {
        kinds.slowed += 1;
        assertClose([frequency * length * 8], [2 * Math.PI], 1e-9, `pair ${i}`);
      } else {
        kinds.mixed += 1;
        const smooth = (8192 / length - 1) / (4 - 1);
        const slowed = (2 * Math.PI) / (length * 8);
        assertClose([frequency], [slowed * (1 + 7 * smooth)], 1e-12, `pair ${i}`);
      }
    }
    // Wave lengths 2048 and 8192 lie at pairs 28.2 and 35.0.
    assert.deepEqual(kinds, { kept: 29, mixed: 6, slowed: 29 });
  });

  it('of YaRN are kept where many waves fit, slowed where less than one does', () => {
    const frequencies = ropeFrequencies({ headDim: 64, ropeTheta: 10000, scaling: YARN });
    // 4096 / 2π = 651.9 waves of pair 0; 32 are left at pair 10.47 and 1 at pair 22.51: the ramp is from 10 to 23.
    for (const [i, frequency] of frequencies.entries()) {
      const slow = i <= 10 ? 0 : i >= 23 ? 1 : (i - 10) / 13;
      assertClose([frequency * 10000 ** (i / 32)], [1 - 0.75 * slow], 1e-12, `pair ${i}`);
    }
  });

  it('of YaRN may have a ramp between pairs', () => {
    const scaling = { ...YARN, exactRamp: true } as const;
    const frequencies = ropeFrequencies({ headDim: 64, ropeTheta: 10000, scaling });
    const [from, to] = [32, 1].map((waves) => (32 * Math.log10(4096 / (2 * Math.PI * waves))) / 4);
    assert.ok(from !== undefined && to !== undefined && from > 10.4 && to < 22.6);
    for (const [i, frequency] of frequencies.entries()) {
      const slow = Math.min(1, Math.max(0, (i - from) / (to - from)));
      assertClose([frequency * 10000 ** (i / 32)], [1 - 0.75 * slow], 1e-9, `pair ${i}`);
    }
  });
});
