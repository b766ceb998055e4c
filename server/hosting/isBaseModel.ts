// Distinguishes base models, which only continue text, from models that follow instructions.
import { specialTokenIds, turnEndTokenIds } from '../completion/prompt/specialTokens';
import type { SpecialTokens } from '../models/text/tokenizer';
import type { RemoteInfo } from '../protocol/messages';

interface ExaminedModel {
  readonly target: string;
  readonly engine: { readonly remote: RemoteInfo } | LocalEngine;
}

interface LocalEngine {
  readonly remote?: undefined;
  readonly tokenizer?: SpecialTokens | undefined;
  readonly config: { readonly eosTokenIds: readonly number[] };
  readonly hasChatTemplate: boolean;
}

/** Tokens that end any text: base models list them as end tokens too. */
const TEXT_ENDS = ['<|endoftext|>', '</s>', '<eos>'];
/** Matches names of instruct models: the files of some do not list the end of a turn as an end token. */
const INSTRUCT_NAME = /(^|[-_/.])(instruct|chat|it)([-_.]|$)/i;

/**
 * Returns whether a model is a base model. A model without a chat template is one; a template proves nothing, since
 * exporters also add one to base models. End tokens do: a model that was trained on chats lists the end of a turn among
 * them. Remote models, and models without a tokenizer, never count as base models.
 */
export function isBaseModel({ engine, target }: ExaminedModel): boolean {
  if (engine.remote !== undefined || !engine.tokenizer) return false;
  if (!engine.hasChatTemplate) return true;
  if (INSTRUCT_NAME.test(target)) return false;
  const { tokenizer, config } = engine;
  const textEnds = specialTokenIds(TEXT_ENDS, tokenizer);
  const turnEnds = turnEndTokenIds(tokenizer).filter((id) => !textEnds.includes(id));
  return turnEnds.length > 0 && !turnEnds.some((id) => config.eosTokenIds.includes(id));
}
