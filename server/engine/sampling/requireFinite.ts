// Checks that a model computes finite numbers, by the logits of its best tokens, which are read anyway.
import { ModelFault } from '../../rules/userError';

/**
 * Throws ModelFault unless the logits of the target's best tokens are finite. NaN in the weights, perhaps in those of
 * one token or one expert only, would make it write the first token of the vocabulary forever.
 */
export function requireFinite(logits: readonly number[], where = 'the model'): void {
  if (logits.every(Number.isFinite)) return;
  throw new ModelFault(
    `The weights in ${where} give NaN or infinite numbers. Use another model, or download this one again.`,
  );
}
