// Identifies a checkpoint without reading its weights: by the contents of its config and index, and the names and sizes
// of the files that are read at load.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const TOLD = ['config.json', 'model.safetensors.index.json'];
const READ = /\.(safetensors|json|jinja)$/;

/** The fingerprint of an unreadable folder is that of its path, as nothing else is known of it. */
export function modelFingerprint(directory: string): string {
  const facts = factsOf(directory) ?? directory;
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32);
}

function factsOf(directory: string): unknown {
  try {
    return readNames(directory).map((name) => {
      const file = join(directory, name);
      return [name, statSync(file).size, TOLD.includes(name) ? readFileSync(file, 'utf8') : ''];
    });
  } catch {
    return undefined;
  }
}

function readNames(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => READ.test(name))
    .sort();
}
