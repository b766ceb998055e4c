// The sizes of a prompt's parts, for statistics, which never contain the text itself.

export interface PartSize {
  /** format: tokens of the prompt format, around the texts. instruction: text that asks a chat model for the code. */
  readonly name: 'format' | 'otherFile' | 'fileName' | 'before' | 'after' | 'instruction';
  /** Base name; for another file only. */
  readonly file?: string;
  readonly characters: number;
  /** Null for a chat, whose parts are encoded together. */
  readonly tokens: number | null;
}
