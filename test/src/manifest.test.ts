// Tests package.json against the code: commands, settings, translations, media and the rules of an untrusted workspace.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVER_SETTINGS, type ChoiceSetting, type RangeSetting } from '../../server/rules/serverSettings';
import { EDITOR_SETTINGS, parseSettings } from '../../src/configuration';
import { commands as handlers } from '../../src/commands';
import { menu } from '../../src/status/menu';
import { fake } from '../support/fake';

interface Setting {
  readonly type?: string | string[];
  readonly default?: unknown;
  readonly scope?: string;
  readonly ignoreSync?: boolean;
  readonly order?: number;
  readonly tags?: readonly string[];
  readonly enum?: readonly string[];
  readonly markdownEnumDescriptions?: readonly string[];
  readonly markdownDescription?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Setting>>;
}

type Command = Readonly<Record<'command' | 'title' | 'category' | 'key', string>> & {
  readonly icon?: string;
  readonly enablement?: string;
  readonly when?: string;
};

interface Step {
  readonly media: { readonly svg: string; readonly altText: string };
  readonly completionEvents: readonly string[];
}

interface Manifest {
  readonly main: string;
  readonly icon: string;
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] };
  };
  readonly contributes: {
    readonly commands: readonly Command[];
    readonly keybindings: readonly Command[];
    readonly menus: Readonly<Record<string, readonly Command[]>>;
    readonly configuration: readonly {
      readonly title: string;
      readonly properties: Readonly<Record<string, Setting>>;
    }[];
    readonly walkthroughs: readonly { readonly steps: readonly Step[] }[];
  };
}

const json = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;
const text = readFileSync('package.json', 'utf8');
const manifest = json<Manifest>('package.json');
const words = json<Record<string, string>>('package.nls.json');
const { commands, keybindings, menus, configuration, walkthroughs } = manifest.contributes;
const settings = configuration.flatMap(({ properties }) => Object.entries(properties));
const properties: Readonly<Record<string, Setting>> = Object.fromEntries(settings);
/** Declarations by the server's names, which differ for the fields of flashline.sampling. */
const { alternativesTemperature, ...generate } = properties['flashline.sampling']?.properties ?? {};
const declared: Readonly<Record<string, Setting | undefined>> = {
  ...properties,
  ...Object.fromEntries(
    Object.entries(generate).map(([name, field]) => [`flashline.generate.${name}`, field]),
  ),
  'flashline.alternatives.temperature': alternativesTemperature,
};
// No part is used before a command runs.
const commandIds = Object.keys(handlers(fake({})));
const isCommand = (command: string): boolean =>
  commandIds.includes(command) || /^(editor\.action|workbench\.action)\./.test(command);

