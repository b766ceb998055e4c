// Which models may serve other programs: a remote engine has the consent of the person at this editor only.
import type { LoadedModel, UsableModel } from './loadedModel';

/** Undefined for a remote engine. */
export function localModel(model: UsableModel | undefined): LoadedModel | undefined {
  if (model === undefined || model.engine.remote !== undefined) return undefined;
  return { ...model, engine: model.engine };
}
