// Tests the settings that a client sends: each value is checked separately, and a wrong one becomes the default.
import assert from 'node:assert/strict';
import { DEFAULT_SETTINGS, parseSettings } from '../../server/hosting/settings';
import type { ServerSettings } from '../../server/protocol/messages';

const DEFAULT_SAMPLING = DEFAULT_SETTINGS.generate;

type Values = Readonly<Record<keyof ServerSettings, { readonly good: unknown[]; readonly wrong: unknown[] }>>;

const NON_STRINGS = [undefined, null, 1, true, {}, ['x']];

const VALUES: Values = {
  target: { good: ['', '/models/a', 'ü'], wrong: NON_STRINGS },
  drafter: { good: ['', 'none', '/models/b'], wrong: NON_STRINGS },
  drafterBits: { good: ['auto', 'stored', '4', '8', '16'], wrong: [...NON_STRINGS, 4, '5', ''] },
  device: { good: ['auto', 'cpu', 'gpu'], wrong: [...NON_STRINGS, 'tpu', 'CPU', ''] },
  strict: { good: [true, false], wrong: [null, 'yes', 0, {}] },
  draftLength: {
    good: ['full', 'adaptive', 0, 1, 255],
    wrong: [null, -1, 1.5, 256, '7', 'all', NaN, Infinity, {}],
  },
  maxSuggestionTokens: { good: [1, 1024], wrong: [null, 0, 1025, 2.5, '64', NaN, [64]] },
  maxGenerateTokens: { good: [1, 32_768], wrong: [null, 0, 32_769, -1, '1', {}] },
  maxPromptTokens: { good: ['auto', 128, 32_768], wrong: [null, 127, 32_769, 512.5, '512', Infinity] },
  multiline: { good: ['auto', 'never', 'always'], wrong: [...NON_STRINGS, 'sometimes'] },
  debounceMs: { good: [0, 40, 5000], wrong: [null, -1, 5001, 0.5, '40', Infinity] },
  hideBelow: { good: [0, 40, 100], wrong: [null, -1, 101, 0.5, '40', Infinity] },
  nextEdit: { good: ['off', 'hint', 'inline'], wrong: [...NON_STRINGS, 'on', ''] },
  nextEditModel: { good: ['', 'sweep-next-edit-0.5b'], wrong: NON_STRINGS },
  pauseOnBattery: { good: [true, false], wrong: [null, 'true', 0, 1] },
  prefetch: { good: ['always', 'pluggedIn', 'never'], wrong: [...NON_STRINGS, 'sometimes', ''] },
  cacheMemoryMB: { good: ['auto', 0, 256, 65_536], wrong: [null, -1, 65_537, 0.5, '256', Infinity] },
  load: { good: ['firstUse', 'start'], wrong: [...NON_STRINGS, 'never'] },
  unloadAfterMinutes: { good: [0, 0.05, 15, 1440], wrong: [null, -1, 1441, '15', NaN, Infinity] },
  remote: {
    good: [{ url: 'http://127.0.0.1:8000', model: 'm', tokenizer: 'a/b', fallback: true }],
    wrong: [...NON_STRINGS, 'http://127.0.0.1:8000', { url: 7, model: null, tokenizer: [], fallback: 'yes' }],
  },
  hub: {
    good: [{ endpoint: 'https://mirror.example', proxy: 'http://proxy:3128' }],
    wrong: [...NON_STRINGS, 'https://mirror.example', { endpoint: 7, proxy: null }],
  },
  serve: {
    good: [{ port: 0 }, { port: 65_535 }],
    wrong: [...NON_STRINGS, 8080, { port: -1 }, { port: '8080' }, { port: 65_536 }],
  },
  generate: {
    good: [DEFAULT_SAMPLING, { ...DEFAULT_SAMPLING, temperature: 0.7, seed: 7 }],
    wrong: [...NON_STRINGS, 'high', { temperature: 'high', seed: -1, mirostat: 2 }, { topK: 0.5, topP: 0 }],
  },
  alternatives: {
    good: [{ temperature: 0 }, { temperature: 2 }],
    wrong: [...NON_STRINGS, 0.5, { temperature: 3 }, { temperature: null }, { topP: 0.5 }],
  },
  useOpenFiles: { good: [true, false], wrong: [undefined, null, 0, 1, 'true', {}] },
};

describe('parseSettings', () => {
  it('ignores log-probabilities, which only a request can ask for', () => {
    assert.deepEqual(parseSettings({ generate: { logprobs: 3 } }), DEFAULT_SETTINGS);
  });

  for (const [name, { good, wrong }] of Object.entries(VALUES))
    it(`takes ${name} when it is valid, and its default otherwise`, () => {
      for (const value of good)
        assert.deepEqual(parseSettings({ [name]: value }), { ...DEFAULT_SETTINGS, [name]: value });
      for (const value of wrong) assert.deepEqual(parseSettings({ [name]: value }), DEFAULT_SETTINGS);
    });

  it('returns the defaults for a value that is not an object, and for unknown names', () => {
    for (const value of [undefined, null, 7, 'target', [], [{ target: 'x' }], true, { targets: 'x' }])
      assert.deepEqual(parseSettings(value), DEFAULT_SETTINGS);
  });

  it('keeps valid values beside invalid ones', () => {
    const generate = { minP: 0.25, temperature: 2.1, penaltyWindow: NaN, acceptance: '', repetitionGuard: 1 };
    const given = { target: '/models/a', debounceMs: 'soon', multiline: 'never', generate };
    assert.deepEqual(parseSettings(given), {
      ...DEFAULT_SETTINGS,
      target: '/models/a',
      multiline: 'never',
      generate: { ...DEFAULT_SAMPLING, minP: 0.25 },
    });
  });
});
