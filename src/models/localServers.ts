// Finds model servers of other programs at their default ports on this machine. Runs only when the user opens the model
// picker, sends no text, and asks for a list of names.
import { get } from 'node:http';

export interface LocalServer {
  /** Of the program. */
  readonly program: string;
  /** For the setting of the remote engine. */
  readonly url: string;
  /** Names of its models that may complete code. */
  readonly models: readonly string[];
}

/** By the program that listens there unless it is told otherwise. */
export const USUAL_PORTS: Readonly<Record<string, number>> = {
  'llama.cpp': 8080,
  Ollama: 11434,
  'LM Studio': 1234,
};

const ANSWER_WITHIN_MS = 400;

const MOST_BYTES = 1e6;

const MOST_MODELS = 8;

/** Those that only embed or rank, and those that Ollama passes on to its maker's cloud: what is offered runs here. */
const UNSUITABLE = /embed|\bbge-|minilm|rerank|[:-]cloud$/i;

/** Those that answer at once, in the order of the programs. */
export async function localServers(ports = USUAL_PORTS): Promise<LocalServer[]> {
  const asked = Object.entries(ports).map(async ([program, port]) => {
    const url = `http://127.0.0.1:${port}`;
    const models = await textAt(`${url}/v1/models`)
      .then(modelNames)
      .catch(() => []);
    return models.length > 0 ? [{ program, url, models }] : [];
  });
  return (await Promise.all(asked)).flat();
}

/** Redirects are not followed. Rejects for anything but a short answer in time. */
function textAt(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const request = get(
      url,
      { signal, agent: false, headers: { accept: 'application/json' } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
          if (text.length > MOST_BYTES) request.destroy(new Error(`${url} sends more than a list of models`));
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

/** Of a list in OpenAI's form; none for Flashline's own server. Throws for what is no JSON. */
function modelNames(text: string): string[] {
  const list = JSON.parse(text) as { readonly data?: unknown } | null;
  const data = Array.isArray(list?.data) ? list.data : [];
  return (data as ({ id?: unknown; owned_by?: unknown } | null)[])
    .flatMap((model) => (model?.owned_by !== 'flashline' && typeof model?.id === 'string' ? model.id : []))
    .filter((name) => name !== '' && !UNSUITABLE.test(name))
    .slice(0, MOST_MODELS);
}
