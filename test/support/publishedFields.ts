// The published fields of a config.json, from test/fixtures/publishedConfigs.json.
import { readFileSync } from 'node:fs';

type Fields = Readonly<Record<string, unknown>>;

/** Of a repository, all but the list of layer types; what it has in common with another stands there. */
export function publishedFields(repository: string): Fields {
  const all = JSON.parse(readFileSync('test/fixtures/publishedConfigs.json', 'utf8')) as Record<
    string,
    Fields
  >;
  const { like, ...own } = all[repository] ?? {};
  if (typeof like !== 'string') return own;
  const common = publishedFields(like);
  const text = {
    ...(common['text_config'] as object | undefined),
    ...(own['text_config'] as object | undefined),
  };
  return { ...common, ...own, ...(Object.keys(text).length > 0 && { text_config: text }) };
}
