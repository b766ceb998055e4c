// A model ready for requests: its engine, and how it is prompted. Knows neither clients nor settings.
import { infillOf } from '../completion/prompt/fimForm';
import { LineTokens } from '../completion/prompt/lineTokens';
import { PromptTokens } from '../completion/prompt/promptTokens';
import { RecentSuggestions } from '../completion/session/recent';
import { isBaseModel } from './isBaseModel';
import type { LoadedFiles, UsableModel } from './loadedModel';
import { NO_TOKENIZER } from './recordingDecoder';

/** What a model has suggested, and how long its prompts are: it outlives the model, so that prompts stay the same. */
export type Lasting = Pick<UsableModel, 'recent' | 'promptTokens'>;

export function newLasting(): Lasting {
  return { recent: new RecentSuggestions(), promptTokens: new PromptTokens() };
}

export function usableModel<Engine extends LoadedFiles['engine']>(
  pair: string,
  files: Omit<LoadedFiles, 'remember' | 'engine'> & { readonly engine: Engine },
  lasting = newLasting(),
): UsableModel & { readonly engine: Engine } {
  const { engine, target, drafter, drafterProblem } = files;
  const { device, maxDraftTokens, tokenizer = NO_TOKENIZER } = engine;
  const isBase = isBaseModel(files);
  const encodeChat = engine.encodeChat.bind(engine);
  const { infill, ...form } = infillOf({ name: target, isBase, tokenizer, encodeChat });
  const drafting = { ...(drafter !== undefined && { drafter }), ...(drafterProblem && { drafterProblem }) };
  const remote = engine.remote && { remote: engine.remote };
  const base = isBase && ({ isBase } as const);
  const info = { target, ...drafting, device, infill, maxDraftTokens, ...base, ...remote };
  return { ...lasting, pair, engine, info, lines: new LineTokens(), ...form };
}
