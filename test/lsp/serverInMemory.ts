// The language server and its client in this process, connected by a pair of streams.
import { settle } from '../../server/completion/session/settle';
import { Engine } from '../../server/engine/engine';
import { type LoadModel, ModelPool } from '../../server/hosting/modelPool';
import type { LanguageServerParts } from '../../server/lsp/languageServer';
import { EMBEDDED_PAIR } from '../support/embeddedPair';
import { poolOf } from '../support/poolOf';
import { SUGGESTIONS_ONLY } from '../support/suggestionsOnly';
import { EditorClient } from './editorClient';
import { RecordedServer } from './recordedServer';
import { loading, ScriptedEngine, type Answer } from './scriptedEngine';
import { servedHere } from './servedHere';

type Parts = Partial<
  Pick<
    LanguageServerParts,
    'settle' | 'lateMs' | 'pluggedIn' | 'modelSource' | 'chatFacts' | 'remote' | 'httpServing'
  >
>;

/** On battery by default, so that no prefetch adds to the requests that a test counts. */
const ON_BATTERY = { settle, pluggedIn: () => Promise.resolve(false) };

export function serverInMemory(models: LoadModel | ModelPool, parts: Parts = {}): EditorClient {
  const pool = models instanceof ModelPool ? models : poolOf(models);
  const { reader, writer } = servedHere({ ...SUGGESTIONS_ONLY, ...ON_BATTERY, ...parts, pool });
  return new EditorClient(reader, writer);
}

export interface Scripted {
  readonly client: EditorClient;
  readonly engine: ScriptedEngine;
}

interface ScriptedParts extends Parts {
  readonly settings?: object;
  /** Delay before each step of the engine. */
  readonly stepMs?: number;
}

/** Starts a client with a loaded model, whose engine gives the scripted answers. */
export async function scripted(
  answers?: readonly Answer[],
  { settings, stepMs, ...parts }: ScriptedParts = {},
): Promise<Scripted> {
  const engine = new ScriptedEngine(answers, stepMs);
  const client = serverInMemory(loading(engine), parts);
  await client.start(settings);
  return { client, engine };
}

/** Loads the embedded pair, whose decodes are recorded for verification, and creates a client that has not started. */
export async function recorded(): Promise<{ server: RecordedServer; client: EditorClient }> {
  const server = new RecordedServer(await Engine.load(EMBEDDED_PAIR), settle);
  return { server, client: new EditorClient(server.reader, server.writer) };
}

export const loadEmbedded: LoadModel = async () => ({
  engine: await Engine.load(EMBEDDED_PAIR),
  target: 'embedded',
  drafter: 'embedded',
  remember: () => undefined,
});
