// The requests about available models: the catalogue, downloads and removal. Each contacts the Hub with the settings
// and the token of the request; neither is stored.
import { ProgressType, type Connection } from 'vscode-languageserver/node';
import { catalogue, lookUp, type ModelSource } from '../hub/catalogue';
import { Hub } from '../hub/hub';
import { download } from '../hub/download';
import { planDownload } from '../hub/downloadPlan';
import { DownloadError } from '../hub/downloadError';
import { checkPlan } from '../hub/modelProblems';
import { removable, removeModel } from '../hub/removeModel';
import { InputError } from '../rules/inputError';
import type {
  DownloadOutcome,
  DownloadParams,
  DownloadProgress,
  LookedUp,
  ModelCatalogue,
  ModelFailure,
  RemoveResult,
} from '../protocol/modelCatalogue';
import { Method, type ServerSettings } from '../protocol/messages';
import { fieldsOf } from '../rules/json';
import { paramsOf } from './messageSchemas';
import type { AnswerRequest } from './requestSignal';

export interface ModelRequests {
  readonly connection: Connection;
  readonly source: ModelSource;
  readonly answer: AnswerRequest;
  /** The current settings. */
  readonly settings: () => ServerSettings;
  readonly log: (line: string) => void;
}

const progress = new ProgressType<DownloadProgress>();
const PROGRESS_MS = 200;

export function answerModelRequests(parts: ModelRequests): void {
  const { source, answer, log } = parts;
  answer(Method.models, (params, signal) => modelCatalogue(parts, params, signal));
  answer(Method.download, async (given, signal) => {
    const params = paramsOf(Method.download, given);
    const outcome = await downloadModels(parts, params, signal);
    const what = outcome.finished === 'failed' ? `failed: ${outcome.message}` : outcome.finished;
    log(`download of ${params.repositories.join(' and ')} ${what}`);
    return outcome;
  });
  answer(Method.removeModel, async (params) => await Promise.resolve(remove(source, params)));
}

async function modelCatalogue(
  { source, settings }: ModelRequests,
  params: unknown,
  signal: AbortSignal,
): Promise<ModelCatalogue> {
  const asked =
    fieldsOf(params)['repositories'] === undefined ? undefined : paramsOf(Method.download, params);
  const { target, drafter, hub } = settings();
  return {
    folder: source.cache,
    endpoint: endpointOf(source, hub),
    ...(await catalogue(source, { target, drafter })),
    ...(asked && { lookedUp: await lookedUp(source, hub, asked, signal) }),
  };
}

async function lookedUp(
  source: ModelSource,
  hub: ServerSettings['hub'],
  { repositories, token }: DownloadParams,
  signal: AbortSignal,
): Promise<LookedUp> {
  try {
    const plan = await planDownload(hubOf(source, hub, token), source.cache, repositories, signal);
    return { entry: lookUp(plan, await source.loadable()) };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

async function downloadModels(
  { connection, source, settings }: ModelRequests,
  { repositories, token, force = false, partialResultToken }: DownloadParams,
  signal: AbortSignal,
): Promise<DownloadOutcome> {
  const onProgress = (news: DownloadProgress): void => {
    if (partialResultToken === undefined) return;
    // A client that has gone away needs no progress.
    connection.sendProgress(progress, partialResultToken, news).catch(() => undefined);
  };
  try {
    const asking = hubOf(source, settings().hub, token);
    const plan = await planDownload(asking, source.cache, repositories, signal);
    await checkPlan(asking, plan, { loadable: await source.loadable(), force, signal });
    const directories = await download(asking, plan, { signal, onProgress, progressMs: PROGRESS_MS });
    return { finished: 'done', directories };
  } catch (error) {
    return signal.aborted ? { finished: 'paused' } : { finished: 'failed', ...failureOf(error) };
  }
}

/** Removes what no other model needs; models in memory stay there until they are replaced. */
function remove({ cache }: ModelSource, params: unknown): RemoveResult {
  const names = removable(paramsOf(Method.download, params).repositories, cache);
  return { bytes: names.reduce((sum, name) => sum + (removeModel(cache, name)?.bytes ?? 0), 0) };
}

/** Throws InputError for an invalid endpoint, proxy or token. */
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

/** Empty for an invalid one; the first request to it reports why. */
function endpointOf(source: ModelSource, hub: ServerSettings['hub']): string {
  try {
    return hubOf(source, hub, undefined).endpoint;
  } catch (error) {
    failureOf(error);
    return '';
  }
}

/** Rethrows what no user can fix. */
function failureOf(error: unknown): ModelFailure {
  if (!(error instanceof InputError)) throw error;
  return { reason: error instanceof DownloadError ? error.reason : 'other', message: error.message };
}
