// Errors of remote engines, in a line for the user. They never repeat the server's own text, which can contain
// anything, even the prompt or the key.
import { networkWords, retryAfterMs } from '../machine/outboundHttp';
import { InputError } from '../rules/inputError';
import type { OptionalField } from './completionBody';

interface RemoteFacts {
  /** HTTP status of the answer. */
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
  /** Optional fields that the server named when it refused the request. */
  readonly named?: readonly OptionalField[] | undefined;
}

/** Error of a remote engine that cannot be used now; the same request can succeed later. */
export class RemoteError extends InputError {
  // eslint-disable-next-line max-params -- the parts of one sentence, and its cause
  constructor(
    expected: string,
    got: string,
    remedy: string,
    /** Facts for programs, such as the status of the answer and how long the server asks to wait. */
    readonly facts: RemoteFacts = {},
    cause?: unknown,
  ) {
    super({ expected, got, remedy, cause });
    this.name = 'RemoteError';
  }
}

/** The server and the request, as errors describe them. */
export interface RemoteParty {
  readonly host: string;
  readonly model: string;
  readonly hasKey: boolean;
  /** Whether prompts are token ids, and not text. */
  readonly sendsIds: boolean;
}

/** Creates the error for an answer without success, including redirects. */
export function refusal(
  party: RemoteParty,
  { status, headers }: Response,
  named?: readonly OptionalField[],
): RemoteError {
  const { host, model, hasKey, sendsIds } = party;
  const got = `HTTP status ${String(status)}`;
  const failure = (expected: string, found: string, remedy: string): RemoteError =>
    new RemoteError(expected, found, remedy, {
      status,
      named,
      retryAfterMs: retryAfterMs(headers),
    });
  if (status >= 300 && status < 400)
    return failure(
      `${host} to answer itself`,
      `a redirect (${got})`,
      'set the final address of the server; redirects are not followed',
    );
  if (status === 401 || status === 403)
    return failure(
      `an API key that ${host} accepts`,
      hasKey ? got : `${got} without a key`,
      'run "Flashline: Remote Engine...", or set FLASHLINE_REMOTE_API_KEY on the command line',
    );
  if (status === 404)
    return failure(
      `${model === '' ? 'an API of OpenAI’s form' : `the model ${model}`} at ${host}`,
      got,
      'check the address and the name of the model',
    );
  if (status === 429) return failure(`${host} to accept more requests`, got, 'wait a little');
  if (status === 400 || status === 422)
    return failure(
      `${host} to take the request`,
      got,
      sendsIds
        ? 'check that the tokenizer is that of the model, or leave it out'
        : 'name the tokenizer of the model, as not every server can fill in before a suffix',
    );
  const remedy = status >= 500 ? 'see the log of that server' : 'check the address';
  return failure(`an answer from ${host}`, got, remedy);
}

/** Creates the error for a connection that cannot be made or breaks. */
export function networkFailure({ host }: RemoteParty, error: unknown): RemoteError {
  const remedy = 'check the address, the network and that the server runs';
  return new RemoteError(`an answer from ${host}`, networkWords(error), remedy, {}, error);
}

/** Creates the error for an answer that breaks the rules of the API. */
export function brokenAnswer(
  { host }: RemoteParty,
  expected: string,
  got: string,
  cause?: unknown,
): RemoteError {
  const remedy = 'check that the server speaks /v1/completions';
  return new RemoteError(`${expected} from ${host}`, got, remedy, {}, cause);
}
