// The fingerprint of a target that the config of a drafter may carry: which target it was trained on.
// Knows configs only; sizes that merely fit are compared elsewhere.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../../rules/inputError';
import { ConfigFields } from './configFields';

/** In the order of their names. */
const HASHED = [
  'head_dim',
  'hidden_size',
  'intermediate_size',
  'num_attention_heads',
  'num_hidden_layers',
  'num_key_value_heads',
  'rms_norm_eps',
  'rope_theta',
  'tie_word_embeddings',
  'vocab_size',
] as const;

/** SHA-256, in hexadecimal, of the fields that exist, as canonical JSON (RFC 8785): in order, without white space. */
export function targetHash(target: ConfigFields): string {
  // Targets that also read images nest their text model there.
  const text = target.part('text_config');
  const fields = HASHED.filter((name) => text.has(name)).map((name) => [name, text.raw(name)] as const);
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(fields)))
    .digest('hex');
}

/** Undefined for a drafter of this target, and for one that does not name its target. */
export function hashProblem(target: ConfigFields, drafter: ConfigFields): InputError | undefined {
  const own = drafter.part('dflash_config');
  if (!own.has('target_config_sha256')) return undefined;
  const [expected, got] = [own.string('target_config_sha256').toLowerCase(), targetHash(target)];
  if (got === expected) return undefined;
  return new InputError({
    expected: `a target with the hash ${expected}, which ${own.source} names`,
    got: `${got} of ${target.source}`,
    remedy: 'choose the drafter that was made for this target',
  });
}

/** Throws InputError for the drafter of another target. Does not check whether they can be loaded at all. */
export function requireTargetHash(targetDirectory: string, drafterDirectory: string): void {
  const [target = '', drafter = ''] = [targetDirectory, drafterDirectory].map((each) =>
    join(each, 'config.json'),
  );
  if (!existsSync(target) || !existsSync(drafter)) return;
  const problem = hashProblem(ConfigFields.read(target), ConfigFields.read(drafter));
  if (problem) throw problem;
}
