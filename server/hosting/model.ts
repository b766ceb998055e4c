// A model that is ready for requests, in this process or on another server: its engine, facts for prompts, and the
// suggestions that it has made. It does not depend on clients or settings.
import { infillOf } from '../completion/prompt/fimForm';
import { PromptTokens } from '../completion/prompt/promptTokens';
import { RecentSuggestions } from '../completion/session/recent';
import type { Engine } from '../engine/engine';
import type { ModelInfo } from '../protocol/messages';
import type { RemoteEngine } from '../remote/remoteEngine';
import { isStartedHere } from '../rules/remoteAddress';
import { isBaseModel } from './isBaseModel';
import { NO_TOKENIZER } from './noTokenizer';

export type Model = LocalModel | RemoteModel;

/** A model in this process. */
export interface LocalModel extends ModelMemory, ModelFacts {
  readonly engine: ServedEngine;
}

/** A model on another server: requests leave this process. */
export interface RemoteModel extends ModelMemory, ModelFacts {
  readonly engine: RemoteServedEngine;
}

interface ModelFacts {
  /** Identity of the pair. Token ids are valid only for the pair that they come from. */
  readonly pair: string;
  readonly info: ModelInfo;
  /** Reports `generating` to the client until the returned function is called. */
  readonly begin?: () => () => void;
}

/**
 * Recent suggestions and prompt lengths of a pair, shared by all windows. They outlive the loaded model, so that
 * prompts stay the same after it was unloaded and loaded again.
 */
export interface ModelMemory {
  readonly promptTokens: PromptTokens;
  readonly recent: RecentSuggestions;
}

/** The part of an engine that the server uses. Tests use a double. */
export type ServedEngine = Pick<
  Engine,
  | 'config'
  | 'tokenizer'
  | 'hasChatTemplate'
  | 'encodeChat'
  | 'renderChat'
  | 'chatProblem'
  | 'chatTemplateText'
  | 'decode'
  | 'promptLogprobs'
  | 'greedyLogprobs'
  | 'maxDraftTokens'
  | 'device'
  | 'numberType'
  | 'prefillSpeed'
  | 'expectedPrefillSpeed'
  | 'resizeCache'
  | 'dispose'
> & {
  readonly remote?: undefined;
};

/** The part of a remote engine that the server uses. It knows less about its model than a local one. */
export type RemoteServedEngine = Pick<
  RemoteEngine,
  | 'remote'
  | 'device'
  | 'config'
  | 'tokenizer'
  | 'hasChatTemplate'
  | 'maxDraftTokens'
  | 'greedyLogprobs'
  | 'encodeChat'
  | 'decode'
  | 'resizeCache'
  | 'dispose'
>;

/** An engine, with the names of its models for the user. */
export interface LoadedEngine {
  readonly engine: ServedEngine | RemoteServedEngine;
  readonly target: string;
  readonly drafter: string | undefined;
  /** Reason why there is no drafter although the settings name one. */
  readonly drafterProblem?: string | undefined;
  /** Stores measurements for the next load; never throws. */
  readonly remember: () => void;
}

export function newModelMemory(): ModelMemory {
  return { recent: new RecentSuggestions(), promptTokens: new PromptTokens() };
}

/** A loaded engine of type E, without the function that stores its measurements. */
type Loaded<E> = Omit<LoadedEngine, 'engine' | 'remember'> & { readonly engine: E };

/** Creates the model of a loaded engine. `pair` is the identity of the pair. */
export function createModel(pair: string, loaded: Loaded<ServedEngine>, memory?: ModelMemory): LocalModel;
export function createModel(
  pair: string,
  loaded: Loaded<LoadedEngine['engine']>,
  memory?: ModelMemory,
): Model;
export function createModel(
  pair: string,
  loaded: Loaded<LoadedEngine['engine']>,
  memory = newModelMemory(),
): Model {
  const { engine, target, drafter, drafterProblem } = loaded;
  const { device, maxDraftTokens, hasChatTemplate, tokenizer = NO_TOKENIZER } = engine;
  const isBase = isBaseModel(loaded);
  const info: ModelInfo = {
    target,
    ...(drafter !== undefined && { drafter }),
    ...(drafterProblem && { drafterProblem }),
    device,
    infill: infillOf({ name: target, isBase, tokenizer, hasChatTemplate }),
    maxDraftTokens,
    ...(isBase && { isBase }),
    ...(engine.remote && { remote: engine.remote }),
  };
  const model = { ...memory, pair, info };
  return engine.remote === undefined ? { ...model, engine } : { ...model, engine };
}

export function isLocal(model: Model): model is LocalModel {
  return model.engine.remote === undefined;
}

/**
 * Returns whether an engine is a server that Flashline has not started, mostly on another machine: releasing it frees
 * no memory here.
 */
export function isOnOtherMachine({ remote }: Model['engine']): boolean {
  return remote !== undefined && !isStartedHere(remote.host);
}
