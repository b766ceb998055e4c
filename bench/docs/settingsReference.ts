// Creates the reference of the settings from the declarations in package.json and the texts in package.nls.json.
import { isRecord } from '../../server/rules/json';
import { markdownTable } from './markdownTable';

interface Setting {
  readonly type?: string | readonly string[];
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly scope?: string;
  /** Fields of an object. */
  readonly properties?: Readonly<Record<string, Setting>>;
  readonly markdownDescription: string;
  readonly markdownEnumDescriptions?: readonly string[];
}

export interface Manifest {
  readonly contributes: {
    readonly configuration: readonly { readonly properties: Readonly<Record<string, Setting>> }[];
  };
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] };
  };
}

/** Texts, by the keys that package.json has between percent signs. */
export type Words = Readonly<Record<string, string>>;

/** Returns a row per setting: name with anchor, default and range, scope, description, and its values or fields. */
export function settingsReference(manifest: Manifest, words: Words): string {
  const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
  const rows = settings(manifest).map(([name, setting]) => [
    `<a id="${anchor(name)}"></a>\`${name}\``,
    [defaultText(setting.default), ...rangeText(setting)].join(', '),
    setting.scope === 'application' ? 'user' : restrictedConfigurations.includes(name) ? 'trusted' : 'all',
    [withLinks(text(setting.markdownDescription, words)), ...valuesOrFields(setting, words)].join(' '),
  ]);
  return markdownTable([['setting', 'default, range', 'set by', 'meaning'], ...rows]);
}

/** Lists the values of a setting with their meanings, or the fields of an object with their defaults and ranges. */
function valuesOrFields({ properties = {}, ...setting }: Setting, words: Words): string[] {
  const { enum: values = [], markdownEnumDescriptions: meanings = [] } = setting;
  if (meanings.length > 0)
    return meanings.map((meaning, i) => `<br>\`${values[i] ?? ''}\`: ${text(meaning, words)}`);
  const fields = Object.entries(properties).map(([name, field]) => {
    const { enum: choices = [], default: byDefault } = field;
    const facts = [
      ...(byDefault === undefined ? [] : [defaultText(byDefault)]),
      ...(choices.length > 0 ? [choices.map((choice) => `\`${choice}\``).join(' or ')] : []),
      ...rangeText(field),
    ];
    return `\`${name}\` (${facts.join('; ')})`;
  });
  return fields.length === 0 ? [] : [`Fields, with default and range: ${fields.join(', ')}.`];
}

function settings(manifest: Manifest): [string, Setting][] {
  return manifest.contributes.configuration.flatMap(({ properties }) => Object.entries(properties));
}

/** Returns the anchor that GitHub and VS Code give to a heading. */
function anchor(name: string): string {
  return name.toLowerCase().replace(/[^\w-]/g, '');
}

function text(key: string, words: Words): string {
  return words[key.slice(1, -1)] ?? '';
}

/** Converts links between settings, which VS Code writes as `#name#`. */
function withLinks(description: string): string {
  return description.replace(/`#([\w.]+)#`/g, (_, name: string) =>
    name.startsWith('flashline.') ? `[\`${name}\`](#${anchor(name)})` : `\`${name}\``,
  );
}

function defaultText(value: unknown): string {
  if (value === '' || value === null) return 'empty';
  if (typeof value === 'string') return `\`${value}\``;
  if (!isRecord(value) || Object.keys(value).length === 0) return `\`${JSON.stringify(value)}\``;
  const off = Object.entries(value).flatMap(([key, on]) => (on === false ? [`\`${key}\``] : []));
  return `on except for ${off.join(', ')}`;
}

function rangeText({ minimum, maximum }: Setting): string[] {
  return minimum === undefined || maximum === undefined ? [] : [`${String(minimum)} to ${String(maximum)}`];
}
