// The messages of next edits: those of copilot-language-server, with our additions. Types and names only.

export const NextEditMethod = {
  /** client -> server, request: InlineEditParams to InlineEditResult. */
  inlineEdit: 'textDocument/copilotInlineEdit',
  /** client -> server, notification: an edit has become visible. */
  didShow: 'textDocument/didShowInlineEdit',
  /** client -> server, notification: a document has the focus. */
  didFocus: 'textDocument/didFocus',
} as const;

export const NextEditCommand = {
  /** Run with the edit's id once it is part of the document. */
  accept: 'flashline.didAcceptNextEdit',
  /** Run with the edit's id if the person dismissed it after having seen it. */
  reject: 'flashline.didRejectNextEdit',
} as const;

/** As in LSP: both count from 0, characters in UTF-16 units. */
interface Position {
  readonly line: number;
  readonly character: number;
}

/** The version counts: an edit is computed for one text. */
interface VersionedDocument {
  readonly uri: string;
  readonly version: number;
}

export interface InlineEditParams {
  readonly textDocument: VersionedDocument;
  readonly position: Position;
  /** 1: a person asked for it; 2, the default: automatic. */
  readonly context?: { readonly triggerKind?: number };
}

export interface InlineEditResult {
  /** None, or edits that belong together, do not overlap and are in the order of the text. Mostly a single one. */
  readonly edits: readonly InlineEdit[];
}

export interface InlineEdit {
  readonly text: string;
  readonly textDocument: VersionedDocument;
  readonly range: { readonly start: Position; readonly end: Position };
  /** The client runs it after it has applied the edit. */
  readonly command: {
    readonly title: string;
    readonly command: typeof NextEditCommand.accept;
    readonly arguments: readonly [id: string];
  };
  /** Probability of the least likely changed token, from 0 to 1; absent where the engine does not report it. */
  readonly keepProbability?: number;
  readonly flashline?: { readonly display: EditDisplay };
}

/**
 * ghost: an insertion at the cursor, so ordinary ghost text can show it. here: within two lines of the cursor. jump:
 * farther away.
 */
export type EditDisplay = 'ghost' | 'here' | 'jump';

/** noFormat: the model was not trained for next edits. missing: the model of the settings cannot be loaded. */
export interface NextEditStatus {
  readonly state: 'ready' | 'loading' | 'noFormat' | 'missing' | 'paused';
  readonly model?: string;
  /** A sentence that says why there are no next edits, and what to do. */
  readonly message?: string;
}
