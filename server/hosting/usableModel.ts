// A model ready for requests: its engine, and how it is prompted. Knows neither clients nor settings.
import { infillOf } from '../completion/prompt/fimForm';
import { PromptTokens } from '../completion/prompt/promptTokens';
import { RecentSuggestions } from '../completion/session/recent';
import type { LoadedFiles, UsableModel, RemoteServedEngine, ServedEngine } from './loadedModel';
import { NO_TOKENIZER } from './recordingDecoder';
import { specialTokenIds, turnEndTokenIds, type SpecialTokens } from '../completion/prompt/specialTokens';

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
  const infill = infillOf({ name: target, isBase, tokenizer, encodeChat });
  const drafting = { ...(drafter !== undefined && { drafter }), ...(drafterProblem && { drafterProblem }) };
  const remote = engine.remote && { remote: engine.remote };
  const base = isBase && ({ isBase } as const);
  const info = { target, ...drafting, device, infill, maxDraftTokens, ...base, ...remote };
  return { ...lasting, pair, engine, info };
}

const QUESTION = [{ role: 'user', content: 'x' }] as const;
const CONTINUES_ANY_TEXT = ['<|endoftext|>', '</s>', '<eos>'];
/** Files of some instruct models leave the end of a turn out, but never the name. */
const INSTRUCT_NAME = /(^|[-_/.])(instruct|chat|it)([-_.]|$)/i;

/** What is looked at. */
interface JudgedModel {
  readonly target: string;
  readonly engine:
    | Pick<RemoteServedEngine, 'remote'>
    | (Pick<ServedEngine, 'encodeChat' | 'remote'> & {
        readonly tokenizer?: SpecialTokens | undefined;
        readonly config: Pick<ServedEngine['config'], 'eosTokenIds'>;
      });
}

/**
 * Whether a model only continues text: it was never trained to follow instructions. A chat template does not tell, since
 * exporters give the same one to base models. Its end tokens do: a model that was taught turns ends with one.
 */
export function isBaseModel({ engine, target }: JudgedModel): boolean {
  // What a remote server runs is its own affair.
  if (engine.remote !== undefined || !engine.tokenizer) return false;
  if (engine.encodeChat(QUESTION) === undefined) return true;
  if (INSTRUCT_NAME.test(target)) return false;
  const { tokenizer, config } = engine;
  const plainEnds = specialTokenIds(CONTINUES_ANY_TEXT, tokenizer);
  const turnEnds = turnEndTokenIds(tokenizer).filter((id) => !plainEnds.includes(id));
  return turnEnds.length > 0 && !turnEnds.some((id) => config.eosTokenIds.includes(id));
}
