// Distinguishes models that only continue text from those that follow instructions.
import { specialTokenIds, turnEndTokenIds, type SpecialTokens } from '../completion/prompt/specialTokens';
import type { RemoteInfo } from '../protocol/messages';

interface ExaminedModel {
  readonly target: string;
  readonly engine: { readonly remote: RemoteInfo } | LocalEngine;
}

interface LocalEngine {
  readonly remote?: undefined;
  readonly tokenizer?: SpecialTokens | undefined;
  readonly config: { readonly eosTokenIds: readonly number[] };
  encodeChat(messages: typeof QUESTION): readonly number[] | undefined;
}

const QUESTION = [{ role: 'user', content: 'x' }] as const;
const CONTINUES_ANY_TEXT = ['<|endoftext|>', '</s>', '<eos>'];
/** Matches names of instruct models, as the files of some omit the token that ends a turn. */
const INSTRUCT_NAME = /(^|[-_/.])(instruct|chat|it)([-_.]|$)/i;

/**
 * Returns whether a model only continues text, because it was never trained to follow instructions. A chat template
 * does not show it, since exporters give the same one to base models. End tokens do: a model trained on turns lists the
 * end of a turn among them. Remote models count as trained on turns.
 */
export function isBaseModel({ engine, target }: ExaminedModel): boolean {
  if (engine.remote !== undefined || !engine.tokenizer) return false;
  if (engine.encodeChat(QUESTION) === undefined) return true;
  if (INSTRUCT_NAME.test(target)) return false;
  const { tokenizer, config } = engine;
  const plainEnds = specialTokenIds(CONTINUES_ANY_TEXT, tokenizer);
  const turnEnds = turnEndTokenIds(tokenizer).filter((id) => !plainEnds.includes(id));
  return turnEnds.length > 0 && !turnEnds.some((id) => config.eosTokenIds.includes(id));
}
