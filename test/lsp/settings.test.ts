// Settings come from clients of all kinds, so each value counts for itself and a wrong one means the default.
import assert from 'node:assert/strict';
import { DEFAULT_SETTINGS, parseSettings } from '../../server/lsp/settings';
import type { ServerSettings } from '../../server/protocol';

type Values = Readonly<Record<keyof ServerSettings, { readonly good: unknown[]; readonly wrong: unknown[] }>>;

const NO_WORDS = [undefined, null, 1, true, {}, ['x']];

const VALUES: Values = {
  target: { good: ['', '/models/a', 'ü'], wrong: NO_WORDS },
  drafter: { good: ['', 'none', '/models/b'], wrong: NO_WORDS },
  device: { good: ['auto', 'cpu', 'gpu'], wrong: [...NO_WORDS, 'tpu', 'CPU', ''] },
  draftLength: {
    good: ['full', 'adaptive', 0, 1, 255],
    wrong: [null, -1, 1.5, 256, '7', 'all', NaN, Infinity, {}],
  },
  maxSuggestionTokens: { good: [1, 1024], wrong: [null, 0, 1025, 2.5, '64', NaN, [64]] },
  maxGenerateTokens: { good: [1, 32_768], wrong: [null, 0, 32_769, -1, '1', {}] },
  multiline: { good: ['auto', 'never', 'always'], wrong: [...NO_WORDS, 'sometimes'] },
  debounceMs: { good: [0, 40, 5000], wrong: [null, -1, 5001, 0.5, '40', Infinity] },
  prefetch: { good: ['always', 'pluggedIn', 'never'], wrong: [...NO_WORDS, 'sometimes', ''] },
  cacheMemoryMB: { good: [0, 256, 65_536], wrong: [null, -1, 65_537, 0.5, '256', Infinity] },
  useOpenFiles: { good: [true, false], wrong: [undefined, null, 0, 1, 'true', {}] },
};

describe('the settings of the server', () => {
  for (const [name, { good, wrong }] of Object.entries(VALUES))
    it(`take ${name} when it is valid, and its default otherwise`, () => {
      for (const value of good)
        assert.deepEqual(parseSettings({ [name]: value }), { ...DEFAULT_SETTINGS, [name]: value });
      for (const value of wrong) assert.deepEqual(parseSettings({ [name]: value }), DEFAULT_SETTINGS);
    });

  it('are the defaults for whatever is no object, and for unknown names', () => {
    for (const value of [undefined, null, 7, 'target', [], [{ target: 'x' }], true, { targets: 'x' }])
      assert.deepEqual(parseSettings(value), DEFAULT_SETTINGS);
  });

  it('keep what is valid beside what is not', () => {
    const given = { target: '/models/a', debounceMs: 'soon', multiline: 'never' };
    assert.deepEqual(parseSettings(given), {
      ...DEFAULT_SETTINGS,
      target: '/models/a',
      multiline: 'never',
    });
  });
});
