// Finds model servers of other programs at their default ports on this machine. Runs only when the user opens the model
// picker, and sends no text: it only requests the names of their models.
import { get } from 'node:http';

export interface LocalServer {
  /** Name of the program. */
  readonly program: string;
  /** Address in the form of the setting flashline.remote.url. */
  readonly url: string;
  /** Names of models that can complete code. */
  readonly models: readonly string[];
}

/** Default ports by program. */
export const USUAL_PORTS: Readonly<Record<string, number>> = {
  'llama.cpp': 8080,
  Ollama: 11434,
  'LM Studio': 1234,
};

const TIMEOUT_MS = 400;
/** Maximum characters of a list of models. */
const MAX_LENGTH = 1e6;
/** Maximum number of models that are listed for one server. */
const MAX_MODELS = 8;

/** Matches models that only embed or rank, and those that Ollama forwards to its cloud. */
const UNSUITABLE = /embed|\bbge-|minilm|rerank|[:-]cloud$/i;

/** Returns the servers that answer in time and have a model that can complete code, in the order of `ports`. */
export async function localServers(ports = USUAL_PORTS, timeoutMs = TIMEOUT_MS): Promise<LocalServer[]> {
  const answers = Object.entries(ports).map(async ([program, port]) => {
    const url = `http://127.0.0.1:${port}`;
    const models = await textAt(`${url}/v1/models`, timeoutMs)
      .then(modelNames)
      .catch(() => []);
    return models.length > 0 ? [{ program, url, models }] : [];
  });
  return (await Promise.all(answers)).flat();
}

/** Fetches a text without following redirects. Rejects unless the answer has status 200, is short and in time. */
function textAt(url: string, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const request = get(
      url,
      { signal, agent: false, headers: { accept: 'application/json' } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
          if (text.length > MAX_LENGTH) request.destroy(new Error(`${url} sends more than a list of models`));
        });
        response.once('error', reject).once('end', () => {
          if (response.statusCode === 200) resolve(text);
          else reject(new Error(`${url} answered with status ${String(response.statusCode)}`));
        });
      },
    );
    request.once('error', reject);
  });
}

/**
 * Returns the names of models that can complete code, from a list in OpenAI's format; none of Flashline's own server.
 * Throws for invalid JSON.
 */
function modelNames(text: string): string[] {
  const list = JSON.parse(text) as { readonly data?: unknown } | null;
  const data = Array.isArray(list?.data) ? list.data : [];
  return (data as ({ id?: unknown; owned_by?: unknown } | null)[])
    .flatMap((model) => (model?.owned_by !== 'flashline' && typeof model?.id === 'string' ? model.id : []))
    .filter((name) => name !== '' && !UNSUITABLE.test(name))
    .slice(0, MAX_MODELS);
}
