// Tries out, once a model is loaded, how it is best asked to fill a hole, unless that is known. Knows neither clients nor
// settings.
import { infillProbe } from '../completion/infillProbe';
import { LineTokens } from '../completion/lineTokens';
import { RecentSuggestions } from '../completion/recent';
import type { ModelInfo } from '../protocol';
import type { NamedEngine, SharedModel } from './loadedModel';
import { RecordingDecoder } from './recordingDecoder';

/** Frees the engine when it fails at that. */
export async function probedModel(
  pair: string,
  { engine, target, drafter, drafterProblem, probed }: Omit<NamedEngine, 'remember'>,
  recent = new RecentSuggestions(),
): Promise<SharedModel> {
  const { device, maxDraftTokens } = engine;
  const drafting = { ...(drafter !== undefined && { drafter }), ...(drafterProblem && { drafterProblem }) };
  const info: ModelInfo = { target, ...drafting, device, infill: 'fim', maxDraftTokens };
  const lines = new LineTokens();
  const unprobed: SharedModel = { pair, engine, info, layout: 'psm', lines, recent };
  if (probed) return { ...unprobed, info: { ...info, infill: probed.infill }, layout: probed.layout };
  const client = { begin: () => () => undefined };
  const decoder = new RecordingDecoder({ ...unprobed, ...client }, { kind: 'generate', draftLength: 'full' });
  try {
    const { infill, layout } = await infillProbe(decoder, new AbortController().signal);
    return { ...unprobed, info: { ...info, infill }, layout };
  } catch (error) {
    await engine.dispose();
    throw error;
  }
}
