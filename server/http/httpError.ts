// An answer that says what is wrong with a request, in the shape of OpenAI's API, which llama.cpp shares. Also maps what
// the layers below throw.
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { failureOf, ModelFault } from '../rules/inputError';

/** What OpenAI's clients tell errors apart by. */
type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_supported_error'
  | 'rate_limit_error'
  | 'timeout_error'
  | 'unavailable_error'
  | 'server_error';

export interface HttpProblem {
  /** "Expected X, got Y; do Z". */
  readonly message: string;
  readonly type?: ErrorType;
  /** The field that is wrong. */
  readonly param?: string | undefined;
  /** What a program can tell it by. */
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class HttpError extends Error {
  constructor(
    readonly status: ContentfulStatusCode,
    readonly problem: HttpProblem,
  ) {
    super(problem.message);
    this.name = 'HttpError';
  }
}

export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: ErrorType;
    readonly param: string | null;
    readonly code: string | number;
  };
}

export function errorBody({ status, problem }: HttpError): ErrorBody {
  const { message, type = 'invalid_request_error', param = null, code = status } = problem;
  return { error: { message: withoutFolders(message), type, param, code } };
}

/** Clients need not know where files lie on this machine: of their paths the names stay. */
function withoutFolders(message: string): string {
  return message.replace(/(^|[\s"'(])\/(?!v1\/)(?:[^\s/"'()]+\/)+/g, '$1');
}

/** What was thrown, as an answer: bad input is the client's to correct, all else is a defect of this program. */
export function httpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  const { isInput, message } = failureOf(error);
  if (error instanceof ModelFault)
    return new HttpError(503, { message, type: 'unavailable_error', code: 'broken_model' });
  if (isInput) return new HttpError(400, { message });
  // What went wrong inside is for the log; it may quote a prompt.
  const hint = 'Expected to answer, got an error inside the server; see its log';
  return new HttpError(500, { message: hint, type: 'server_error', code: 'internal_error' });
}

/** A field of a body that cannot be used. */
export function wrongField(param: string, expected: string, got: unknown): HttpError {
  return new HttpError(400, {
    message: `Expected ${param} to be ${expected}, got ${described(got)}; correct it or leave it out`,
    param,
    code: 'invalid_value',
  });
}

/** Numbers and flags as they are; of texts and objects only the kind, as they may be somebody's code. */
function described(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (Array.isArray(value)) return `a list of ${String(value.length)}`;
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  return value === undefined ? 'nothing' : 'an object';
}
