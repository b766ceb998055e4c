// The chat template of a loaded model. A template that used up its processor time is read again for the next
// conversation: a machine that was busy once must not turn chats off until the model is loaded anew.
import { CpuLimitReached } from '../../machine/cpuLimit';
import { InputError } from '../../rules/inputError';
import { loadChatTemplate, type ChatTemplate } from './chatTemplate';
import type { LoadedTokenizer, PromptPart } from './tokenizer';

export class OwnTemplate {
  #loaded: ChatTemplate | InputError | undefined;

  constructor(
    private readonly directory: string,
    private readonly tokenizer?: Pick<LoadedTokenizer, 'mark'>,
  ) {
    this.#loaded = loadChatTemplate(directory, tokenizer);
  }

  /** Undefined for a model without a template that works, and as ChatTemplate is. Throws InputError as that does. */
  parts(...conversation: Parameters<ChatTemplate>): readonly PromptPart[] | undefined {
    if (this.#loaded instanceof CpuLimitReached)
      this.#loaded = loadChatTemplate(this.directory, this.tokenizer);
    return this.#loaded instanceof InputError ? undefined : this.#loaded?.(...conversation);
  }

  /** Why the template cannot be used; undefined for one that works, and without one. */
  get problem(): InputError | undefined {
    return this.#loaded instanceof InputError ? this.#loaded : undefined;
  }

  /** The text of the template in the model's files; undefined without one that works. */
  get source(): string | undefined {
    return this.#loaded instanceof InputError ? undefined : this.#loaded?.source;
  }
}
