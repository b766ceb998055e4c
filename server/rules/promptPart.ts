// Parts of a prompt, as sizes: their text stays out of statistics.

export interface PromptPart {
  /** format: tokens of the prompt format, around the texts. instruction: text that tells a chat model what to do. */
  readonly name: 'format' | 'otherFile' | 'fileName' | 'before' | 'after' | 'instruction';
  /** Base name; for another file only. */
  readonly file?: string;
  readonly characters: number;
  /** Null in a chat, which is encoded as one text. */
  readonly tokens: number | null;
}
