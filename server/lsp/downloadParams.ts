// The parameters of the requests about models, checked at the edge. What is wrong is told without repeating it, as a
// token may be part of it.
import { isRepositoryName } from '../hub/repository';
import type { CatalogueParams, DownloadParams, RemoveParams } from '../modelCatalogue';
import { fieldsOf, refused } from './requestSignal';

/** A target and its drafter. */
const MOST_REPOSITORIES = 2;

/** Throws a ResponseError for parameters that a client must put right, like the others. */
export function parseCatalogueParams(value: unknown): CatalogueParams {
  const { repositories, token } = fieldsOf(value);
  return {
    repositories: repositories === undefined ? undefined : names(repositories),
    token: tokenOf(token),
  };
}

export function parseDownloadParams(value: unknown): DownloadParams {
  const { repositories, token, force, partialResultToken: stream } = fieldsOf(value);
  return {
    repositories: names(repositories),
    token: tokenOf(token),
    force: force === true,
    partialResultToken: typeof stream === 'string' || typeof stream === 'number' ? stream : undefined,
  };
}

export function parseRemoveParams(value: unknown): RemoveParams {
  return { repositories: names(fieldsOf(value)['repositories']) };
}

function names(value: unknown): readonly string[] {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= MOST_REPOSITORIES;
  if (isList && value.every((name) => typeof name === 'string' && isRepositoryName(name)))
    return value as readonly string[];
  throw refused(
    'Expected one or two repositories such as Qwen/Qwen3-4B, got something else; name the target first',
  );
}

function tokenOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
