// Handles requests about available models: catalogue, downloads and removal. Look-ups and downloads contact the Hub
// with the current settings and the token of the request; tokens are not stored.
import { ProgressType, type Connection } from 'vscode-languageserver/node';
import { catalogue, plannedEntry, type ModelSource } from '../hub/catalogue';
import { Hub } from '../hub/hub';
import { download } from '../hub/download';
import { planDownload } from '../hub/downloadPlan';
import { DownloadError } from '../hub/downloadError';
import { checkPlan } from '../hub/modelProblems';
import { removable, removeModel } from '../hub/removeModel';
import { UserError } from '../rules/userError';
import type {
  DownloadOutcome,
  DownloadParams,
  DownloadProgress,
  LookedUp,
  ModelCatalogue,
  ModelFailure,
  ModelsParams,
  RemoveParams,
  RemoveResult,
} from '../protocol/modelCatalogue';
import type { ServerSettings } from '../protocol/messages';

const PROGRESS = new ProgressType<DownloadProgress>();
const PROGRESS_MS = 200;

export class ModelRequests {
  constructor(
    private readonly connection: Connection,
    private readonly source: ModelSource,
    private readonly log: (line: string) => void,
  ) {}

  /** Lists models, and looks up repositories on the Hub if the parameters name some. */
  async catalogue(
    { repositories, token }: ModelsParams,
    { target, drafter, hub }: ServerSettings,
    signal: AbortSignal,
  ): Promise<ModelCatalogue> {
    const { source } = this;
    const listed = await catalogue(source, { target, drafter });
    const lookedUp = repositories && (await lookUpOnHub(source, hub, { repositories, token }, signal));
    return {
      folder: source.cache,
      endpoint: endpointOf(source, hub),
      ...listed,
      ...(lookedUp && { lookedUp }),
    };
  }

  /** Downloads the repositories of the parameters. Failures that a user can fix are outcomes. */
  async download(
    params: DownloadParams,
    { hub }: ServerSettings,
    signal: AbortSignal,
  ): Promise<DownloadOutcome> {
    const outcome = await this.#download(params, hub, signal);
    const end = outcome.finished === 'failed' ? `failed: ${outcome.message}` : outcome.finished;
    this.log(`download of ${params.repositories.join(' and ')} ${end}`);
    return outcome;
  }

  /** Removes files that no other model needs. Models in memory stay there until they are replaced. */
  remove({ repositories }: RemoveParams): RemoveResult {
    const { cache } = this.source;
    const names = removable(repositories, cache);
    const bytes = names.reduce((sum, name) => sum + (removeModel(cache, name)?.bytes ?? 0), 0);
    return { bytes };
  }

  async #download(
    { repositories, token, force = false, partialResultToken }: DownloadParams,
    settings: ServerSettings['hub'],
    signal: AbortSignal,
  ): Promise<DownloadOutcome> {
    const { connection, source } = this;
    const onProgress = (progress: DownloadProgress): void => {
      if (partialResultToken === undefined) return;
      // Sending fails if the client has gone.
      connection.sendProgress(PROGRESS, partialResultToken, progress).catch(() => undefined);
    };
    try {
      const hub = hubOf(source, settings, token);
      const plan = await planDownload(hub, source.cache, repositories, { signal });
      await checkPlan(hub, plan, { loadable: await source.loadable(), force, signal });
      const directories = await download(hub, plan, { signal, onProgress, progressMs: PROGRESS_MS });
      return { finished: 'done', directories };
    } catch (error) {
      return signal.aborted ? { finished: 'paused' } : { finished: 'failed', ...modelFailure(error) };
    }
  }
}

/**
 * Looks up repositories on the Hub. Returns their entry of the catalogue, or the reason why the look-up failed;
 * undefined if it was cancelled.
 */
async function lookUpOnHub(
  source: ModelSource,
  settings: ServerSettings['hub'],
  { repositories, token }: DownloadParams,
  signal: AbortSignal,
): Promise<LookedUp | undefined> {
  try {
    const plan = await planDownload(hubOf(source, settings, token), source.cache, repositories, { signal });
    return { entry: plannedEntry(plan, await source.loadable()) };
  } catch (error) {
    return signal.aborted ? undefined : { failure: modelFailure(error) };
  }
}

/** Creates the client of the Hub. Throws UserError for an invalid endpoint or token. */
function hubOf(
  { env }: ModelSource,
  { endpoint, proxy }: ServerSettings['hub'],
  token: string | undefined,
): Hub {
  const proxies = { https_proxy: proxy, http_proxy: proxy };
  return new Hub({
    endpoint: endpoint === '' ? undefined : endpoint,
    token,
    env: proxy === '' ? env : { ...env, ...proxies },
  });
}

/** Returns the endpoint of the Hub; '' if it or the token is invalid, which look-ups and downloads report. */
function endpointOf(source: ModelSource, hub: ServerSettings['hub']): string {
  try {
    return hubOf(source, hub, undefined).endpoint;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return '';
  }
}

/** Converts an error that a user can fix to a message. Rethrows any other. */
function modelFailure(error: unknown): ModelFailure {
  if (!(error instanceof UserError)) throw error;
  return { reason: error instanceof DownloadError ? error.reason : 'other', message: error.message };
}
