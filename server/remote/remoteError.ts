// Errors of remote engines, in a line for the user. They never repeat the server's answer, which can contain anything,
// even the prompt or the key; only its content type and names of models are quoted.
import { networkWords, retryAfterMs } from '../machine/requestFailure';
import { UserError } from '../rules/userError';
import type { OptionalField } from './refusedFields';

interface RemoteFacts {
  /** HTTP status of the answer. */
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
  /** Optional fields that the server named when it refused the request. */
  readonly namedFields?: readonly OptionalField[] | undefined;
}

/** Error of a remote engine that cannot be used now; the same request can succeed later. */
export class RemoteError extends UserError {
  constructor(
    message: string,
    /** Facts for programs, such as the status of the answer and how long the server asks to wait. */
    readonly facts: RemoteFacts = {},
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'RemoteError';
  }
}

/** Facts of the server and the request that errors name. */
export interface ErrorContext {
  readonly host: string;
  readonly model: string;
  readonly hasKey: boolean;
  /** Whether prompts are token ids, and not text. */
  readonly sendsIds: boolean;
}

/** Creates the error for an answer with a status other than success; redirects count as refusals. */
export function refusal(
  context: ErrorContext,
  { status, headers }: Response,
  namedFields?: readonly OptionalField[],
): RemoteError {
  const { host, model, hasKey, sendsIds } = context;
  const failure = (problem: string, remedy: string): RemoteError =>
    new RemoteError(`${problem} (HTTP status ${String(status)}). ${remedy}`, {
      status,
      namedFields,
      retryAfterMs: retryAfterMs(headers),
    });
  if (status >= 300 && status < 400)
    return failure(
      `${host} redirects to another address`,
      'Set the final address of the server; redirects are not followed.',
    );
  if (status === 401 || status === 403)
    return failure(
      hasKey ? `${host} rejected the API key` : `${host} requires an API key`,
      'Run "Flashline: Remote Engine...", or set FLASHLINE_REMOTE_API_KEY on the command line.',
    );
  if (status === 404)
    return failure(
      `${host} does not offer OpenAI's API at this address${model && `, or does not have the model ${model}`}`,
      'Check the address and the name of the model.',
    );
  if (status === 429) return failure(`${host} accepts no more requests for now`, 'Wait a little.');
  if (status === 400 || status === 422)
    return failure(
      `${host} refused the request`,
      sendsIds
        ? 'Check that the tokenizer is that of the model, or leave it out.'
        : 'Name the tokenizer of the model, as not every server can fill in the middle.',
    );
  if (status >= 500) return failure(`${host} has a problem`, 'See the log of that server.');
  return failure(`${host} refused the request`, 'Check the address.');
}

/** Creates the error for a connection that cannot be made or breaks. */
export function networkFailure({ host }: ErrorContext, error: unknown): RemoteError {
  const remedy = 'Check the address, the network and that the server runs.';
  return new RemoteError(`The connection to ${host} failed (${networkWords(error)}). ${remedy}`, {}, error);
}

/** Creates the error for a server that for too long sends nothing, or no text. */
export function silence(
  { host }: ErrorContext,
  silenceMs: number,
  missing: 'nothing' | 'no text',
): RemoteError {
  return new RemoteError(
    `${host} sent ${missing} for ${String(silenceMs / 1000)} s. See the log of that server.`,
  );
}

/** Creates the error for an answer that breaks the rules of the API. `action` is the predicate of the sentence. */
export function brokenAnswer({ host }: ErrorContext, action: string, cause?: unknown): RemoteError {
  return new RemoteError(`${host} ${action}. Check that the server supports OpenAI's API.`, {}, cause);
}
