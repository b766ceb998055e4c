// The reference of the settings: what package.json declares of each, in the words of package.nls.json.
import { isRecord } from '../../server/rules/record';

interface Setting {
  readonly type?: string | readonly string[];
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly scope?: string;
  /** Of an object. */
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

/** By the keys that package.json has between percent signs. */
export type Words = Readonly<Record<string, string>>;

/** One section per setting: its description, default and range, where it may be set, and its values or fields. */
export function settingsReference(manifest: Manifest, words: Words): string {
  const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
  const sections = settings(manifest).map(([name, setting]) => {
    const facts = [
      withLinks(text(setting.markdownDescription, words)),
      `Default: ${defaultText(setting.default)}.`,
      ...rangeText(setting),
      ...(setting.scope === 'application' ? ['_User settings only._'] : []),
      ...(restrictedConfigurations.includes(name) ? ['_Trusted workspaces only._'] : []),
    ];
    return [`### \`${name}\``, facts.join(' '), ...listed(setting, words)].join('\n\n');
  });
  return sections.map((section) => section.split('\n').flatMap(wrapped).join('\n')).join('\n\n');
}

/** The values of a setting with their meanings, or the fields of an object with their defaults and ranges. */
function listed({ properties = {}, ...setting }: Setting, words: Words): string[] {
  const { enum: values = [], markdownEnumDescriptions: meanings = [] } = setting;
  if (meanings.length > 0)
    return [meanings.map((meaning, i) => `- \`${values[i] ?? ''}\`: ${text(meaning, words)}`).join('\n')];
  const fields = Object.entries(properties).map(([name, field]) => {
    const { enum: choices = [], default: usual } = field;
    const facts = [
      ...(usual === undefined ? [] : [defaultText(usual)]),
      ...(choices.length > 0 ? [choices.map((each) => `\`${each}\``).join(' or ')] : []),
      ...(field.minimum === undefined ? [] : [`${String(field.minimum)} to ${String(field.maximum)}`]),
    ];
    return `\`${name}\` (${facts.join('; ')})`;
  });
  return fields.length === 0 ? [] : [`Fields, with default and range: ${fields.join(', ')}.`];
}

function settings(manifest: Manifest): [string, Setting][] {
  return manifest.contributes.configuration.flatMap(({ properties }) => Object.entries(properties));
}

/** As GitHub and VS Code make it of a heading. */
function anchor(name: string): string {
  return name.toLowerCase().replace(/[^\w-]/g, '');
}

function text(key: string, words: Words): string {
  return words[key.slice(1, -1)] ?? '';
}

/** Links between settings, which VS Code writes as `#name#`. */
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
  return `on for all languages except ${off.join(', ')}`;
}

function rangeText({ type, minimum, maximum }: Setting): string[] {
  if (minimum === undefined || maximum === undefined) return [];
  const isWhole = [type].flat().includes('integer');
  const words = [type].flat().includes('string') ? ', or one of the words above' : '';
  const number = isWhole ? 'A whole number' : 'A number';
  return [`${number} from ${String(minimum)} to ${String(maximum)}${words}.`];
}

const WIDTH = 118;

/** Lines of at most 118 characters; what continues an item of a list is indented. */
function wrapped(line: string): string[] {
  const indent = line.startsWith('- ') ? '  ' : '';
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (longer.length <= WIDTH || current === '') current = longer;
    else {
      lines.push(current);
      current = indent + word;
    }
  }
  return [...lines, current];
}
