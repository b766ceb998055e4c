// What a client is told, and what its log gets, about its lease of a model or of a remote engine.
import { InputError } from '../rules/inputError';
import type { ClientSettings, ModelInfo, StatusParams } from '../protocol/messages';
import { RemoteError } from '../remote/remoteError';
import { LLAMA_CPP, remoteAddress, isProgram } from '../rules/remoteAddress';
import type { UsableModel, PairChoice } from './loadedModel';

/** Host and port of the remote engine, as far as its address has them. */
export function remoteHost({ remote }: Pick<PairChoice, 'remote'>): string | undefined {
  if (remote === undefined || remote.url === '') return undefined;
  return isProgram(remote.url) ? LLAMA_CPP : (remoteAddress(remote.url)?.host ?? '?');
}

export function loadingStatus(choice: PairChoice | undefined, progress: number): StatusParams {
  const host = choice && remoteHost(choice);
  return host === undefined ? { state: 'loading', progress } : { state: 'connecting', host };
}

/** `waiting` outputs are waited for; `fallback` is why it is not the model of the settings. */
export function loadedStatus(
  { info: model }: UsableModel,
  waiting: number,
  fallback: string | undefined,
): StatusParams {
  if (waiting > 0) return { state: 'generating', model };
  return { state: 'ready', model, ...(fallback !== undefined && { fallback }) };
}

export function asleepStatus(
  settings: Pick<ClientSettings, 'remote'> | undefined,
  asleepBecause: NonNullable<StatusParams['asleepBecause']>,
): StatusParams {
  const host = settings && remoteHost(settings);
  return { state: 'asleep', asleepBecause, ...(host !== undefined && { host }) };
}

export function unloadedLine(because: NonNullable<StatusParams['asleepBecause']>, minutes: number): string {
  return {
    idle: `unloaded after ${minutes} minutes without a request`,
    memory: 'unloaded, because memory is low and no request is running',
    unused: 'unloaded, because suggestions are off',
  }[because];
}

/** `host` is that of a remote engine that will be tried again. */
export function problemStatus(message: string | undefined, host: string | undefined): StatusParams {
  const why = message !== undefined && { message };
  return host === undefined ? { state: 'error', ...why } : { state: 'unreachable', host, ...why };
}

export function loadedLine({ target, drafter, drafterProblem, device, remote }: ModelInfo): string {
  if (remote) return `using ${target} at ${remote.host}`;
  const why = drafterProblem && `, because the configured one cannot be used: ${drafterProblem}`;
  return `loaded ${target} with ${drafter ?? 'no drafter'} on ${device}${why ?? ''}`;
}

/** A line for the user; the log has more. */
export function explained(error: unknown, log: (line: string) => void): string {
  const message = error instanceof InputError ? error.message : `Loading the model failed: ${String(error)}`;
  // Where in this program a person's mistake was noticed is of no use to them.
  const isPlain =
    [RemoteError, InputError].some((kind) => error instanceof kind) || !(error instanceof Error);
  log(isPlain ? message : (error.stack ?? message));
  return message;
}
