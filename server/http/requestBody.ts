// The body of a request as JSON, checked against a schema. Every error names the field.
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import * as z from 'zod/mini';
import { isTooDeep, MOST_LEVELS } from '../rules/json';
import { isRecord } from '../rules/record';
import type { BodyReader } from './bodyReader';
import { HttpError, wrongField } from './httpError';

export type HttpContext = Context<{ Bindings: HttpBindings }>;

export type Fields = Readonly<Record<string, unknown>>;

/** The fields of the JSON object in a body. */
export async function requestBody(context: HttpContext, bodies: BodyReader): Promise<Fields> {
  const type = context.req.header('content-type') ?? 'nothing';
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) {
    const message = `Expected content-type application/json, got ${type.slice(0, 60)}; send JSON under that type`;
    throw new HttpError(415, { message, code: 'unsupported_media_type' });
  }
  const encoding = context.req.header('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    const message = 'Expected a body without content-encoding, got one; send it uncompressed';
    throw new HttpError(415, { message, code: 'unsupported_media_type' });
  }
  const text = textOf(await bodies.read(context.env.incoming));
  if (isTooDeep(text)) {
    const message = `Expected JSON of at most ${String(MOST_LEVELS)} levels, got more; send a flatter value`;
    throw new HttpError(400, { message, code: 'invalid_json' });
  }
  const value = parsedJson(text);
  if (isRecord(value)) return value;
  throw new HttpError(400, {
    message: 'Expected a JSON object as the body, got another value; put the fields into { }',
    code: 'invalid_json',
  });
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const message = 'Expected a body in UTF-8, got other bytes; encode it as UTF-8';
    throw new HttpError(400, { message, code: 'invalid_encoding' });
  }
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
