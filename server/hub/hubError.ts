// What went wrong between here and the Hub, read from an answer or an error, and explained to the user. The Hub's own
// text is never repeated: it could contain anything, even the token.
import { InputError } from '../rules/inputError';
import { isPrivate } from '../rules/remoteAddress';
import type { ModelFailure } from '../protocol/modelCatalogue';
import type { HubConnection } from './connection';

/** Something that the Hub does not provide, with the reason in a word for a client that can help. */
export class HubError extends InputError {
  constructor(
    /** refused: a token is missing, or its owner lacks a permission. missing: there is no such repository. */
    readonly refusal: ModelFailure['reason'],
    expected: string,
    got: string,
    remedy: string,
    command?: string,
  ) {
    super({ expected, got, remedy, command });
  }

  /** Something that happened, told in plain sentences, rather than a value that was wrong. */
  static ofEvent(sentences: string, got: string, command: string): HubError {
    const error = new HubError('other', 'an answer', got, sentences, command);
    error.message = `${sentences} (${got.replace(/^"(.*)"$/, '$1')})`;
    return error;
  }
}

/** Where a command line takes them from. */
const [TOKEN, ENDPOINT] = ['HF_TOKEN', 'HF_ENDPOINT'];

/** The failure of one exchange with the Hub. */
export class Failure extends Error {
  constructor(
    /** In plain words. */
    message: string,
    /** Undefined when the network failed. */
    readonly status?: number,
    /** How long the Hub asks to wait, from now. */
    readonly retryAfterMs?: number,
    /** From an answer of the Hub itself. */
    readonly errorCode?: string,
  ) {
    super(message);
  }

  /** For an answer that is not a success. `ofHub`: it came from the Hub itself, not from a host it redirected to. */
  static ofAnswer({ status, headers }: Response, ofHub: boolean): Failure {
    // A signed address has expired, as they do after an hour: the Hub issues another one.
    const hasRunOut = !ofHub && (status === 401 || status === 403);
    const errorCode = ofHub ? (headers.get('x-error-code') ?? undefined) : undefined;
    const retryAfterMs = parseRetryAfter(headers.get('retry-after'));
    return new Failure(
      `HTTP status ${String(status)}`,
      hasRunOut ? undefined : status,
      retryAfterMs,
      errorCode,
    );
  }

  static ofNetwork(error: unknown): Failure {
    const { code, message } = (error instanceof Error ? rootOf(error) : {}) as NodeJS.ErrnoException;
    // The codes of fetch itself (UND_ERR_...) say less than its messages.
    const plain = code?.startsWith('UND_') ? message : (code ?? message);
    return new Failure(`"${plain ?? 'a network failure'}"`);
  }

  /** Whether the same request may succeed a little later. */
  get isPassing(): boolean {
    const { status } = this;
    return status === undefined || status === 408 || status === 429 || status >= 500;
  }
}

/** The error of fetch itself only says that it failed. */
function rootOf(error: Error): Error {
  return error.cause instanceof Error ? rootOf(error.cause) : error;
}

/** From a Retry-After header: seconds, or a date. */
function parseRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const seconds = /^\s*\d+\s*$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds * 1000);
}

/** Explains the failure of a request about a repository to the user. */
export function explain({ endpoint, token }: HubConnection, repository: string, failure: Failure): HubError {
  const { message: got, status, errorCode } = failure;
  const { host } = new URL(endpoint);
  const page = `${endpoint}/${repository}`;
  const isAnonymous = token === undefined;
  const asked = isAnonymous ? `${got} without a token` : got;
  if ((status === 401 || status === 403) && !isPrivate(new URL(endpoint))) {
    const remedy = 'use an endpoint with https, as tokens are not sent without encryption';
    return new HubError('other', `access to ${repository} at ${host}`, asked, remedy);
  }
  if (errorCode === 'GatedRepo') {
    const remedy = `accept its licence at ${page} and provide a token of that account`;
    return new HubError('refused', `access to ${repository}, which is gated`, asked, remedy, TOKEN);
  }
  if (errorCode === 'RevisionNotFound')
    return new HubError('missing', `that revision of ${repository}`, got, 'choose another');
  if (errorCode === 'EntryNotFound')
    return new HubError('other', `the listed files of ${repository}`, got, 'use another mirror or try again');
  // The Hub also answers 401 for repositories that do not exist, so as not to reveal which private ones do.
  if (status === 404 || errorCode === 'RepoNotFound' || (status === 401 && isAnonymous)) {
    const remedy = 'check the name, or provide a token if it is private';
    const refusal = status === 401 && errorCode === undefined ? 'refused' : 'missing';
    return new HubError(refusal, `a repository named ${repository} at ${host}`, asked, remedy, TOKEN);
  }
  if (status === 401)
    return new HubError(
      'refused',
      `a token that ${host} accepts`,
      got,
      'check the token or create a new one',
      TOKEN,
    );
  if (status === 403) {
    const remedy = `request access at ${page} and provide a token of that account`;
    return new HubError('refused', `access to ${repository}`, asked, remedy);
  }
  return noAnswer(host, repository, failure);
}

/** The network or the host is to blame, not the repository. */
function noAnswer(host: string, repository: string, { message: got, status }: Failure): HubError {
  if (status === 429)
    return HubError.ofEvent(
      `${host} accepts no more requests for now. Wait a few minutes, or provide a token.`,
      got,
      TOKEN,
    );
  if (status !== undefined && status >= 500)
    return HubError.ofEvent(
      `${host} has a problem. Try again later; partial downloads are kept.`,
      got,
      ENDPOINT,
    );
  if (status === undefined)
    return HubError.ofEvent(`Could not reach ${host}. Check your network or proxy.`, got, ENDPOINT);
  return new HubError(
    'other',
    `an answer from ${host} about ${repository}`,
    got,
    'check the endpoint',
    ENDPOINT,
  );
}
