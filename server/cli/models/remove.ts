// `flashline models remove`: a pair, with all bits that are there or with some, or a repository.
import { gigabytes } from '../../hub/gigabytes';
import { removeModel } from '../../hub/removeModel';
import { variantsOf, type PairVariant } from '../../hub/pairVariant';
import { downloadedModel } from '../../hub/downloadedModel';
import { InputError } from '../../inputError';
import { knownPairs } from '../../models/knownPairs';
import { modelChoice, repositoriesOf } from './modelChoice';
import type { Printout } from './models';
import type { ModelsArguments } from './modelsArguments';

export function remove({ cache, name, bits }: ModelsArguments): Printout {
  const choice = modelChoice(name, bits);
  const { variants } = choice;
  const names = variants.length === 0 ? [choice.name] : freed(variants, cache);
  const removed = names.flatMap((each) => {
    const removal = removeModel(cache, each);
    return removal === undefined ? [] : [{ name: each, ...removal }];
  });
  if (removed.length === 0) {
    const expected = `${choice.name} in ${cache}`;
    throw new InputError({
      expected,
      got: 'nothing of it',
      remedy: 'choose another, see flashline models list',
    });
  }
  const lines = removed.map(({ name: each, bytes, revisionsLeft }) => {
    const left = revisionsLeft > 0 ? `; other revisions of it that are left: ${String(revisionsLeft)}` : '';
    return `${each}: ${gigabytes(bytes)} freed${left}`;
  });
  return { value: { removed }, lines };
}

/** A drafter stays as long as a target that stays needs it. */
function freed(variants: readonly PairVariant[], cache: string): string[] {
  const names = new Set(variants.flatMap(repositoriesOf));
  const others = knownPairs.flatMap(variantsOf).filter(({ target }) => !names.has(target));
  for (const { target, drafter } of others) if (downloadedModel(cache, target)) names.delete(drafter);
  return [...names];
}
