// Tests settings of VS Code: valid, missing, of the wrong type and out of range.
import assert from 'node:assert/strict';
import { parseSettings as serverSettings } from '../../server/hosting/settings';
import { isEnabled } from '../../server/rules/enabledLanguages';
import { globPattern } from '../../src/globPattern';
import { Configuration, readSettings, type Settings } from '../../src/configuration';
import { ConfigurationTarget, settingsChanged, workspace } from './support/fakeVscode';
import { sampleSettings } from './support/sampleDocument';

const SAMPLING = {
  generate: {
    temperature: 0.7,
    topK: 40,
    topP: 0.9,
    minP: 0.05,
    seed: 4_294_967_295,
    acceptance: 'rejection',
    repetitionPenalty: 1.1,
    presencePenalty: -0.5,
    frequencyPenalty: 0.5,
    penaltyWindow: 64,
    repetitionGuard: true,
  },
  alternatives: { temperature: 1.2 },
};
/** Values that differ from all defaults, without those of SAMPLING. */
const CHANGED = {
  target: '/models/target',
  drafter: 'none',
  drafterBits: '8',
  device: 'cpu',
  strict: true,
  maxSuggestionTokens: 1024,
  maxPromptTokens: 2000,
  maxGenerateTokens: 1,
  multiline: 'never',
  draftLength: 0,
  debounceMs: 0,
  hideBelow: 30,
  useOpenFiles: false,
  prefetch: 'never',
  nextEdit: 'hint',
  nextEditModel: 'sweep-next-edit-0.5b',
  pauseOnBattery: true,
  cacheMemoryMB: 0,
  load: 'start',
  unloadAfterMinutes: 0.5,
  remote: { url: 'http://gpu:8000', model: 'coder', tokenizer: 'built-in', fallback: true },
  serve: { port: 0 },
};

/** Returns the values by the full names of their settings. */
function named(values: object, prefix = 'flashline.'): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'object' && value !== null
        ? Object.entries(named(value, `${prefix}${name}.`))
        : [[prefix + name, value]],
    ),
  );
}

describe('settings of the extension', () => {
  it('reads every setting as the server does', () => {
    const hub = { endpoint: 'https://mirror.example', proxy: 'http://proxy:3128' };
    const { generate, alternatives } = SAMPLING;
    const { trigger, server } = sampleSettings({
      ...named(CHANGED),
      'flashline.trigger': 'manual',
      'flashline.sampling': { ...generate, alternativesTemperature: alternatives.temperature },
      'flashline.hub.endpoint': ` ${hub.endpoint} `,
      'http.proxy': hub.proxy,
    });
    assert.equal(trigger, 'manual');
    assert.deepEqual(server, { ...CHANGED, ...SAMPLING, hub });
    assert.deepEqual(serverSettings(JSON.parse(JSON.stringify(server))), server, 'the server reads the same');
  });

  it('prefers its own proxy for downloads to that of VS Code', () => {
    const proxies = { 'flashline.hub.proxy': ' http://own:1 ', 'http.proxy': 'http://editor:2' };
    assert.equal(sampleSettings(proxies).server.hub.proxy, 'http://own:1');
  });

  it('reads sampling only from the fields of flashline.sampling, and ignores unknown ones', () => {
    const defaults = sampleSettings().server;
    const sampling = { temperature: 0.5, topK: 5, target: '/models/other' };
    const { generate, target, alternatives } = sampleSettings({
      ...named(SAMPLING),
      'flashline.sampling': sampling,
    }).server;
    assert.deepEqual(generate, { ...defaults.generate, temperature: 0.5, topK: 5 });
    assert.deepEqual(alternatives, defaults.alternatives);
    assert.equal(target, '');
  });

  // One example of each kind of error; the test of the manifest compares the ranges.
  for (const [name, ...values] of [
    ['flashline.trigger', 'sometimes'],
    ['flashline.target', 7],
    ['flashline.drafterBits', 4],
    ['flashline.device', 'tpu'],
    ['flashline.strict', 'yes'],
    ['flashline.draftLength', 256],
    ['flashline.maxSuggestionTokens', 0, 12.5],
    ['flashline.debounceMs', NaN],
    ['flashline.exclude', 'private', [7, null, ' ']],
    ['flashline.enable', 'typescript', { typescript: 'yes' }, null],
    [
      'flashline.sampling',
      'warm',
      7,
      null,
      [1],
      { temperature: 'hot', topK: -1, acceptance: 'all', seed: '' },
    ],
  ] as const)
    it(`uses the default for an invalid ${name}`, () => {
      for (const value of values)
        assert.deepEqual(sampleSettings({ [name]: value }), sampleSettings(), JSON.stringify(value));
    });

  it('enables suggestions by language, then by *, then by default', () => {
    const { enable } = sampleSettings({ 'flashline.enable': { '*': false, rust: true } });
    const languages = [undefined, 'rust', 'go'];
    assert.deepEqual(
      languages.map((id) => isEnabled(enable, id)),
      [false, true, false],
    );
    assert.equal(isEnabled(sampleSettings().enable, 'go'), true);
  });
});

