// The chat template of a loaded model. A template that exceeded its processor time at load is loaded again for the next
// conversation: a machine that was busy once must not turn chats off until the model is reloaded.
import { CpuLimitReached } from '../../machine/cpuLimit';
import { UserError } from '../../rules/userError';
import { loadChatTemplate, type ChatTemplate } from './chatTemplate';
import type { PromptPart, SpecialTokenMarker } from './tokenizer';

export class ReloadingTemplate {
  #loaded: ChatTemplate | UserError | undefined;

  constructor(
    private readonly directory: string,
    private readonly marker?: SpecialTokenMarker,
  ) {
    this.#loaded = loadChatTemplate(directory, marker);
  }

  /** Renders a conversation as `ChatTemplate.render` does. Also returns undefined without a working template. */
  render(...conversation: Parameters<ChatTemplate['render']>): readonly PromptPart[] | undefined {
    return this.#usable()?.render(...conversation);
  }

  /** Whether there is a template that works. */
  get isUsable(): boolean {
    return this.#usable() !== undefined;
  }

  /** Reason why the template cannot be used; undefined if it works, or if there is none. */
  get problem(): UserError | undefined {
    return this.#loaded instanceof UserError ? this.#loaded : undefined;
  }

  /** Text of the template in the model's files; undefined without a working template. */
  get source(): string | undefined {
    return this.#loaded instanceof UserError ? undefined : this.#loaded?.source;
  }

  #usable(): ChatTemplate | undefined {
    if (this.#loaded instanceof CpuLimitReached) this.#loaded = loadChatTemplate(this.directory, this.marker);
    return this.#loaded instanceof UserError ? undefined : this.#loaded;
  }
}
