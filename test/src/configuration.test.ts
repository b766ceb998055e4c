// Settings as VS Code may bring them: right, missing, of the wrong type, out of range.
import assert from 'node:assert/strict';
import { isEnabled } from '../../server/rules/serverSettings';
import { globPattern, readSettings } from '../../src/configuration';
import { workspace } from './support/fakeVscode';
import { sampleSettings } from './support/sampleDocument';

describe('settings', () => {
  it('take what is given', () => {
    const { trigger, server } = sampleSettings({
      'flashline.trigger': 'manual',
      'flashline.target': ' /models/target ',
      'flashline.drafter': 'none',
      'flashline.drafterBits': '8',
      'flashline.device': 'cpu',
      'flashline.strict': true,
      'flashline.draftLength': 0,
      'flashline.maxSuggestionTokens': 1024,
      'flashline.maxPromptTokens': 2000,
      'flashline.maxGenerateTokens': 1,
      'flashline.multiline': 'never',
      'flashline.debounceMs': 0,
      'flashline.hideBelow': 30,
      'flashline.useOpenFiles': false,
      'flashline.prefetch': 'never',
      'flashline.pauseOnBattery': true,
      'flashline.cacheMemoryMB': 0,
      'flashline.load': 'start',
      'flashline.unloadAfterMinutes': 0.5,
      'flashline.hub.endpoint': ' https://mirror.example ',
      'flashline.remote.url': 'http://gpu:8000',
      'flashline.remote.model': 'coder',
      'flashline.remote.tokenizer': 'built-in',
      'flashline.remote.fallback': true,
      'flashline.serve.port': 0,
      'http.proxy': 'http://proxy:3128',
      'flashline.sampling': {
        temperature: 0.7,
        topK: 40,
        topP: 0.9,
        minP: 0.05,
        repetitionPenalty: 1.1,
        presencePenalty: -0.5,
        frequencyPenalty: 0.5,
        penaltyWindow: 64,
        seed: 4_294_967_295,
        acceptance: 'rejection',
        repetitionGuard: true,
        alternativesTemperature: 1.2,
      },
    });
    assert.equal(trigger, 'manual');
    assert.deepEqual(server, {
      target: '/models/target',
      drafter: 'none',
      drafterBits: '8',
      device: 'cpu',
      strict: true,
      draftLength: 0,
      maxSuggestionTokens: 1024,
      maxPromptTokens: 2000,
      maxGenerateTokens: 1,
      multiline: 'never',
      debounceMs: 0,
      hideBelow: 30,
      useOpenFiles: false,
      prefetch: 'never',
      pauseOnBattery: true,
      cacheMemoryMB: 0,
      load: 'start',
      unloadAfterMinutes: 0.5,
      hub: { endpoint: 'https://mirror.example', proxy: 'http://proxy:3128' },
      remote: { url: 'http://gpu:8000', model: 'coder', tokenizer: 'built-in', fallback: true },
      serve: { port: 0 },
      generate: {
        temperature: 0.7,
        topK: 40,
        topP: 0.9,
        minP: 0.05,
        repetitionPenalty: 1.1,
        presencePenalty: -0.5,
        frequencyPenalty: 0.5,
        penaltyWindow: 64,
        seed: 4_294_967_295,
        acceptance: 'rejection',
        repetitionGuard: true,
      },
      alternatives: { temperature: 1.2 },
    });
  });

  it('are read from their old names where flashline.sampling says nothing of them', () => {
    const old = {
      'flashline.generate.temperature': 0.7,
      'flashline.generate.topK': 40,
      'flashline.generate.seed': 7,
      'flashline.alternatives.temperature': 0.3,
    };
    const { generate, alternatives } = sampleSettings(old).server;
    assert.deepEqual([generate.temperature, generate.topK, generate.seed], [0.7, 40, 7]);
    assert.equal(alternatives.temperature, 0.3);
    const both = sampleSettings({
      ...old,
      'flashline.sampling': { temperature: 0, topK: 5, target: '/models/other' },
    }).server;
    assert.deepEqual([both.generate.temperature, both.generate.topK, both.generate.seed], [0, 5, 7]);
    assert.equal(both.target, '');
  });

  it('ignore fields of flashline.sampling that are wrong, and what is no object', () => {
    for (const sampling of ['warm', 7, null, [1], { temperature: 'hot', topK: -1, acceptance: 'all' }])
      assert.deepEqual(
        sampleSettings({ 'flashline.sampling': sampling }),
        sampleSettings(),
        JSON.stringify(sampling),
      );
  });

  // Of each way to be wrong one; the ranges are those of package.json, which the manifest's test compares.
  const wrong: readonly (readonly [name: string, value: unknown])[] = [
    ['flashline.trigger', 'sometimes'],
    ['flashline.target', 7],
    ['flashline.drafterBits', 4],
    ['flashline.device', 'tpu'],
    ['flashline.strict', 'yes'],
    ['flashline.draftLength', 256],
    ['flashline.maxSuggestionTokens', 0],
    ['flashline.maxSuggestionTokens', 12.5],
    ['flashline.debounceMs', NaN],
    ['flashline.exclude', 'private'],
    ['flashline.exclude', [7, null, ' ']],
    ['flashline.enable', 'typescript'],
    ['flashline.enable', { typescript: 'yes' }],
    ['flashline.enable', null],
    ['flashline.generate.seed', ''],
  ];
  for (const [name, value] of wrong)
    it(`fall back to the default for ${name} = ${JSON.stringify(value)}`, () => {
      assert.deepEqual(sampleSettings({ [name]: value }), sampleSettings());
    });

  it('enable by language, then by *, then yes', () => {
    const settings = sampleSettings({ 'flashline.enable': { '*': false, rust: true } });
    assert.equal(isEnabled(settings.enable), false);
    assert.equal(isEnabled(settings.enable, 'rust'), true);
    assert.equal(isEnabled(settings.enable, 'go'), false);
    assert.equal(isEnabled(sampleSettings().enable, 'go'), true);
  });
});

