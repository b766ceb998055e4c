// Identifies a checkpoint without reading its weights.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from '../machine/regularFile';

/** Maximum bytes of a hashed file; a load refuses larger ones too. */
const MAX_HASHED_BYTES = 64e6;
/** Files whose contents are hashed. */
const HASHED = ['config.json', 'model.safetensors.index.json'];
/** Matches files that a load reads. */
const LOADED = /\.(safetensors|json|jinja)$/;
/** The only file in a subfolder that a load reads. */
const TOOL_TEMPLATE = 'additional_chat_templates/tool_use.jinja';

/**
 * Hashes the contents of a checkpoint's config and index, and the names and sizes of all files that a load reads. If
 * the folder cannot be read, hashes its path.
 */
export function modelFingerprint(directory: string): string {
  const facts = fileFacts(directory) ?? directory;
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32);
}

function fileFacts(directory: string): unknown {
  try {
    const names = readdirSync(directory).filter((name) => LOADED.test(name));
    if (existsSync(join(directory, TOOL_TEMPLATE))) names.push(TOOL_TEMPLATE);
    return names.sort().map((name) => {
      const file = join(directory, name);
      const text = HASHED.includes(name) ? readRegularFile(file, MAX_HASHED_BYTES).toString() : '';
      return [name, statSync(file).size, text];
    });
  } catch {
    return undefined;
  }
}
