// Reads answers of the HTTP server in tests.

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Reads a whole answer, and parses JSON. */
export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** Returns the value at a path in an answer, such as "choices.0.text". */
export function at(body: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body);
}

/** Returns the JSON of each event of a stream, and whether it ended with `[DONE]`. */
export async function eventsOf(response: Response): Promise<{ events: unknown[]; isDone: boolean }> {
  const data = (await response.text())
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => event.replace(/^data: /, ''));
  const events = data.filter((event) => event !== '[DONE]').map((event) => JSON.parse(event) as unknown);
  return { events, isDone: data.at(-1) === '[DONE]' };
}
