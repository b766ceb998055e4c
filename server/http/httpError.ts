// An answer that says what is wrong with a request, in the shape of OpenAI's API, which llama.cpp shares. Also maps what
// the layers below throw.
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { failureOf, ModelFault } from '../rules/inputError';

/** What OpenAI's clients tell errors apart by, for each status; all others are the fault of the request. */
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
  /** What a program can tell it by; the status if absent. */
  readonly code?: string;
  /** The field that is wrong. */
  readonly param?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The message is "Expected X, got Y; do Z", or a plain sentence for an event. */
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

/** Clients need not know where files lie on this machine: of their paths the names stay. */
function withoutFolders(message: string): string {
  return message.replace(/(^|[\s"'(])\/(?!v1\/)(?:[^\s/"'()]+\/)+/g, '$1');
}

/** What was thrown, as an answer: bad input is the client's to correct, all else is a defect of this program. */
export function httpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  const { isInput, message } = failureOf(error);
  if (error instanceof ModelFault) return new HttpError(503, message, { code: 'broken_model' });
  if (isInput) return new HttpError(400, message);
  // What went wrong inside is for the log; it may quote a prompt.
  const hint = 'Expected to answer, got an error inside the server; see its log';
  return new HttpError(500, hint, { code: 'internal_error' });
}

/** A field of a body that cannot be used. */
export function wrongField(param: string, expected: string, got: unknown): HttpError {
  const message = `Expected ${param} to be ${expected}, got ${described(got)}; correct it or leave it out`;
  return new HttpError(400, message, { param, code: 'invalid_value' });
}

/** No model is loaded, or not any more. */
export function withoutModel(message = 'Expected a loaded model, got none; try again later'): HttpError {
  return new HttpError(503, message, { code: 'model_not_available' });
}

/** Numbers and flags as they are; of texts and objects only the kind, as they may be somebody's code. */
function described(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (Array.isArray(value)) return `a list of ${String(value.length)}`;
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  return value === undefined ? 'nothing' : 'an object';
}
