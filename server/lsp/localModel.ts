// Which models may serve other programs: a remote engine has the consent of the person at this editor only.
import type { ClientSettings } from '../protocol';
import { NO_REMOTE } from '../rules/serverSettings';
import type { LoadedModel, UsableModel } from './loadedModel';

/** Undefined for a remote engine. */
export function localModel(model: UsableModel | undefined): LoadedModel | undefined {
  if (model === undefined || model.engine.remote !== undefined) return undefined;
  return { ...model, engine: model.engine };
}

/** Whether the person at the editor wants suggestions does not concern other programs. */
export function localSettings(settings: ClientSettings): ClientSettings {
  return { ...settings, remote: NO_REMOTE, enable: undefined };
}
