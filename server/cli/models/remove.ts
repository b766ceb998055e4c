// `flashline models remove`: removes downloaded models.
import { removable, removeModel } from '../../hub/removeModel';
import { formatSize } from '../../rules/formatNumber';
import { UserError } from '../../rules/userError';
import type { ModelsArguments, Printout } from './modelsArguments';

/** Removes a repository, or the chosen variants of a pair: all of them without --bits and --drafter. */
export function remove({ cache, name, variants, repositories }: ModelsArguments): Printout {
  const names = variants.length === 0 ? repositories : removable(repositories, cache);
  const removed = names.flatMap((repository) => {
    const removal = removeModel(cache, repository);
    return removal === undefined ? [] : [{ name: repository, ...removal }];
  });
  if (removed.length === 0) {
    throw new UserError(`${cache} has no files of ${name}. Choose a model from flashline models list.`);
  }
  const lines = removed.map(({ name: repository, bytes, revisionsLeft }) => {
    const left = revisionsLeft > 0 ? `; other revisions left: ${String(revisionsLeft)}` : '';
    return `${repository}: ${formatSize(bytes)} freed${left}`;
  });
  return { value: { removed }, lines };
}
