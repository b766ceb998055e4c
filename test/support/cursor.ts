// Documents with a cursor, as tests write them: ║ marks the cursor, and ⟦ ⟧ encloses a text that is inserted at the
// cursor and is not part of the document.
import { completionContext, type CompletionContext } from '../../server/completion/prompt/context';

export interface MarkedDocument {
  /** Text of the document, without the marks and the inserted text. */
  readonly text: string;
  /** Offset of the cursor. */
  readonly offset: number;
  /** Text to insert, empty without brackets. */
  readonly inserted: string;
}

export function markedDocument(marked: string): MarkedDocument {
  const parts = /^([^║⟦⟧]*)(?:║|⟦([^║⟦⟧]*)⟧)([^║⟦⟧]*)$/.exec(marked);
  if (parts === null) throw new Error(`Expected one ║ or one ⟦ ⟧ in ${marked}`);
  const [, before = '', inserted = '', after = ''] = parts;
  return { text: before + after, offset: before.length, inserted };
}

const EXTENSIONS: Readonly<Record<string, string>> = { python: 'py', typescript: 'ts', javascript: 'js' };

export function contextAt(marked: string, languageId = 'typescript'): CompletionContext {
  const { text, offset } = markedDocument(marked);
  const fileName = `sample.${EXTENSIONS[languageId] ?? 'txt'}`;
  return completionContext({ uri: `file:///${fileName}`, fileName, languageId, text }, offset);
}
