// The body of a request: read up to a limit, as JSON, and checked against a schema. Every error names the field.
import type { Context } from 'hono';
import * as z from 'zod/mini';
import { isTooDeep, MOST_LEVELS } from '../rules/isTooDeep';
import { HttpError, wrongField } from './httpError';

export type Fields = Readonly<Record<string, unknown>>;

/** The fields of the JSON object in a body of at most `maxBytes`. */
export async function requestBody(context: Context, maxBytes: number): Promise<Fields> {
  const type = context.req.header('content-type') ?? 'nothing';
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) {
    const message = `Expected content-type application/json, got ${type.slice(0, 60)}; send JSON under that type`;
    throw new HttpError(415, { message, code: 'unsupported_media_type' });
  }
  const text = await readText(context, maxBytes);
  const value = parsedJson(text);
  if (isTooDeep(text)) {
    const message = `Expected JSON of at most ${String(MOST_LEVELS)} levels, got more; send a flatter value`;
    throw new HttpError(400, { message, code: 'invalid_json' });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new HttpError(400, {
    message: 'Expected a JSON object as the body, got another value; put the fields into { }',
    code: 'invalid_json',
  });
}

async function readText({ req }: Context, maxBytes: number): Promise<string> {
  const encoding = req.header('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    const message = 'Expected a body without content-encoding, got one; send it uncompressed';
    throw new HttpError(415, { message, code: 'unsupported_media_type' });
  }
  const said = Number(req.header('content-length') ?? 0);
  const pieces = said <= maxBytes ? await readUpTo(maxBytes, req.raw.body ?? []) : undefined;
  if (pieces === undefined) {
    const message = `Expected a body of at most ${String(maxBytes)} bytes, got more; send less text`;
    // What is still on its way is not read.
    throw new HttpError(413, { message, code: 'body_too_large', headers: { connection: 'close' } });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  } catch {
    const message = 'Expected a body in UTF-8, got other bytes; encode it as UTF-8';
    throw new HttpError(400, { message, code: 'invalid_encoding' });
  }
}

/** Undefined if there is more. */
async function readUpTo(maxBytes: number, body: AsyncIterable<Uint8Array> | readonly Uint8Array[]) {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > maxBytes) return undefined;
      pieces.push(piece);
    }
  } catch {
    const message = 'Expected a whole body, got a part of one; keep the connection open';
    throw new HttpError(408, { message, type: 'timeout_error', code: 'client_closed_request' });
  }
  return pieces;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const got = text.trim() === '' ? 'nothing' : 'something else';
    const message = `Expected JSON as the body, got ${got}; check quotes, commas and brackets`;
    throw new HttpError(400, { message, code: 'invalid_json' });
  }
}

/**
 * The fields that the schema knows; others are left out. A field of null counts as absent, as in OpenAI's API. The
 * `error` of a schema says in words what it expects.
 */
export function parsed<T extends z.ZodMiniType>(schema: T, fields: Fields): z.infer<T> {
  const given = present(fields);
  const { data, error } = schema.safeParse(given);
  if (error === undefined) return data;
  const [issue] = error.issues;
  const path = issue?.path ?? [];
  const got = path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)[key], given);
  throw wrongField(pathText(path), issue?.message ?? 'something else', got);
}

export function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** For example messages[2].content. */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${String(key)}]` : `.${String(key)}`))
    .join('')
    .slice(1);
}

/** Schemas of single fields, with their words. */
export const TEXT = z.string({ error: 'a string' });
export const FLAG = z.boolean({ error: 'true or false' });
export const COUNT = (min: number, max: number) => {
  const words = { error: `a whole number from ${String(min)} to ${String(max)}` };
  return z.number(words).check(z.int(words), z.gte(min, words), z.lte(max, words));
};