describe('a workspace with its own settings', () => {
  afterEach(() => {
    workspace.settings = workspace.userSettings = {};
  });

  it('shows nothing that the user excludes, whatever the workspace excludes', () => {
    workspace.userSettings = { 'flashline.exclude': ['**/private/**', '*.sql'] };
    for (const patterns of [['*.tmp'], [], 'none']) {
      workspace.settings = { 'flashline.exclude': patterns };
      const { exclude } = readSettings();
      const hidden = ['/w/private/a.ts', '/w/a.sql', '/w/a.tmp'].filter((path) =>
        exclude.some((pattern) => pattern.test(path)),
      );
      assert.equal(hidden.length, patterns.length === 1 ? 3 : 2, hidden.join());
    }
  });
});

describe('Configuration', () => {
  const { getConfiguration } = workspace;
  let configuration: Configuration | undefined;
  let reported: Settings[];
  afterEach(() => {
    configuration?.dispose();
    workspace.settings = workspace.userSettings = workspace.workspaceSettings = {};
    workspace.getConfiguration = getConfiguration;
  });

  /** Opens a window with these settings of the user. */
  function open(settings: Readonly<Record<string, unknown>> = {}): Configuration {
    configuration?.dispose();
    workspace.settings = workspace.userSettings = settings;
    workspace.written = [];
    reported = [];
    configuration = new Configuration();
    configuration.onDidChange((changed) => reported.push(changed));
    return configuration;
  }

  it('reads and reports a change in the sections that Flashline uses', () => {
    const read = open();
    workspace.settings = { 'flashline.target': '/models/a' };
    for (const [section, count] of [
      ['editor.tabSize', 0],
      ['flashline', 1],
      ['editor.inlineSuggest', 2],
      ['http.proxy', 3],
    ] as const) {
      settingsChanged.fire({ affectsConfiguration: (part) => part === section });
      assert.equal(reported.length, count, section);
    }
    assert.equal(read.settings.server.target, '/models/a');
    read.dispose();
    settingsChanged.fire({ affectsConfiguration: () => true });
    assert.equal(reported.length, 3);
  });

  it('sets target and drafter in one change of the user settings, and removes a setting for an empty name', async () => {
    await open({ 'flashline.drafter': 'none' }).setPair({ target: 'a/b', drafter: '' });
    assert.deepEqual(workspace.written, [
      ['flashline.target', 'a/b', ConfigurationTarget.Global],
      ['flashline.drafter', undefined, ConfigurationTarget.Global],
    ]);
    assert.deepEqual(
      reported.map(({ server: { target, drafter } }) => [target, drafter]),
      [['a/b', '']],
    );
  });

  it('turns next edits on with a model for them, unless they are on or the model is removed', async () => {
    for (const [before, model, after] of [
      ['off', 'sweep', 'hint'],
      ['inline', 'sweep', 'inline'],
      ['off', '', 'off'],
    ] as const) {
      const changed = open({ 'flashline.nextEdit': before });
      await changed.setNextEditModel(model);
      const { nextEdit, nextEditModel } = changed.settings.server;
      assert.deepEqual([nextEdit, nextEditModel, reported.length], [after, model, 1]);
    }
  });

  it('removes the tokenizer of the previous remote engine when it sets another', async () => {
    const changed = open({ 'flashline.remote.tokenizer': 'built-in', 'flashline.remote.url': 'http://a:1' });
    await changed.setRemote('http://b:2', 'coder');
    const { url, model, tokenizer } = changed.settings.server.remote;
    assert.deepEqual([url, model, tokenizer, reported.length], ['http://b:2', 'coder', '', 1]);
  });

  it('reports a change that fails, and later changes too', async () => {
    const changed = open();
    workspace.getConfiguration = (section) => ({
      ...getConfiguration(section),
      update: () => Promise.reject(new Error('read-only')),
    });
    await assert.rejects(changed.setPair({ target: 'a/b', drafter: '' }), /read-only/);
    assert.equal(reported.length, 1);
    settingsChanged.fire({ affectsConfiguration: () => true });
    assert.equal(reported.length, 2);
  });

  const { Global, Workspace } = ConfigurationTarget;
  for (const [what, user, own, key, value, target] of [
    ['everywhere', undefined, undefined, undefined, { '*': false }, Global],
    ['where a plain false turned it off', false, undefined, undefined, { '*': true }, Global],
    [
      'in one language of several',
      { '*': true, go: false },
      undefined,
      'go',
      { '*': true, go: true },
      Global,
    ],
    ['in a language that the built-in model does not know', {}, undefined, 'lua', { lua: true }, Global],
    ['in a language that the workspace sets', { go: true }, { go: false }, 'go', { go: true }, Workspace],
    ['in a language that only the user sets', { go: true }, { rust: false }, 'go', { go: false }, Global],
    [
      'in one language where a plain false turned off all, which stays so',
      false,
      undefined,
      'go',
      { '*': false, go: true },
      Global,
    ],
    [
      'in one language where the workspace turned on all by a plain true',
      { rust: false },
      true,
      'go',
      { '*': true, go: false },
      Workspace,
    ],
    [
      'where the workspace turned it off by a plain false',
      { '*': true },
      false,
      undefined,
      { '*': true },
      Workspace,
    ],
  ] as const)
    it(`toggles suggestions ${what}, in the settings that hold the value`, async () => {
      workspace.workspaceSettings = own === undefined ? {} : { 'flashline.enable': own };
      const changed = open({ 'flashline.enable': user });
      // VS Code merges objects; a boolean of the workspace replaces the value of the user.
      if (typeof own === 'boolean') workspace.settings = { 'flashline.enable': own };
      else if (own) workspace.settings = { 'flashline.enable': { ...user, ...own } };
      changed.reload();
      await changed.toggle(key);
      assert.deepEqual(workspace.written, [['flashline.enable', value, target]]);
    });
});

