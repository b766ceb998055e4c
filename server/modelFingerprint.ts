// What tells one checkpoint from another without reading its weights: what its config and index say, and the names and
// sizes of the files that are read at load. Knows nothing about what they hold.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const TOLD = ['config.json', 'model.safetensors.index.json'];
const READ = /\.(safetensors|json|jinja)$/;

/** A folder that cannot be read has its path for one, as nothing else is known of it. */
export function modelFingerprint(directory: string): string {
  const facts = factsOf(directory) ?? directory;
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32);
}

function factsOf(directory: string): unknown {
  try {
    const names = readdirSync(directory)
      .filter((name) => READ.test(name))
      .sort();
    return names.map((name) => {
      const file = join(directory, name);
      return [name, statSync(file).size, TOLD.includes(name) ? readFileSync(file, 'utf8') : ''];
    });
  } catch {
    return undefined;
  }
}