describe('a workspace with settings of its own', () => {
  afterEach(() => {
    workspace.settings = workspace.userSettings = {};
  });

  for (const [what, own] of [
    ['another list', ['*.tmp']],
    ['an empty list', []],
    ['no list', 'none'],
  ] as const)
    it(`shows nothing that the user excludes: ${what}`, () => {
      workspace.userSettings = { 'flashline.exclude': ['**/private/**', '*.sql'] };
      workspace.settings = { 'flashline.exclude': own };
      const { exclude } = readSettings();
      for (const path of ['/w/private/a.ts', '/w/a.sql'])
        assert.ok(
          exclude.some((pattern) => pattern.test(path)),
          path,
        );
      assert.equal(
        exclude.some((pattern) => pattern.test('/w/a.tmp')),
        own.length === 1,
      );
    });
});

describe('globPattern', () => {
  const cases: readonly (readonly [glob: string, path: string, matches: boolean])[] = [
    ['*.sql', '/w/db/a.sql', true],
    ['*.sql', '/w/db/a.sqlx', false],
    ['private', '/w/private/a/b.ts', true],
    ['private/', '/w/private/a/b.ts', true],
    ['private', '/w/privateer/a.ts', false],
    ['**/private/**', '/w/private/a.ts', true],
    ['**/private/**', '/private/a.ts', true],
    ['/generated/*.ts', '/w/generated/a.ts', true],
    ['/generated/*.ts', '/w/generated/sub/a.ts', false],
    ['src/**/fixtures', '/w/src/fixtures/a', true],
    ['src/**/fixtures', '/w/src/a/b/fixtures/c', true],
    ['*.{pb,gen}.go', '/w/a.pb.go', true],
    ['*.{pb,gen}.go', '/w/a.go', false],
    ['file?.ts', '/w/file1.ts', true],
    ['file?.ts', '/w/file10.ts', false],
    ['a+b(c).ts', '/w/a+b(c).ts', true],
    ['*.TS', '/w/a.ts', true],
    ['a{b', '/w/ab', true],
    ['a}b', '/w/a}b', true],
    ['[x].ts', '/w/[x].ts', true],
  ];
  for (const [glob, path, matches] of cases)
    it(`${glob} ${matches ? 'matches' : 'does not match'} ${path}`, () => {
      assert.equal(globPattern(glob).test(path), matches);
    });
});
