// What a prompt was made of, as sizes: the parts' own text stays out of statistics.

export interface PromptPart {
  /** format: tokens of the prompt's form, around the texts. instruction: what a chat model is told to do. */
  readonly name: 'format' | 'otherFile' | 'fileName' | 'before' | 'after' | 'instruction';
  /** Base name, of another file. */
  readonly file?: string;
  readonly characters: number;
  /** Null in a chat, whose template is encoded as one text. */
  readonly tokens: number | null;
}
