// Probes a model after its load for the best way to prompt it to fill a hole, unless that is known. Knows neither
// clients nor settings.
import { infillProbe } from '../completion/infillProbe';
import { LineTokens } from '../completion/lineTokens';
import { PromptTokens } from '../completion/promptTokens';
import { RecentSuggestions } from '../completion/recent';
import { isBaseModel } from './isBaseModel';
import type { LoadedFiles, UsableModel } from './loadedModel';
import { RecordingDecoder } from './recordingDecoder';

/** What a model has suggested, and how long its prompts are: it outlives the model, so that prompts stay the same. */
export type Lasting = Pick<UsableModel, 'recent' | 'promptTokens'>;

export function newLasting(): Lasting {
  return { recent: new RecentSuggestions(), promptTokens: new PromptTokens() };
}

/** Frees the engine if the probe fails. */
export async function probedModel<Engine extends LoadedFiles['engine']>(
  pair: string,
  files: Omit<LoadedFiles, 'remember' | 'engine'> & { readonly engine: Engine },
  lasting = newLasting(),
): Promise<UsableModel & { readonly engine: Engine }> {
  const { engine, target, drafter, drafterProblem, probed } = files;
  const { device, maxDraftTokens } = engine;
  const drafting = { ...(drafter !== undefined && { drafter }), ...(drafterProblem && { drafterProblem }) };
  const remote = engine.remote && { remote: engine.remote };
  const base = isBaseModel(files) && ({ isBase: true } as const);
  const info = { target, ...drafting, device, infill: 'fim', maxDraftTokens, ...base, ...remote } as const;
  const lines = new LineTokens();
  const unprobed = { ...lasting, pair, engine, info, layout: 'psm', lines } as const;
  const decoder = new RecordingDecoder(unprobed, { kind: 'generate', draftLength: 'full' });
  try {
    const { infill, ...form } = probed ?? (await infillProbe(decoder, new AbortController().signal));
    return { ...unprobed, info: { ...info, infill }, ...form };
  } catch (error) {
    await engine.dispose();
    throw error;
  }
}
