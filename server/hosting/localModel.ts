// What serves other programs, and which models may: a remote engine has the consent of the person at this editor only.
import type { ClientSettings, ServerSettings } from '../protocol/messages';
import { isProgram, isStartedHere } from '../rules/remoteAddress';
import { NO_REMOTE } from '../rules/serverSettings';
import type { LoadedModel, PairChoice, UsableModel } from './loadedModel';

export interface ToolServing {
  /** Such as http://127.0.0.1:8080; undefined while it is off. */
  readonly address: string | undefined;
  /** Resolves with the address, also if it is on already. Throws InputError if it cannot listen there. */
  start(owner: object, settings: ServerSettings, log: (line: string) => void): Promise<string>;
  stop(): Promise<void>;
  /** The settings of the window that started it apply. */
  configure(owner: object, settings: ServerSettings): void;
  /** Called at every change until the returned function is. */
  onChange(listener: () => void): () => void;
}

/** Whether it takes no memory of this machine. */
export function isElsewhere({ remote }: UsableModel['engine']): boolean {
  return remote !== undefined && !isStartedHere(remote.host);
}

/** Undefined for a remote engine. */
export function localModel(model: UsableModel | undefined): LoadedModel | undefined {
  if (model === undefined || model.engine.remote !== undefined) return undefined;
  return { ...model, engine: model.engine };
}

/** Whether the person at the editor wants suggestions does not concern other programs. */
export function localSettings(settings: ClientSettings): ClientSettings {
  return { ...settings, ...localPair(settings), remote: NO_REMOTE, enable: undefined };
}

/** The pair beside a remote engine; the drafter of a llama-server is none for it. */
export function localPair({ target, drafter, drafterBits, device, strict = false, remote }: PairChoice) {
  return { target, drafter: isProgram(remote?.url) ? '' : drafter, drafterBits, device, strict };
}
