// What a person means by the name of a model: a known pair, with the bits of its target, or one repository.
// Reads nothing.
import { isRepositoryName } from '../../hub/repository';
import { pairById, pairId, variantsOf, type Bits, type PairVariant } from '../../hub/pairVariant';
import { InputError } from '../../inputError';
import { knownPairs } from '../../models/knownPairs';

export interface ModelChoice {
  /** As it was typed, for what to type next. */
  readonly name: string;
  /** Of a known pair, all that are meant, with the fewest bits first. Empty for a repository. */
  readonly variants: readonly PairVariant[];
}

/** Without bits all variants of a pair are meant. Throws InputError for a name that is nothing. */
export function modelChoice(name: string | undefined, bits: Bits | undefined): ModelChoice {
  const pair = name === undefined ? undefined : pairById(name);
  if (name !== undefined && pair !== undefined) {
    const variants = variantsOf(pair).filter((variant) => bits === undefined || variant.bits === bits);
    return { name: pairId(pair), variants };
  }
  if (name === undefined || !isRepositoryName(name)) {
    throw new InputError({
      expected: `a pair (${knownPairs.map(pairId).join(', ')}) or a repository such as Qwen/Qwen3-4B`,
      got: name === undefined ? 'nothing' : `"${name}"`,
      remedy: 'choose one, see flashline models list',
    });
  }
  if (bits === undefined) return { name, variants: [] };
  const remedy = 'name the repository that has so many bits';
  throw new InputError({ expected: '--bits with a pair only', got: `the repository ${name}`, remedy });
}
