// Builds the schemas of fields. The `error` of each is the expected value in words.
import * as z from 'zod/mini';
import { yieldTurn } from '../machine/turns';
import { isRecord, type Fields } from '../rules/json';

export interface Unsupported {
  /** Name of the unsupported thing in the error; the field's name if absent. */
  readonly what?: string;
  /** Remedy in the error; "leave it out" if absent. */
  readonly instead?: string;
}

/** Creates a check of a whole body. It refuses the field `param` of a body for which `accepts` returns false. */
export function supported<T>(param: string, accepts: (body: T) => boolean, unsupported: Unsupported = {}) {
  return z.refine<T>(accepts, { path: [param], params: { unsupported } });
}

/**
 * Creates the schema of a list, checked up to the first wrong element: zod's own arrays report all wrong elements, and
 * overflow the stack for very many. `error` is the expected value in words.
 */
export function listOf<T extends z.ZodMiniType>(schema: T, error: string) {
  const check = (values: unknown[], { issues }: z.core.ParsePayload): z.infer<T>[] => {
    const checked: z.infer<T>[] = [];
    for (const value of values) if (!pushChecked(value, schema, checked, issues)) break;
    return checked;
  };
  return z.pipe(z.array(z.unknown(), { error }), z.transform(check));
}

/** Creates the schema of a long list. It yields between elements, so that other requests go on. */
export function longListOf<T extends z.ZodMiniType>(schema: T, error: string) {
  const check = async (values: unknown[], { issues }: z.core.ParsePayload): Promise<z.infer<T>[]> => {
    const checked: z.infer<T>[] = [];
    for (const value of values) {
      await yieldTurn();
      if (!pushChecked(value, schema, checked, issues)) break;
    }
    return checked;
  };
  return z.pipe(z.array(z.unknown(), { error }), z.transform(check));
}

/** Adds the next element of a list to `checked`. Returns false if it is wrong, and adds its issues to the list's. */
function pushChecked<T extends z.ZodMiniType>(
  value: unknown,
  schema: T,
  checked: z.infer<T>[],
  issues: z.core.$ZodRawIssue[],
): boolean {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) {
    checked.push(data);
    return true;
  }
  for (const issue of error.issues)
    issues.push({ ...issue, path: [checked.length, ...issue.path], input: value } as z.core.$ZodRawIssue);
  return false;
}

/** Creates a schema that checks a value and returns it unchanged: unknown fields and the order of fields are kept. */
export function asGiven<T extends z.ZodMiniType>(schema: T) {
  return z.unknown().check(({ value, issues }) => {
    for (const issue of schema.safeParse(value).error?.issues ?? [])
      issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
  }) as z.ZodMiniType<z.infer<T>>;
}

/** Creates the schema of an object. A null field counts as absent. `error` is the expected value in words. */
export function objectOf<T extends z.core.$ZodLooseShape>(fields: T, error: string) {
  const given = z.transform((value: unknown) => (isRecord(value) ? withoutNulls(value) : value));
  return z.pipe(given, z.object(fields, { error }));
}

/** Drops null fields, which count as absent in OpenAI's API. */
export function withoutNulls(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** Schema of an unsupported field, which must be absent or empty: false, 0, '' or []. */
export const UNSUPPORTED = z.optional(
  z.custom<unknown>((value) => !value || (Array.isArray(value) && value.length === 0), {
    params: { unsupported: {} },
  }),
);
export const TEXT = z.string({ error: 'a string' });
export const FLAG = z.boolean({ error: 'true or false' });
export const IDS = z.custom<readonly number[]>(isIds, { error: 'a list of token ids' });
export const COUNT = (min: number, max: number) => {
  const params = { error: `a whole number from ${String(min)} to ${String(max)}` };
  return z.number(params).check(z.int(params), z.gte(min, params), z.lte(max, params));
};

/** Returns whether a value is a list of token ids. A zod schema of a list takes 100 ms for half a million ids. */
export function isIds(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every(Number.isSafeInteger);
}
