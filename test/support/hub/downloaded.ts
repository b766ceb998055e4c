// Writes the files of a finished download into a model cache, without loadable weights.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RepositoryCache } from '../../../server/hub/repositoryCache';

const COMMIT = 'c'.repeat(40);

/** Writes the model and returns its folder. A drafter, which has an architecture, gets no tokenizer. */
export function downloaded(cache: string, name: string, architecture?: string): string {
  const repository = new RepositoryCache(cache, name);
  const directory = repository.snapshot(COMMIT);
  mkdirSync(directory, { recursive: true });
  mkdirSync(dirname(repository.ref('main')), { recursive: true });
  writeFileSync(repository.ref('main'), COMMIT);
  const config = { model_type: 'qwen3', ...(architecture && { architectures: [architecture] }) };
  writeFileSync(join(directory, 'config.json'), JSON.stringify(config));
  writeFileSync(join(directory, 'model.safetensors'), 'weights');
  if (architecture === undefined) writeFileSync(join(directory, 'tokenizer.json'), '{}');
  return directory;
}
