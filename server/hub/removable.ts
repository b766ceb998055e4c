// Which repositories go with a pair that is removed: a drafter stays as long as a target that stays needs it.
// Removes nothing.
import { knownPairs } from '../models/knownPairs';
import { downloadedModel } from './downloadedModel';
import { variantsOf } from './pairVariant';

/** Of these names, those that nothing else that is downloaded needs. */
export function removable(repositories: readonly string[], cache: string): string[] {
  const names = new Set(repositories);
  const others = knownPairs.flatMap(variantsOf).filter(({ target }) => !names.has(target));
  for (const { target, drafter } of others) if (downloadedModel(cache, target)) names.delete(drafter);
  return [...names];
}
