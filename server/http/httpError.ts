// Error responses in the form of OpenAI's API, which llama.cpp shares, and the mapping of thrown values to them.
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { failureOf } from '../rules/failure';
import { ModelFault } from '../rules/userError';

/** Error types of OpenAI's API and llama.cpp by status; other statuses are `invalid_request_error`. */
const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  408: 'timeout_error',
  429: 'rate_limit_error',
  500: 'server_error',
  501: 'not_supported_error',
  503: 'unavailable_error',
  504: 'timeout_error',
};

interface HttpErrorDetails {
  /** Identifies the error for programs; the status if absent. */
  readonly code?: string;
  /** Field that is wrong. */
  readonly param?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Error for the client. Its message is "Expected X, got Y; do Z" for a value, or a plain sentence for an event. */
export class HttpError extends Error {
  constructor(
    readonly status: ContentfulStatusCode,
    message: string,
    readonly details: HttpErrorDetails = {},
  ) {
    super(message);
    this.name = 'HttpError';
  }
}

/** Returns the body of a response with an error. */
export function errorBody({ status, message, details }: HttpError) {
  return {
    error: {
      message: withoutFolders(message),
      type: TYPES[status] ?? 'invalid_request_error',
      param: details.param ?? null,
      code: details.code ?? status,
    },
  };
}

/** Shortens paths to the names of files: clients need not know the folders of this machine. */
function withoutFolders(message: string): string {
  return message.replace(/(^|[\s"'(])\/(?!v1\/)(?:[^\s/"'()]+\/)+/g, '$1');
}

/**
 * Maps a thrown value to a response: 400 for bad input, which the client can correct, 503 for damaged weights, and 500
 * for a defect of this program.
 */
export function httpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  const { isInput, message } = failureOf(error);
  if (error instanceof ModelFault) return new HttpError(503, message, { code: 'broken_model' });
  if (isInput) return new HttpError(400, message);
  // Only the log shows the message, as it can quote a prompt.
  const hint = 'The server failed to answer because of an internal error. Its log has the details.';
  return new HttpError(500, hint, { code: 'internal_error' });
}

/** Returns the error for a wrong field of a body. `got` is undefined for a required field that is absent. */
export function wrongField(param: string, expected: string, got: unknown): HttpError {
  const remedy = got === undefined ? 'add it' : 'correct it or leave it out';
  const message = `Expected ${param} to be ${expected}, got ${described(got)}; ${remedy}`;
  return new HttpError(400, message, { param, code: 'invalid_value' });
}

/** Returns the error for a request without a loaded model. */
export function withoutModel(message = 'No model is loaded. Try again later.'): HttpError {
  return new HttpError(503, message, { code: 'model_not_available' });
}

/** Describes a value: numbers and flags as they are, texts and objects by their kind, as they can contain code. */
function described(value: unknown): string {
  if (value === null || ['number', 'bigint', 'boolean'].includes(typeof value) || value instanceof Number)
    return String(value);
  if (Array.isArray(value)) return `a list of ${String(value.length)}`;
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  return value === undefined ? 'nothing' : 'an object';
}
