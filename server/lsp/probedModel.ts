// Probes a model after its load for the best way to prompt it to fill a hole, unless that is known. Knows neither
// clients nor settings.
import { infillProbe } from '../completion/infillProbe';
import { LineTokens } from '../completion/lineTokens';
import { PromptTokens } from '../completion/promptTokens';
import { RecentSuggestions } from '../completion/recent';
import { isBaseModel } from './isBaseModel';
import type { LoadedFiles, UsableModel } from './loadedModel';
import { RecordingDecoder } from './recordingDecoder';

/** Frees the engine if the probe fails. */
export async function probedModel<Engine extends LoadedFiles['engine']>(
  pair: string,
  files: Omit<LoadedFiles, 'remember' | 'engine'> & { readonly engine: Engine },
  recent = new RecentSuggestions(),
): Promise<UsableModel & { readonly engine: Engine }> {
  const { engine, target, drafter, drafterProblem, probed } = files;
  const { device, maxDraftTokens } = engine;
  const drafting = { ...(drafter !== undefined && { drafter }), ...(drafterProblem && { drafterProblem }) };
  const remote = engine.remote && { remote: engine.remote };
  const base = isBaseModel(files) && ({ isBase: true } as const);
  const info = { target, ...drafting, device, infill: 'fim', maxDraftTokens, ...base, ...remote } as const;
  const own = { lines: new LineTokens(), promptTokens: new PromptTokens() };
  const unprobed = { ...own, pair, engine, info, layout: 'psm', recent } as const;
  const decoder = new RecordingDecoder(unprobed, { kind: 'generate', draftLength: 'full' });
  try {
    const { infill, ...form } = probed ?? (await infillProbe(decoder, new AbortController().signal));
    return { ...unprobed, info: { ...info, infill }, ...form };
  } catch (error) {
    await engine.dispose();
    throw error;
  }
}
