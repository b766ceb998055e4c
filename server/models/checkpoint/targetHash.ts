// What the config of a drafter says of the target that it was trained on: its fingerprint, if it carries one, and the
// sizes that both must share. Knows configs only.
import { createHash } from 'node:crypto';
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
function hashProblem(target: ConfigFields, drafter: ConfigFields): InputError | undefined {
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

/** Checks the hash of the target, if the drafter carries one, and the sizes that both must share. */
export function drafterProblem(target: ConfigFields, drafter: ConfigFields): InputError | undefined {
  const other = hashProblem(target, drafter);
  if (other) return other;
  const text = target.part('text_config'); // Where targets with vision keep their text model.
  const equal = [
    ['hidden_size', 'hidden_size'],
    ['vocab_size', 'vocab_size'],
    ['num_target_layers', 'num_hidden_layers'],
  ] as const;
  for (const [own, theirs] of equal) {
    if (!drafter.has(own) || !text.has(theirs)) continue;
    const [got, expected] = [drafter.integer(own), text.integer(theirs)];
    if (got === expected) continue;
    return new InputError({
      expected: `${own} ${String(expected)} in the drafter's config, as in its target's`,
      got: String(got),
      remedy: 'choose the drafter made for this target',
    });
  }
  return undefined;
}

/** Throws InputError for the drafter of another target. Does not check whether they can be loaded at all. */
export function requireTargetHash(targetDirectory: string, drafterDirectory: string): void {
  const problem = hashProblem(ConfigFields.ofModel(targetDirectory), ConfigFields.ofModel(drafterDirectory));
  if (problem) throw problem;
}
