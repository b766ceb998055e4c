// Splits the output of a chat into its thinking, its function calls and the remaining text.
import type { ThinkingReader } from '../completion/instruct/thinkingReader';
import type { WireToolCall } from '../completion/instruct/toolCallForms';
import type { ToolCallReader } from '../completion/instruct/toolCallReader';
import type { TextFilter } from './generation';

export class ChatOutputFilter implements TextFilter {
  /** Length of the thinking returned so far. */
  #taken = 0;

  /** `tools` is undefined if the request has no tools to call. */
  constructor(
    private readonly thoughts: ThinkingReader,
    private readonly tools: ToolCallReader | undefined,
  ) {}

  /** All thinking so far. */
  get thinking(): string {
    return this.thoughts.thinking;
  }

  get calls(): readonly WireToolCall[] {
    return this.tools?.calls ?? [];
  }

  push(piece: string): string {
    const text = this.thoughts.push(piece);
    return this.tools ? this.tools.push(text) : text;
  }

  flush(): string {
    const text = this.thoughts.flush();
    return this.tools ? this.tools.push(text) + this.tools.flush() : text;
  }

  takeThinking(): string {
    const piece = this.thinking.slice(this.#taken);
    this.#taken = this.thinking.length;
    return piece;
  }
}