describe('the manifest', () => {
  it('declares exactly the commands that are registered, at most 29, with title, category and icon', () => {
    assert.deepEqual(commands.map(({ command }) => command).sort(), [...commandIds].sort());
    assert.ok(commandIds.length <= 29);
    for (const { command, title, category, icon } of commands) {
      assert.ok(title.startsWith('%'), command);
      assert.equal(category, 'Flashline');
      assert.match(icon ?? '', /^\$\([a-z-]+\)$/);
    }
  });

  it('binds keys and menus to commands that exist, under conditions', () => {
    for (const { command, key, when } of keybindings)
      assert.ok(isCommand(command) && when?.includes('editorTextFocus'), key);
    for (const { command, when } of Object.values(menus).flat())
      assert.ok(isCommand(command) && when, command);
    assert.equal(new Set(keybindings.map(({ key, command }) => key + command)).size, keybindings.length);
    const nextLine = keybindings.find(({ command }) => command.endsWith('acceptNextLine'));
    assert.equal(nextLine?.key, 'alt+end', 'the key must be one that no desktop uses');
  });

  it('hides in the palette commands that cannot work now', () => {
    const instructs = ['isWorkspaceTrusted', '!flashline.generating'];
    const writes = [...instructs, 'editorIsOpen', '!activeEditorIsReadonly'];
    const needs = {
      generate: writes,
      edit: writes,
      cancelGenerate: ['flashline.generating'],
      dismiss: ['inlineSuggestionVisible'],
      acceptHunk: ['flashline.editPending'],
      rejectHunk: ['flashline.editPending'],
      acceptEdit: ['flashline.editPending'],
      rejectEdit: ['flashline.editPending'],
      whySuggestion: ['flashline.hasRequest'],
      compare: ['flashline.hasRequest'],
      'nextEdit.accept': ['flashline.nextEditShown'],
      'nextEdit.dismiss': ['flashline.nextEditShown'],
      'nextEdit.request': ['editorIsOpen'],
      toggleLanguage: ['editorIsOpen'],
    };
    for (const [name, conditions] of Object.entries(needs)) {
      const isOfCommand = ({ command }: Command): boolean => command === `flashline.${name}`;
      // The palette shows neither a command that is not enabled nor one whose menu condition is false.
      const { enablement } = commands.find(isOfCommand) ?? {};
      const { when } = menus['commandPalette']?.find(isOfCommand) ?? {};
      assert.deepEqual(
        `${enablement ?? ''} && ${when ?? ''}`.split(' && ').filter(Boolean).sort(),
        conditions.sort(),
        name,
      );
    }
  });

  it('has every command of the status bar menu', () => {
    for (const snoozed of [true, false])
      for (const { command } of menu({
        settings: parseSettings(() => undefined),
        languageId: 'go',
        isSnoozed: snoozed,
        problem: undefined,
        pause: undefined,
        serving: snoozed ? 'http://127.0.0.1:8080' : undefined,
      }))
        assert.ok(isCommand(command), command);
  });

  it('describes each setting', () => {
    for (const [name, setting] of settings) {
      const { type, scope, order, minimum, maximum, markdownDescription, enum: values } = setting;
      for (const field of [type, setting.default, scope, order]) assert.notEqual(field, undefined, name);
      assert.ok(markdownDescription?.startsWith('%'), name);
      if (/integer|number/.test(String(type)))
        assert.ok(minimum !== undefined && maximum !== undefined, name);
      if (values === undefined) continue;
      assert.equal(setting.markdownEnumDescriptions?.length, values.length, name);
      assert.ok(
        values.some((value) => value === setting.default),
        name,
      );
    }
  });

  it('tags no setting as advanced, as newer versions of VS Code hide those in the list of all settings', () => {
    for (const [name, { tags = [] }] of settings) assert.ok(!tags.includes('advanced'), name);
  });

  it('has at most 34 settings in four groups', () => {
    assert.deepEqual(
      configuration.map(({ title }) => words[title.slice(1, -1)]),
      ['Suggestions', 'Model', 'Remote', 'Advanced'],
    );
    assert.ok(settings.length <= 34);
  });

  it('has the ranges and defaults of the code', () => {
    for (const [name, { byDefault, range, choices }] of named({ ...EDITOR_SETTINGS, ...SERVER_SETTINGS })) {
      const { minimum, maximum, enum: values, type, default: initial } = declared[name] ?? {};
      assert.deepEqual(
        { minimum, maximum, values, initial },
        { minimum: range?.min, maximum: range?.max, values: choices, initial: byDefault ?? undefined },
        name,
      );
      const isInteger = String(type).includes('integer');
      if (range) assert.equal(isInteger, range.kind === 'whole', name);
    }
    const read: string[] = [];
    const parsed = parseSettings((name) => {
      read.push(name);
      return properties[name]?.default;
    });
    const flashlineNames = read.filter((name) => name.startsWith('flashline.'));
    assert.deepEqual(
      [...new Set(flashlineNames)].sort(),
      Object.keys(properties).sort(),
      'each setting is read',
    );
    assert.deepEqual(
      { ...parsed, enable: {} },
      parseSettings(() => undefined),
    );
  });

  it('takes models, device, memory and addresses from the settings of the user alone, also in remote windows', () => {
    const ofUser = settings.filter(([, { scope }]) => scope === 'application');
    const userNames = ofUser.map(([name]) => name.slice('flashline.'.length));
    assert.deepEqual(userNames.sort(), [
      'cacheMemoryMB',
      'device',
      'drafter',
      'drafterBits',
      'hub.endpoint',
      'hub.proxy',
      'load',
      'nextEditModel',
      'remote.fallback',
      'remote.model',
      'remote.tokenizer',
      'remote.url',
      'serve.port',
      'shareServer',
      'strict',
      'target',
      'unloadAfterMinutes',
    ]);
    // In a remote window, VS Code ignores user settings of the scopes `machine` and `machine-overridable`.
    for (const [name, { scope }] of settings) assert.match(scope ?? '', /^(application|window)$/, name);
    const synced = ofUser.filter(([, { ignoreSync }]) => !ignoreSync);
    assert.ok(synced.every(([name]) => name.startsWith('flashline.remote.')));
  });

  it('restricts target, drafter and Hub address in untrusted workspaces', () => {
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    for (const name of restrictedConfigurations) assert.ok(properties[name], name);
    for (const name of ['flashline.target', 'flashline.drafter', 'flashline.hub.endpoint'])
      assert.ok(restrictedConfigurations.includes(name));
  });

  it('has translations for exactly its keys', () => {
    const used = [...text.matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key ?? '');
    assert.deepEqual([...new Set(used)].sort(), Object.keys(words).sort());
    assert.ok(Object.values(words).every((translation) => translation.trim() !== ''));
  });

  it('links only to settings and commands that exist', () => {
    for (const translation of Object.values(words)) {
      for (const [, name] of translation.matchAll(/`#([\w.]+)#`/g)) assert.ok(properties[name ?? ''], name);
      for (const [, command] of translation.matchAll(/\(command:([\w.]+)/g))
        assert.ok(isCommand(command ?? ''), command);
    }
  });

  it('names existing files', () => {
    assert.ok(existsSync('src/extension.ts') && manifest.main === './dist/extension.js');
    assert.equal(readFileSync(manifest.icon).readUInt32BE(16), 256);
    const steps = walkthroughs.flatMap((walkthrough) => walkthrough.steps);
    for (const { media, completionEvents } of steps) {
      assert.ok(existsSync(media.svg), media.svg);
      assert.ok(media.altText.startsWith('%'));
      for (const event of completionEvents) {
        const [, kind, id = ''] = /^(onCommand|onContext):(.+)$/.exec(event) ?? [];
        const isSet = () => sources('src').some((file) => readFileSync(file, 'utf8').includes(`'${id}'`));
        assert.ok(kind === 'onCommand' ? isCommand(id) : isSet(), event);
      }
    }
  });
});

type AnySetting = Partial<RangeSetting<unknown> & ChoiceSetting<unknown>>;

/** Lists all settings under their names in package.json. */
function named(settings: object, prefix = 'flashline.'): (readonly [name: string, setting: AnySetting])[] {
  return Object.entries(settings).flatMap(([name, value]: [string, object]) =>
    'accepts' in value ? [[prefix + name, value as AnySetting] as const] : named(value, `${prefix}${name}.`),
  );
}

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file));
}
