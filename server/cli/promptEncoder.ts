// Encodes prompts of the command line as messages in the target's chat template, or as bare text.
import { basename } from 'node:path';
import { infillOf } from '../completion/prompt/fimForm';
import { turnEndTokenIds } from '../completion/prompt/specialTokens';
import type { DecodeRequest } from '../engine/decode/decode';
import type { Engine } from '../engine/engine';
import { isBaseModel } from '../hosting/isBaseModel';
import { pairDirectories, repositoryOf } from '../hub/pairDirectories';
import { UnusedVariable } from '../models/text/templateVariables';
import { UserError } from '../rules/userError';
import type { PairArguments } from './pairArguments';

export const CHAT_OPTIONS = {
  chat: { type: 'boolean' },
  'no-chat': { type: 'boolean' },
  think: { type: 'boolean' },
} as const;

export const CHAT_HELP = `
  --chat                send each prompt as a message, in the target's chat template (default for a target that chats
                        and cannot fill in)
  --no-chat             continue the bare text
  --think               let the target think before it answers; its chat template must support that`;

export interface ChatChoice {
  /** Whether to use the chat template; undefined lets the target decide. */
  readonly isChat: boolean | undefined;
  readonly thinks: boolean;
}

interface ChatValues {
  readonly chat?: boolean | undefined;
  readonly 'no-chat'?: boolean | undefined;
  readonly think?: boolean | undefined;
}

export function chatArguments(values: ChatValues): ChatChoice {
  const { chat, think, 'no-chat': noChat } = values;
  if (noChat && (chat || think))
    throw new UserError(`--no-chat contradicts ${chat ? '--chat' : '--think'}. Leave one out.`);
  const isChat = chat || think ? true : noChat ? false : undefined;
  return { isChat, thinks: think === true };
}

/** Encodes the prompts of one command as token ids. */
export class PromptEncoder {
  private constructor(
    private readonly engine: Engine,
    readonly isChat: boolean,
    private readonly thinks: boolean,
  ) {}

  /** Throws UserError if chat is requested and the target has no tokenizer or no working chat template. */
  static of(engine: Engine, { target, drafter }: PairArguments, choice: ChatChoice): PromptEncoder {
    const { isChat, thinks } = choice;
    if (isChat === undefined) return new PromptEncoder(engine, onlyChats(engine, target, drafter), thinks);
    if (isChat) requireTemplate(engine, thinks ? '--think' : '--chat');
    return new PromptEncoder(engine, isChat, thinks);
  }

  /**
   * Returns the token ids of a prompt. Spelled-out special tokens are text in a message and tokens in bare text. Throws
   * UserError if thinking is requested and the chat template has none.
   */
  encode(text: string): readonly number[] {
    const { engine, isChat, thinks } = this;
    if (!isChat) return engine.encodePrompt(text);
    try {
      const variables = thinks ? { reasoning_effort: 'medium' } : {};
      return engine.encodeChat([{ role: 'user', content: text }], [], variables) ?? [];
    } catch (cause) {
      if (!(cause instanceof UnusedVariable)) throw cause;
      const message = 'The chat template of this target does not support thinking. Leave --think out.';
      throw new UserError(message, { cause });
    }
  }

  /** Adds the tokens that end a turn of a chat, since model files do not always list them as end tokens. */
  withTurnEnds(request: DecodeRequest): DecodeRequest {
    const { tokenizer } = this.engine;
    if (!this.isChat || !tokenizer) return request;
    return { ...request, stopTokenIds: [...(request.stopTokenIds ?? []), ...turnEndTokenIds(tokenizer)] };
  }
}

function onlyChats(engine: Engine, target: string | undefined, drafter: string | undefined): boolean {
  const { tokenizer, hasChatTemplate } = engine;
  if (tokenizer === undefined) return false;
  const { targetDirectory } = pairDirectories(target, drafter);
  const name = repositoryOf(targetDirectory) ?? basename(targetDirectory);
  const isBase = isBaseModel({ target: name, engine });
  return infillOf({ name, isBase, tokenizer, hasChatTemplate }) === 'chat';
}

/** Throws UserError if the target lacks a tokenizer or a working chat template, which `option` needs. */
function requireTemplate(engine: Engine, option: string): void {
  if (engine.chatProblem) throw engine.chatProblem;
  if (engine.tokenizer && engine.chatTemplateText !== undefined) return;
  const missing = engine.tokenizer ? 'chat template' : 'tokenizer';
  throw new UserError(`This target has no ${missing}. Leave ${option} out.`);
}
