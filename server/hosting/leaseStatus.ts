// Describes the state of a lease, as a status for the client and in lines for the log.
import type { ModelInfo, StatusParams } from '../protocol/messages';
import { UserError } from '../rules/userError';
import { LLAMA_CPP, remoteAddress, isProgram } from '../rules/remoteAddress';
import type { Model } from './model';
import type { PairName } from './pairName';

/** Reason why no model is in memory. `unused`: there was no request yet, or suggestions are off. */
export type UnloadReason = NonNullable<StatusParams['asleepBecause']>;

/**
 * Returns host and port of a remote engine, "?" for an invalid address, or LLAMA_CPP for a llama-server that Flashline
 * starts; undefined without a remote engine.
 */
export function remoteHost(remote: PairName['remote']): string | undefined {
  if (remote === undefined || remote.url === '') return undefined;
  return isProgram(remote.url) ? LLAMA_CPP : (remoteAddress(remote.url)?.host ?? '?');
}

/** Returns the status of a load; `progress` is from 0 to 1. */
export function loadingStatus(name: PairName | undefined, progress: number): StatusParams {
  const host = remoteHost(name?.remote);
  return host === undefined ? { state: 'loading', progress } : { state: 'connecting', host };
}

/**
 * Returns the status of a loaded model. `waitingCount` is the number of outputs for which requests wait, `fallback` the
 * reason why the model is not that of the settings.
 */
export function readyStatus(
  { info: model }: Model,
  waitingCount: number,
  fallback: string | undefined,
): StatusParams {
  if (waitingCount > 0) return { state: 'generating', model };
  return { state: 'ready', model, ...(fallback !== undefined && { fallback }) };
}

export function asleepStatus(remote: PairName['remote'], asleepBecause: UnloadReason): StatusParams {
  const host = remoteHost(remote);
  return { state: 'asleep', asleepBecause, ...(host !== undefined && { host }) };
}

/** Returns the status after a failure. `host` is given for a remote engine, which will be tried again. */
export function failedStatus(message: string | undefined, host: string | undefined): StatusParams {
  const why = message !== undefined && { message };
  return host === undefined ? { state: 'error', ...why } : { state: 'unreachable', host, ...why };
}

export function unloadedLine(reason: UnloadReason, minutes: number): string {
  return {
    idle: `unloaded after ${minutes} min without a request`,
    memory: 'unloaded, because memory is low and no request is running',
    unused: 'unloaded, because suggestions are off',
  }[reason];
}

export function loadedLine({ target, drafter, drafterProblem, device, remote }: ModelInfo): string {
  if (remote) return `using ${target} at ${remote.host}`;
  const why = drafterProblem && `, because the configured one cannot be used: ${drafterProblem}`;
  return `loaded ${target} with ${drafter ?? 'no drafter'} on ${device}${why ?? ''}`;
}

/** Logs why a model could not be loaded, and returns a line about it for the user. */
export function reportLoadError(error: unknown, log: (line: string) => void): string {
  const message = error instanceof UserError ? error.message : `Loading the model failed: ${String(error)}`;
  // Omit the stack of user errors.
  const hasStack = error instanceof Error && !(error instanceof UserError);
  log(hasStack ? (error.stack ?? message) : message);
  return message;
}
