// Checks by their configs that a drafter was made for a target: its hash of the target's config, if it has one, and the
// sizes that both must share.
import { createHash } from 'node:crypto';
import { orUserError, type UserError, WrongValue } from '../../rules/userError';
import type { ConfigFields } from './configFields';

/** Hashed fields, in the order of their names. */
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

/** Returns the SHA-256, in hexadecimal, of the fields that exist, as canonical JSON (RFC 8785). */
export function targetHash(target: ConfigFields): string {
  // Targets that also read images nest their text model in text_config.
  const text = target.part('text_config');
  const fields = HASHED.filter((name) => text.has(name)).map((name) => [name, text.raw(name)] as const);
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(fields)))
    .digest('hex');
}

/** Returns the error for a drafter with the hash of another target; undefined if the hash is equal or absent. */
function hashProblem(target: ConfigFields, drafter: ConfigFields): UserError | undefined {
  const fields = drafter.part('dflash_config');
  if (!fields.has('target_config_sha256')) return undefined;
  const expected = fields.string('target_config_sha256').toLowerCase();
  const got = targetHash(target);
  if (got === expected) return undefined;
  return new WrongValue({
    expected: `a target with the hash ${expected}, which ${fields.source} names`,
    got: `${got} of ${target.source}`,
    remedy: 'choose the drafter that was made for this target',
  });
}

/** Returns the error for a drafter whose hash or sizes are wrong or of another target; undefined if they fit. */
export function drafterProblem(target: ConfigFields, drafter: ConfigFields): UserError | undefined {
  return orUserError(() => mismatchOf(target, drafter));
}

function mismatchOf(target: ConfigFields, drafter: ConfigFields): UserError | undefined {
  const problem = hashProblem(target, drafter);
  if (problem) return problem;
  const text = target.part('text_config');
  const sharedFields = [
    ['hidden_size', 'hidden_size'],
    ['vocab_size', 'vocab_size'],
    ['num_target_layers', 'num_hidden_layers'],
  ] as const;
  for (const [ofDrafter, ofTarget] of sharedFields) {
    if (!drafter.has(ofDrafter) || !text.has(ofTarget)) continue;
    const got = drafter.integer(ofDrafter);
    const expected = text.integer(ofTarget);
    if (got === expected) continue;
    return new WrongValue({
      expected: `${ofDrafter} ${String(expected)} in the drafter's config, as in its target's`,
      got: String(got),
      remedy: 'choose the drafter that was made for this target',
    });
  }
  return undefined;
}

/** Throws UserError for a drafter with the hash of another target. Loading checks everything else. */
export function requireTargetHash(target: ConfigFields, drafter: ConfigFields): void {
  const problem = hashProblem(target, drafter);
  if (problem) throw problem;
}
