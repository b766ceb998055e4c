// Records: values from outside whose fields may be looked at.

export type Fields = Readonly<Record<string, unknown>>;

/** An object of JSON; neither null nor an array. */
export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** None if it is not a record. */
export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}
