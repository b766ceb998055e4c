// What went wrong between here and the hub, read from an answer or an error, and told to the person.
// What the hub writes is not repeated: it may say anything, the token too.
import { hostOf, type HubConnection } from './connection';
import { HubError, type HubRefusal } from './hubError';
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
export function explain(connection: HubConnection, repository: string, failure: Failure): HubError {
  const { status, got, errorCode } = failure;
  const host = hostOf(connection);
  const page = `${connection.endpoint}/${repository}`;
  const isAnonymous = connection.token === undefined;
  const asked = isAnonymous ? `${got} without a token` : got;
  if (errorCode === 'GatedRepo') {
    const remedy = `accept its licence at ${page} and give a token of that account (HF_TOKEN)`;
    return problem('refused', `access to ${repository}, which is gated`, asked, remedy);
  }
  if (errorCode === 'RevisionNotFound')
    return problem('missing', `the revision of ${repository}`, got, 'give another');
  if (errorCode === 'EntryNotFound')
    return problem('other', `the listed files of ${repository}`, got, 'use another mirror or try again');
  // The hub answers 401 about a repository that does not exist, so as not to tell which private ones do.
  if (status === 404 || errorCode === 'RepoNotFound' || (status === 401 && isAnonymous)) {
    const remedy = 'check the name, or give a token (HF_TOKEN) if it is private';
    const refusal = status === 401 && errorCode === undefined ? 'refused' : 'missing';
    return problem(refusal, `a repository ${repository} at ${host}`, asked, remedy);
  }
  if (status === 401)
    return problem('refused', `a token that ${host} accepts`, got, 'check HF_TOKEN or make a new one');
  if (status === 403) {
    const remedy = `ask for it at ${page} and give a token of that account`;
    return problem('refused', `access to ${repository}`, asked, remedy);
  }
  return noAnswer(host, repository, failure);
}

/** The network or the host is to blame, not the repository. */
function noAnswer(host: string, repository: string, { status, got }: Failure): HubError {
  if (status === 429) {
    const remedy = 'wait some minutes, or give a token (HF_TOKEN)';
    return problem('other', `${host} to have time for us`, got, remedy);
  }
  if (status !== undefined && status >= 500) {
    const remedy = 'try again later; what is there is kept';
    return problem('other', `an answer of ${host}`, `${got}, again and again`, remedy);
  }
  if (status === undefined) {
    const remedy = 'check the network, the proxy and HF_ENDPOINT, then try again';
    return problem('other', `an answer of ${host}`, got, remedy);
  }
  return problem('other', `${host} to answer about ${repository}`, got, 'check HF_ENDPOINT');
}

function problem(refusal: HubRefusal, expected: string, got: string, remedy: string): HubError {
  return new HubError(refusal, { expected, got, remedy });
}
