// Reads the body of a request as JSON and checks it against a schema, whose errors name the field.
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type * as z from 'zod/mini';
import { yieldTurn } from '../machine/turns';
import { beyondLimit, MAX_LEVELS, isRecord, type Fields } from '../rules/json';
import { withPythonNumbers } from '../rules/pythonNumbers';
import type { BodyReader } from './bodyReader';
import { withoutNulls, type Unsupported } from './fieldSchemas';
import { HttpError, wrongField } from './httpError';

export type HttpContext = Context<{ Bindings: HttpBindings }>;

/**
 * Maximum weight of a body (see `beyondLimit`). Parsing that much takes at most about 25 ms in a body of up to 4 MB. A
 * conversation of ten thousand messages weighs less.
 */
const MAX_WEIGHT = 700_000;
/** Errors by the exceeded limit. */
const TOO_MUCH = {
  levels: `The JSON has more than ${String(MAX_LEVELS)} levels. Send a flatter value.`,
  weight: 'The JSON has more objects, fields and values than are read at once. Send fewer.',
};

/** Reads the JSON object in a body by the schema of an endpoint. Throws HttpError for the first wrong field. */
export async function requestBody<T extends z.ZodMiniType>(
  context: HttpContext,
  bodies: BodyReader,
  schema: T,
): Promise<z.infer<T>> {
  const type = context.req.header('content-type') ?? 'nothing';
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) {
    const message = `Expected content-type application/json, got ${type.slice(0, 60)}; send JSON under that type`;
    throw new HttpError(415, message, { code: 'unsupported_media_type' });
  }
  const encoding = context.req.header('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    const message = 'Bodies with a content-encoding are not supported. Send the body uncompressed.';
    throw new HttpError(415, message, { code: 'unsupported_media_type' });
  }
  const text = textOf(await bodies.read(context.env.incoming));
  await yieldTurn();
  const exceeded = beyondLimit(text, MAX_WEIGHT);
  if (exceeded !== undefined) throw new HttpError(400, TOO_MUCH[exceeded], { code: 'invalid_json' });
  await yieldTurn();
  const value = parsedJson(text);
  await yieldTurn();
  // Tools keep numbers such as 1.0: a chat template writes them into the prompt the way they were sent.
  if (isRecord(value))
    return await checkedFields(schema, 'tools' in value ? { ...value, tools: toolsOf(text, value) } : value);
  const message = 'The body is not a JSON object. Put the fields into { }.';
  throw new HttpError(400, message, { code: 'invalid_json' });
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const message = 'The body is not UTF-8. Encode it as UTF-8.';
    throw new HttpError(400, message, { code: 'invalid_encoding' });
  }
}

function toolsOf(text: string, read: Fields): unknown {
  const value = withPythonNumbers(text, read);
  return isRecord(value) ? value['tools'] : undefined;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const message =
      text.trim() === ''
        ? 'The body is empty. Send a JSON object.'
        : 'The body is not JSON. Check quotes, commas and brackets.';
    throw new HttpError(400, message, { code: 'invalid_json' });
  }
}

/**
 * Returns the fields that the schema knows and drops all others. The `error` of a schema is the expected value in
 * words.
 */
async function checkedFields<T extends z.ZodMiniType>(schema: T, fields: Fields): Promise<z.infer<T>> {
  const given = withoutNulls(fields);
  const { data, error } = await schema.safeParseAsync(given);
  if (error === undefined) return data;
  const [issue] = error.issues;
  const path = issue?.path ?? [];
  const { unsupported } = (issue && 'params' in issue ? issue.params : undefined) ?? {};
  if (unsupported !== undefined) throw notSupported(pathText(path), unsupported as Unsupported);
  const got = path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)[key], given);
  throw wrongField(pathText(path), issue?.message ?? 'something else', got);
}

function notSupported(param: string, { what = param, instead = 'leave it out' }: Unsupported): HttpError {
  const message = `This server does not support ${what}; ${instead}.`;
  return new HttpError(400, message, { param, code: 'unsupported_parameter' });
}

/** Formats the path of a field, for example messages[2].content. */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${String(key)}]` : `.${String(key)}`))
    .join('')
    .slice(1);
}
