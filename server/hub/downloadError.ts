// Explains failures of the Hub, the network or the download folder to the user. Never repeats the Hub's own text, which
// could contain anything, even the token.
import { UserError, type UserErrorOptions, WrongValue } from '../rules/userError';
import { isPotentiallyTrustworthy } from '../rules/remoteAddress';
import type { ModelFailure } from '../protocol/modelCatalogue';
import type { HubFailure } from './hubFailure';
import type { Hub } from './hub';

/** A problem that prevents a download. Its reason lets the client offer an action. */
export class DownloadError extends UserError {
  constructor(
    /** Kind of problem. refused: the token is absent, invalid or lacks a permission. missing: no such repository. */
    readonly reason: ModelFailure['reason'],
    message: string,
    options: UserErrorOptions = {},
  ) {
    super(message, options);
  }
}

/** Environment variables from which the command line takes the token and the endpoint. */
const TOKEN = 'HF_TOKEN';
const ENDPOINT = 'HF_ENDPOINT';

/** Returns the error that explains the failure of a request about a repository to the user. */
export function explain(
  { endpoint, token }: Hub,
  repository: string,
  { message: got, status, errorCode }: HubFailure,
): DownloadError {
  const { host } = new URL(endpoint);
  const page = `${endpoint}/${repository}`;
  const isAnonymous = token === undefined;
  const answer = isAnonymous ? `${got} without a token` : got;
  const denied = (reason: ModelFailure['reason'], problem: string, remedy: string, command?: string) =>
    new DownloadError(reason, `${problem} (${answer}). ${remedy}`, { command });
  if ((status === 401 || status === 403) && !isPotentiallyTrustworthy(new URL(endpoint))) {
    const remedy = 'Use an endpoint with https, as tokens are not sent without encryption.';
    return denied('other', `${host} refused access to ${repository}`, remedy);
  }
  if (errorCode === 'GatedRepo') {
    const remedy = `Accept its licence at ${page} and provide a token of that account.`;
    return denied('refused', `${repository} is gated`, remedy, TOKEN);
  }
  if (errorCode === 'RevisionNotFound' || errorCode === 'EntryNotFound')
    return denied('other', `${host} lacks listed files of ${repository}`, 'Use another mirror or try again.');
  // The Hub also answers 401 for repositories that do not exist, so that it does not reveal private ones.
  if (status === 404 || errorCode === 'RepoNotFound' || (status === 401 && isAnonymous)) {
    const reason = status === 401 && errorCode === undefined ? 'refused' : 'missing';
    const remedy = 'Check the name, or provide a token if it is private.';
    return denied(reason, `${host} has no repository named ${repository}`, remedy, TOKEN);
  }
  if (status === 401)
    return denied('refused', `${host} rejected the token`, 'Check the token or create a new one.', TOKEN);
  if (status === 403) {
    const remedy = `Request access at ${page} and provide a token of that account.`;
    return denied('refused', `${host} refused access to ${repository}`, remedy, TOKEN);
  }
  // Below, the repository is not the cause.
  const event = (sentences: string, command: string) =>
    new DownloadError('other', `${sentences} (${got.replace(/^"(.*)"$/, '$1')})`, { command });
  if (status === 'unusable')
    return event(`${host} sent an unusable answer about ${repository}. Check the endpoint.`, ENDPOINT);
  if (status === undefined) return event(`Could not reach ${host}. Check your network or proxy.`, ENDPOINT);
  if (status === 429)
    return event(`${host} accepts no more requests for now. Wait a few minutes, or provide a token.`, TOKEN);
  if (status >= 500)
    return event(`${host} has a problem. Try again later; partial downloads are kept.`, ENDPOINT);
  return event(`${host} refused the request about ${repository}. Check the endpoint.`, ENDPOINT);
}

/** Returns the error for a repository that Flashline cannot use as a model. */
export function unusable(expected: string, got: string): WrongValue {
  return new WrongValue({ expected, got, remedy: 'choose another repository' });
}

/** Reasons why a download folder cannot be used, by error code. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'a read-only file system',
  ENOSPC: 'a full disk',
  EDQUOT: 'a full disk quota',
  ELOOP: 'a link that leads to itself',
};

/** Returns a UserError if the folder cannot be used, and otherwise the error itself. */
export function folderProblem(error: unknown, folder: string): unknown {
  const {
    code = '',
    syscall,
    path = folder,
  } = (error instanceof Error ? error : {}) as NodeJS.ErrnoException;
  // On a read-only file system, Node's mkdir fails with ENOENT.
  const reason = code === 'ENOENT' && syscall === 'mkdir' ? REASONS['EROFS'] : REASONS[code];
  if (reason === undefined) return error;
  return new UserError(
    `Downloads in ${code === 'ELOOP' ? path : folder} cannot be read or written (${reason}). ` +
      'Give this user access and space there, or use another folder.',
    { command: 'HF_HUB_CACHE', cause: error },
  );
}
