// What published models were tried against, counted again each time: their config.json, their chat templates and their
// tokenizers. The facts lie in test/fixtures, where tests hold them to the same.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { knownPairs } from '../../server/hub/knownPairs';
import { ConfigFields } from '../../server/models/checkpoint/configFields';
import { readTemplate } from '../../server/models/text/jinja/jinja';
import { loadable } from '../../server/models/families/registry';
import { loadTokenizer } from '../../server/models/text/tokenizer';
import { markdownTable } from './markdownTable';

type Fields = Readonly<Record<string, unknown>>;

interface Templates {
  readonly conversations: Readonly<Record<string, Fields>>;
  /** By package; the beginning of the SHA-256 of what Jinja2 renders, or null where the template refuses. */
  readonly hashes: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
}

interface Vectors {
  readonly texts: readonly string[];
  readonly cases: readonly {
    readonly name: string;
    readonly pre_tokenizer: object;
    readonly ids: number[][];
  }[];
}

export function publishedTables(): string {
  return [configs(), templates(), tokenizers()].join('\n\n');
}

/** The config.json of a repository, all but the list of layer types; what it has in common with another stands there. */
export function publishedFields(repository: string): Fields {
  const all = fixture('publishedConfigs.json') as Readonly<Record<string, Fields>>;
  const { like, ...own } = all[repository] ?? {};
  if (typeof like !== 'string') return own;
  const common = publishedFields(like);
  const text = {
    ...(common['text_config'] as object | undefined),
    ...(own['text_config'] as object | undefined),
  };
  return { ...common, ...own, ...(Object.keys(text).length > 0 && { text_config: text }) };
}

function configs(): string {
  const families = [...new Set(knownPairs.map(({ modelType }) => modelType))];
  const rows = families.map((family) => {
    const repositories = knownPairs.flatMap(({ modelType, target }) =>
      modelType === family ? [target.repository] : [],
    );
    const good = repositories.filter((name) => {
      const fields = publishedFields(name);
      return fields['model_type'] === family && !loadable.problemOf(new ConfigFields(name, fields));
    });
    const names = repositories.map((name) => name.replace(/^.*\//, '')).join(', ');
    return [`\`${family}\``, names, ratio(good.length, repositories.length)];
  });
  return markdownTable([['family', 'published config.json of', 'read'], ...rows]);
}

function templates(): string {
  const { conversations, hashes } = fixture('chat-templates.json') as Templates;
  const rows = Object.entries(hashes).map(([name, expected]) => {
    const file = createRequire(join(process.cwd(), 'package.json')).resolve(
      `${name}/models/tokenizer_config.json`,
    );
    const { chat_template: source } = JSON.parse(readFileSync(file, 'utf8')) as { chat_template: string };
    const equal = Object.entries(expected).filter(
      ([conversation, hash]) => hashOf(source, conversations[conversation] ?? {}) === hash,
    );
    return [`\`${name}\``, ratio(equal.length, Object.keys(expected).length)];
  });
  const expressions = fixture('jinja-expressions.json') as readonly (readonly [string, string | null])[];
  const equal = expressions.filter(([source, text]) => rendered(source, { messages: [], m: {} }) === text);
  return markdownTable([
    ['chat template of', 'texts as from Jinja2'],
    ...rows,
    ['small expressions', ratio(equal.length, expressions.length)],
  ]);
}

function tokenizers(): string {
  const { texts, cases } = fixture('preTokenizerIds.json') as Vectors;
  const builtIn = JSON.parse(readFileSync('media/model/target/tokenizer.json', 'utf8')) as object;
  const rows = cases.map(({ name, pre_tokenizer, ids }) => {
    const folder = mkdtempSync(join(tmpdir(), 'flashline-docs-'));
    try {
      writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify({ ...builtIn, pre_tokenizer }));
      const tokenizer = loadTokenizer(folder);
      const equal = texts.filter((text, i) => tokenizer?.encodePrompt(text).join() === ids[i]?.join());
      return [name, ratio(equal.length, texts.length)];
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
  return markdownTable([['pre-tokenizer', 'texts with the ids of the Rust library'], ...rows]);
}

function rendered(source: string, variables: Fields): string | null {
  try {
    return readTemplate(source)(variables);
  } catch {
    return null;
  }
}

function hashOf(source: string, variables: Fields): string | null {
  const text = rendered(source, variables);
  return text && createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function fixture(name: string): unknown {
  return JSON.parse(readFileSync(join('test/fixtures', name), 'utf8'));
}

function ratio(good: number, all: number): string {
  return `${String(good)} of ${String(all)}`;
}
