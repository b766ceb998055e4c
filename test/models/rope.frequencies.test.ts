// The angle of each pair under every scaling, against the published definitions, written in another way: by wave
// lengths for Llama 3, by interpolation of exponents for YaRN, and by numbers worked out by hand.
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
  it('fall from 1 by equal factors', () => {
    assertClose(ropeFrequencies({ headDim: 8, ropeTheta: 10000 }), [1, 0.1, 0.01, 0.001], 1e-12);
    assertClose(ropeFrequencies({ headDim: 4, ropeTheta: 1e6 }), [1, 0.001], 1e-12);
  });

  it('are those of the turning part when only a part of a head turns', () => {
    assertClose(
      ropeFrequencies({ headDim: 32, rotaryDim: 8, ropeTheta: 10000 }),
      [1, 0.1, 0.01, 0.001],
      1e-12,
    );
  });

  it('are all divided by the factor when positions are', () => {
    const scaling = { type: 'linear', factor: 4 } as const;
    assertClose(ropeFrequencies({ headDim: 4, ropeTheta: 100, scaling }), [0.25, 0.025], 1e-12);
  });

  it('are those of whole heads where only some pairs turn, proportionally', () => {
    const scaling = { type: 'proportional', factor: 2, turningPairs: 2 } as const;
    assertClose(ropeFrequencies({ headDim: 8, ropeTheta: 10000, scaling }), [0.5, 0.05, 0, 0], 1e-12);
  });

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
