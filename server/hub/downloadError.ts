// Explains failures of the Hub, the network or the download folder to the user. Never repeats the Hub's own text, which
// could contain anything, even the token.
import { InputError, type InputProblem } from '../rules/inputError';
import { isPotentiallyTrustworthy } from '../rules/remoteAddress';
import type { ModelFailure } from '../protocol/modelCatalogue';
import type { Failure } from './failure';
import type { Hub } from './hub';

/** A problem that prevents a download. Its reason lets the client offer an action. */
export class DownloadError extends InputError {
  constructor(
    /** Kind of problem. refused: a token or a permission of its owner is missing. missing: no such repository. */
    readonly reason: ModelFailure['reason'],
    problem: InputProblem,
  ) {
    super(problem);
  }
}

/** Environment variables from which a command line takes the token and the endpoint. */
const [TOKEN, ENDPOINT] = ['HF_TOKEN', 'HF_ENDPOINT'];

/** Explains the failure of a request about a repository to the user. */
export function explain(
  { endpoint, token }: Hub,
  repository: string,
  { message: got, status, errorCode }: Failure,
): DownloadError {
  const { host } = new URL(endpoint);
  const page = `${endpoint}/${repository}`;
  const isAnonymous = token === undefined;
  const access = `access to ${repository}`;
  const denied = (reason: ModelFailure['reason'], expected: string, remedy: string, command?: string) =>
    new DownloadError(reason, {
      expected,
      got: isAnonymous ? `${got} without a token` : got,
      remedy,
      command,
    });
  if ((status === 401 || status === 403) && !isPotentiallyTrustworthy(new URL(endpoint))) {
    const remedy = 'use an endpoint with https, as tokens are not sent without encryption';
    return denied('other', `${access} at ${host}`, remedy);
  }
  if (errorCode === 'GatedRepo') {
    const remedy = `accept its licence at ${page} and provide a token of that account`;
    return denied('refused', `${access}, which is gated`, remedy, TOKEN);
  }
  if (errorCode === 'RevisionNotFound' || errorCode === 'EntryNotFound')
    return denied('other', `the listed files of ${repository}`, 'use another mirror or try again');
  // The Hub also answers 401 for repositories that do not exist, so that it does not reveal private ones.
  if (status === 404 || errorCode === 'RepoNotFound' || (status === 401 && isAnonymous)) {
    const reason = status === 401 && errorCode === undefined ? 'refused' : 'missing';
    const remedy = 'check the name, or provide a token if it is private';
    return denied(reason, `a repository named ${repository} at ${host}`, remedy, TOKEN);
  }
  if (status === 401)
    return denied('refused', `a token that ${host} accepts`, 'check the token or create a new one', TOKEN);
  if (status === 403)
    return denied('refused', access, `request access at ${page} and provide a token of that account`);
  // Below, the network or the host failed; the repository is not the cause.
  const event = (remedy: string, command: string) => {
    const sentence = `${remedy} (${got.replace(/^"(.*)"$/, '$1')})`;
    return new DownloadError('other', { expected: 'an answer', got, remedy, command, sentence });
  };
  if (status === undefined) return event(`Could not reach ${host}. Check your network or proxy.`, ENDPOINT);
  if (status === 429)
    return event(`${host} accepts no more requests for now. Wait a few minutes, or provide a token.`, TOKEN);
  if (status >= 500)
    return event(`${host} has a problem. Try again later; partial downloads are kept.`, ENDPOINT);
  const expected = `an answer from ${host} about ${repository}`;
  return new DownloadError('other', { expected, got, remedy: 'check the endpoint', command: ENDPOINT });
}

/** Returns the problem of a repository that Flashline cannot use as a model. */
export function unusable(expected: string, got: string, cause?: unknown): InputProblem {
  return { expected, got, remedy: 'choose another repository', cause };
}

/** Words for error codes of a download folder that cannot be used. */
const GOT: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'a read-only file system',
  ENOSPC: 'a full disk',
  EDQUOT: 'a full disk quota',
  ELOOP: 'a link that leads to itself',
};

/** Returns an InputError if the folder cannot be used, and otherwise the error itself. */
export function folderProblem(error: unknown, folder: string): unknown {
  const {
    code = '',
    syscall,
    path = folder,
  } = (error instanceof Error ? error : {}) as NodeJS.ErrnoException;
  // On a read-only file system, Node's mkdir fails with ENOENT.
  const got = code === 'ENOENT' && syscall === 'mkdir' ? GOT['EROFS'] : GOT[code];
  if (got === undefined) return error;
  return new InputError({
    expected: `to read and write downloads in ${code === 'ELOOP' ? path : folder}`,
    got,
    remedy: 'give this user access and space there, or use another folder',
    command: 'HF_HUB_CACHE',
    cause: error,
  });
}
