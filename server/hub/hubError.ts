// What went wrong between here and the hub, read from an answer or an error, and told to the person.
// What the hub writes is not repeated: it may say anything, the token too.
import { InputError } from '../inputError';
import type { ModelFailure } from '../modelCatalogue';
import type { HubConnection } from './connection';

/** What the hub does not give, with why in a word, for who can do something about it. */
export class HubError extends InputError {
  constructor(
    /** refused: a token, or a right of its owner, is missing. missing: there is no such repository. */
    readonly refusal: ModelFailure['reason'],
    expected: string,
    got: string,
    remedy: string,
  ) {
    super({ expected, got, remedy });
  }
}

/** Of one exchange with the hub. */
export class Failure extends Error {
  constructor(
    /** In plain words. */
    message: string,
    /** Undefined when the network failed. */
    readonly status?: number,
    /** Asked for by the hub, from now. */
    readonly retryAfterMs?: number,
    /** Of an answer of the hub itself. */
    readonly errorCode?: string,
  ) {
    super(message);
  }

  /** Of one that is not of success. `ofHub`: the hub itself gave it, and not a host that it sent us to. */
  static ofAnswer({ status, headers }: Response, ofHub: boolean): Failure {
    // A signed address has run out, as those do after an hour: the hub gives another one.
    const hasRunOut = !ofHub && (status === 401 || status === 403);
    const errorCode = ofHub ? (headers.get('x-error-code') ?? undefined) : undefined;
    const retryAfterMs = parseRetryAfter(headers.get('retry-after'));
    return new Failure(
      `the answer ${String(status)}`,
      hasRunOut ? undefined : status,
      retryAfterMs,
      errorCode,
    );
  }

  static ofNetwork(error: unknown): Failure {
    const { code, message } = (error instanceof Error ? rootOf(error) : {}) as NodeJS.ErrnoException;
    // The codes of fetch itself (UND_ERR_...) say less than its messages.
    const plain = code?.startsWith('UND_') ? message : (code ?? message);
    return new Failure(`"${plain ?? 'a failure of the network'}"`);
  }

  /** Whether the same may go well a little later. */
  get isPassing(): boolean {
    const { status } = this;
    return status === undefined || status === 408 || status === 429 || status >= 500;
  }
}

/** fetch itself only says that it has failed. */
function rootOf(error: Error): Error {
  return error.cause instanceof Error ? rootOf(error.cause) : error;
}

/** From a Retry-After header: seconds, or a date. */
function parseRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const seconds = /^\s*\d+\s*$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds * 1000);
}

/** Of a repository, for the person. */
export function explain({ endpoint, token }: HubConnection, repository: string, failure: Failure): HubError {
  const { message: got, status, errorCode } = failure;
  const { host } = new URL(endpoint);
  const page = `${endpoint}/${repository}`;
  const isAnonymous = token === undefined;
  const asked = isAnonymous ? `${got} without a token` : got;
  if (errorCode === 'GatedRepo') {
    const remedy = `accept its licence at ${page} and give a token of that account (HF_TOKEN)`;
    return new HubError('refused', `access to ${repository}, which is gated`, asked, remedy);
  }
  if (errorCode === 'RevisionNotFound')
    return new HubError('missing', `the revision of ${repository}`, got, 'give another');
  if (errorCode === 'EntryNotFound')
    return new HubError('other', `the listed files of ${repository}`, got, 'use another mirror or try again');
  // The hub answers 401 about a repository that does not exist, so as not to tell which private ones do.
  if (status === 404 || errorCode === 'RepoNotFound' || (status === 401 && isAnonymous)) {
    const remedy = 'check the name, or give a token (HF_TOKEN) if it is private';
    const refusal = status === 401 && errorCode === undefined ? 'refused' : 'missing';
    return new HubError(refusal, `a repository ${repository} at ${host}`, asked, remedy);
  }
  if (status === 401)
    return new HubError('refused', `a token that ${host} accepts`, got, 'check HF_TOKEN or make a new one');
  if (status === 403) {
    const remedy = `ask for it at ${page} and give a token of that account`;
    return new HubError('refused', `access to ${repository}`, asked, remedy);
  }
  return noAnswer(host, repository, failure);
}

/** The network or the host is to blame, not the repository. */
function noAnswer(host: string, repository: string, { message: got, status }: Failure): HubError {
  if (status === 429) {
    const remedy = 'wait some minutes, or give a token (HF_TOKEN)';
    return new HubError('other', `${host} to have time for us`, got, remedy);
  }
  if (status !== undefined && status >= 500) {
    const remedy = 'try again later; what is there is kept';
    return new HubError('other', `an answer of ${host}`, `${got}, again and again`, remedy);
  }
  if (status === undefined) {
    const remedy = 'check the network, the proxy and HF_ENDPOINT, then try again';
    return new HubError('other', `an answer of ${host}`, got, remedy);
  }
  return new HubError('other', `${host} to answer about ${repository}`, got, 'check HF_ENDPOINT');
}
