// What a model is asked with for a place in a file, as long as its context allows.
import type { FimLayout } from '../completion/decoder';
import { fimPrompt } from '../completion/fimPrompt';
import { InputError } from '../inputError';
import type { TargetConfig } from '../models/target';
import type { Tokenizer } from '../models/tokenizer';
import type { SourceLocation } from './sourceLocation';

/** What a prompt is made with, which a loaded engine has. */
export interface PromptModel {
  readonly tokenizer: Tokenizer | undefined;
  readonly config: Pick<TargetConfig, 'modelType' | 'maxPositionEmbeddings'>;
}

/** For the text between what is before the cursor and what is behind it. */
export function infillPrompt(
  model: PromptModel,
  location: SourceLocation,
  maxTokens: number,
  layout?: FimLayout,
): number[] {
  const prompt = fimPrompt(location, tokenizerOf(model), budgetOf(model, maxTokens), layout);
  if (prompt !== undefined) return prompt;
  throw new InputError({
    expected:
      'a target with the fill-in-the-middle tokens <|fim_prefix|> <|fim_suffix|> <|fim_middle|>, or others of a published form',
    got: `a ${model.config.modelType} model without them`,
    remedy: 'use flashline generate, or a model trained to fill in the middle',
  });
}

export function tokenizerOf({ tokenizer }: PromptModel): Tokenizer {
  if (tokenizer !== undefined) return tokenizer;
  throw new InputError({
    expected: 'tokenizer.json in the target directory',
    got: 'none',
    remedy: 'add it, or use generate --batch with promptIds',
  });
}

/** Tokens for the prompt. */
export function budgetOf({ config }: PromptModel, maxTokens: number): number {
  const { maxPositionEmbeddings: context } = config;
  return Math.max(context - maxTokens, Math.ceil(context / 2));
}
