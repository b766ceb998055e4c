// Which files of a repository are read when a model is loaded. Knows only names.
import { PAIR_FILES } from '../models/knownPair';

export const CONFIG = 'config.json';
export const INDEX = 'model.safetensors.index.json';
const SINGLE = /^model.*\.safetensors$/;

/** Small ones, from which the others follow. */
export const FIRST_FILES: readonly string[] = [CONFIG, INDEX];

/**
 * `shards` are those that the index names; undefined without an index. What a drafter needs is a part of what a target
 * does.
 */
export function neededFiles<T extends { readonly name: string }>(
  files: readonly T[],
  shards: readonly string[] | undefined,
): T[] {
  const isWeight = (name: string): boolean =>
    shards === undefined ? SINGLE.test(name) : shards.includes(name);
  const isNamed = (name: string): boolean => PAIR_FILES.target.some((pattern) => pattern === name);
  return files.filter(({ name }) => isNamed(name) || isWeight(name));
}

/** The names in an index, without those of other folders. Undefined for what is no index. */
export function shardsOf(index: unknown): readonly string[] | undefined {
  if (typeof index !== 'object' || index === null || !('weight_map' in index)) return undefined;
  const { weight_map: map } = index;
  if (typeof map !== 'object' || map === null) return undefined;
  const names = new Set(Object.values(map).filter((name): name is string => typeof name === 'string'));
  return [...names].filter((name) => /^\w[\w.-]*$/.test(name)).sort();
}

/** Whether these names are enough to load: a config, and all weights. */
export function isLoadable(names: readonly string[], shards: readonly string[] | undefined): boolean {
  if (!names.includes(CONFIG)) return false;
  if (shards === undefined) return !names.includes(INDEX) && names.some((name) => SINGLE.test(name));
  return shards.length > 0 && shards.every((name) => names.includes(name));
}
