// Finds the optional fields that a server names when it refuses a request.

/** Fields that a server can refuse: `extension` means all beyond OpenAI's; few servers support a suffix. */
export type OptionalField = 'extension' | 'suffix';

/** Matches the names of fields beyond OpenAI's. */
const EXTENSIONS = /continuous_usage_stats|stop_token_ids|top_k|min_p|repetition_penalty/;
/** Matches refusals of a suffix: Ollama's "does not support insert", llama.cpp's "Infill is not supported". */
const SUFFIX = /suffix|support insert|infill/i;
/** Statuses of refused requests. */
const REFUSALS = [400, 422];
/** Statuses of failures that are refusals if they name a field: Docker Model Runner's and llama.cpp's. */
const FAILURES = [500, 501];
/** Maximum characters of an error to search for names of fields. */
const MAX_ERROR_LENGTH = 65_536;

/**
 * Returns the optional fields that a refusal names, which can be none; undefined for an answer that is not a refusal. A
 * failure of the server counts as a refusal only if it names a field. Never throws.
 */
export async function namedFields({ status, body }: Response): Promise<readonly OptionalField[] | undefined> {
  if (![...REFUSALS, ...FAILURES].includes(status)) return undefined;
  let text = '';
  const fields: OptionalField[] = [];
  const decoder = new TextDecoder();
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_ERROR_LENGTH) break;
    }
  } catch {
    // The connection broke: only the part that has arrived is searched.
  }
  if (EXTENSIONS.test(text)) fields.push('extension');
  if (SUFFIX.test(text)) fields.push('suffix');
  return fields.length > 0 || REFUSALS.includes(status) ? fields : undefined;
}