describe('a glob pattern', () => {
  for (const [glob, matching, nonMatching] of [
    ['*.sql', ['/w/db/a.sql'], ['/w/db/a.sqlx']],
    ['private', ['/w/private/a/b.ts'], ['/w/privateer/a.ts']],
    ['private/', ['/w/private/a/b.ts'], []],
    ['**/private/**', ['/w/private/a.ts', '/private/a.ts'], []],
    ['/generated/*.ts', ['/w/generated/a.ts'], ['/w/generated/sub/a.ts']],
    ['src/**/fixtures', ['/w/src/fixtures/a', '/w/src/a/b/fixtures/c'], []],
    ['*.{pb,gen}.go', ['/w/a.pb.go'], ['/w/a.go']],
    ['file?.ts', ['/w/file1.ts'], ['/w/file10.ts']],
    ['a+b(c).ts', ['/w/a+b(c).ts'], []],
    ['*.TS', ['/w/a.ts'], []],
    ['a{b', ['/w/ab'], []],
    ['a}b', ['/w/a}b'], []],
    ['[x].ts', ['/w/[x].ts'], []],
    ['a,b', ['/w/a,b'], ['/w/a', '/w/b']],
    ['{a,b{c,d}}.ts', ['/w/a.ts', '/w/bc.ts', '/w/bd.ts'], ['/w/b.ts', '/w/a,b.ts']],
    ['a**b', ['/w/a/x/b'], ['/w/a/x/c']],
    ['a*b', ['/w/axb'], ['/w/a/x/b']],
  ] as const)
    it(`matches the right paths: ${glob}`, () => {
      const paths = [...matching, ...nonMatching];
      assert.deepEqual(
        paths.filter((path) => globPattern(glob).test(path)),
        matching,
      );
    });
});
