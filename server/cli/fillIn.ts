// Builds the prompt for the text at a cursor, and decodes it, on the command line and in benchmarks.
import { FillInPrompt, type FillIn, type Hole } from '../completion/prompt/fillIn';
import { HealedOutput } from '../completion/prompt/healedOutput';
import type { HealedPrompt } from '../completion/prompt/healing';
import type { Decode, DecodeRequest, DecodeResult } from '../engine/decode/decode';
import type { Engine } from '../engine/engine';
import type { Tokenizer } from '../models/text/tokenizer';
import type { RemoteEngine } from '../remote/remoteEngine';
import { UserError } from '../rules/userError';

/** The properties of a model that `holePrompt` reads. */
export interface FillInModel {
  readonly tokenizer: Tokenizer | undefined;
  readonly config: { readonly modelType: string; readonly maxPositionEmbeddings: number };
}

/**
 * Builds the prompt for the text between the prefix and the suffix, with room for an output of `maxTokens`. Throws
 * UserError if the model has no tokenizer or cannot fill in.
 */
export function holePrompt(
  model: FillInModel,
  { fileName, prefix, suffix }: Hole,
  maxTokens: number,
): FillIn {
  const { maxPositionEmbeddings: contextTokens } = model.config;
  const tokenizer = tokenizerOf(model);
  const hole = { fileName, prefix, suffix };
  const prompt = new FillInPrompt(hole, { tokenizer, contextTokens }, maxTokens).build();
  if (prompt !== undefined) return prompt;
  throw new UserError(
    `This ${model.config.modelType} model has no fill-in-the-middle tokens in a published format, such as ` +
      '<|fim_prefix|> <|fim_suffix|> <|fim_middle|>. Use flashline generate, or a model trained to fill in the middle.',
  );
}

export function tokenizerOf({ tokenizer }: FillInModel): Tokenizer {
  if (tokenizer !== undefined) return tokenizer;
  throw new UserError(
    'The target directory has no tokenizer.json. Add it, or use generate --batch with promptIds.',
  );
}

/**
 * Decodes the text at the cursor: the healed prompt, if there is one; the plain prompt if not, or if the output of the
 * healed one does not begin with the removed text. The result omits that text and its tokens.
 */
export async function decodeFillIn(
  engine: Engine | RemoteEngine,
  { promptIds, healed, lineEnd }: FillIn,
  request: DecodeRequest,
): Promise<DecodeResult<null>> {
  const unhealed = { ids: promptIds, removed: '' };
  let output = await decodePrompt(engine, healed ?? unhealed, request);
  if (!output.isRepeated && !request.signal?.aborted) output = await decodePrompt(engine, unhealed, request);
  const { result } = output;
  return { ...result, text: result.text?.replaceAll('\n', lineEnd) ?? null };
}

/** Decodes a prompt. Returns the result without the removed text, and whether the output begins with that text. */
async function decodePrompt(
  engine: Engine | RemoteEngine,
  { ids, removed }: HealedPrompt,
  request: DecodeRequest,
): Promise<{ readonly result: DecodeResult<null>; readonly isRepeated: boolean }> {
  const healed = new HealedOutput(removed, engine.tokenizer);
  const decode: Decode<null> = engine.decode(ids, { ...request, ...healed.limits(request) });
  let filled = '';
  for await (const chunk of decode) {
    const rest = healed.push(chunk);
    if (rest === undefined) break;
    filled += rest.text;
  }
  const { result } = decode;
  const { skipped, isRepeated } = healed;
  const text = result.text === null ? null : filled;
  const tokenIds = result.tokenIds?.slice(skipped) ?? null;
  const logprobs = result.logprobs && { logprobs: result.logprobs.slice(skipped) };
  return { result: { ...result, text, tokenIds, ...logprobs }, isRepeated };
}
