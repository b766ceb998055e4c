// Whether a model only continues text: it was never trained to follow instructions. A chat template does not tell,
// since exporters give the same one to base models. Its end tokens do: a model that was taught turns ends with one.
import { specialTokenIds, type SpecialTokens } from '../completion/prompt/fimForm';
import { turnEndTokenIds } from '../completion/prompt/prompt';
import type { RemoteServedEngine, ServedEngine } from './loadedModel';

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
