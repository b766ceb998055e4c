// `flashline models remove`: a pair, with all bits that are there or with some, or a repository.
import { formatSize } from '../../rules/format';
import { repositoriesOf } from '../../hub/pairVariant';
import { removable } from '../../hub/removable';
import { removeModel } from '../../hub/removeModel';
import { InputError } from '../../inputError';
import { modelChoice } from './modelChoice';
import type { Printout } from './models';
import type { ModelsArguments } from './modelsArguments';

export function remove({ cache, name, bits }: ModelsArguments): Printout {
  const choice = modelChoice(name, bits);
  const { variants } = choice;
  const names = variants.length === 0 ? [choice.name] : removable(variants.flatMap(repositoriesOf), cache);
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
    return `${each}: ${formatSize(bytes)} freed${left}`;
  });
  return { value: { removed }, lines };
}
