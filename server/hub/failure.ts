// What went wrong between here and the hub, read from an answer or an error, and told to the person.
// What the hub writes is not repeated: it may say anything, the token too.
import { InputError } from '../inputError';
import { hostOf, type HubConnection } from './connection';
import { parseRetryAfter, type Failure } from './patience';
import type { Answer } from './send';

/** Of an answer that is not one of success. */
export function failureOfAnswer({ response, ofHub }: Answer): Failure {
  const { status, headers } = response;
  return {
    // A signed address has run out, as those do after an hour: the hub gives another one.
    status: !ofHub && (status === 401 || status === 403) ? undefined : status,
    got: `the answer ${String(status)}`,
    retryAfterMs: parseRetryAfter(headers.get('retry-after')),
    errorCode: ofHub ? (headers.get('x-error-code') ?? undefined) : undefined,
  };
}

export function failureOfNetwork(error: unknown): Failure {
  const { code, message } = (error instanceof Error ? (rootOf(error) ?? error) : {}) as NodeJS.ErrnoException;
  return { status: undefined, got: `"${code ?? message ?? 'a failure of the network'}"` };
}

/** fetch itself only says that it has failed. */
function rootOf({ cause }: Error): Error | undefined {
  return cause instanceof Error ? (rootOf(cause) ?? cause) : undefined;
}

/** Of a repository, for the person. */
export function explain(connection: HubConnection, repository: string, failure: Failure): InputError {
  const { status, got, errorCode } = failure;
  const host = hostOf(connection);
  const page = `${connection.endpoint}/${repository}`;
  const asked = connection.token === undefined ? `${got} without a token` : got;
  if (errorCode === 'GatedRepo') {
    const remedy = `accept its licence at ${page} and give a token of that account (HF_TOKEN)`;
    return problem(`access to ${repository}, which is gated`, asked, remedy);
  }
  if (errorCode === 'RevisionNotFound') return problem(`the revision of ${repository}`, got, 'give another');
  if (errorCode === 'EntryNotFound')
    return problem(`the listed files of ${repository}`, got, 'use another mirror or try again');
  if (status === 404 || errorCode === 'RepoNotFound') return missing(host, repository, asked);
  if (status === 401 && connection.token === undefined) return missing(host, repository, asked);
  if (status === 401) return problem(`a token that ${host} accepts`, got, 'check HF_TOKEN or make a new one');
  if (status === 403)
    return problem(
      `access to ${repository}`,
      asked,
      `ask for it at ${page} and give a token of that account`,
    );
  if (status === 429)
    return problem(`${host} to have time for us`, got, 'wait some minutes, or give a token (HF_TOKEN)');
  if (status !== undefined && status >= 500)
    return problem(
      `an answer of ${host}`,
      `${got}, again and again`,
      'try again later; what is there is kept',
    );
  if (status === undefined)
    return problem(
      `an answer of ${host}`,
      got,
      'check the network, the proxy and HF_ENDPOINT, then try again',
    );
  return problem(`${host} to answer about ${repository}`, got, 'check HF_ENDPOINT');
}

/** The hub answers 401 about a repository that does not exist, so as not to tell which private ones do. */
function missing(host: string, repository: string, got: string): InputError {
  const remedy = 'check the name, or give a token (HF_TOKEN) if it is private';
  return problem(`a repository ${repository} at ${host}`, got, remedy);
}

function problem(expected: string, got: string, remedy: string): InputError {
  return new InputError({ expected, got, remedy });
}
