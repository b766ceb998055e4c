// Messages for next edits: those of copilot-language-server, with our additions. Types and names only.

export const NextEditMethod = {
  /** client -> server, request: returns the next edit. */
  inlineEdit: 'textDocument/copilotInlineEdit',
  /** client -> server, notification: an edit has become visible. */
  didShow: 'textDocument/didShowInlineEdit',
  /** client -> server, request: runs one of NextEditCommand. */
  executeCommand: 'workspace/executeCommand',
} as const;

/** Trigger kinds of requests. invoked: the user requested an edit; automatic is the default. */
export const NextEditTrigger = { invoked: 1, automatic: 2 } as const;

export const NextEditCommand = {
  /** Run with the id of an edit once the edit is part of the document. */
  accept: 'flashline.didAcceptNextEdit',
  /** Run with the id of an edit if the user has dismissed the visible edit. */
  reject: 'flashline.didRejectNextEdit',
} as const;

/** A position as in LSP: both numbers count from 0, characters in UTF-16 units. */
interface Position {
  readonly line: number;
  readonly character: number;
}

/** A document at one version: an edit applies only to the text that it was made for. */
interface VersionedDocument {
  readonly uri: string;
  readonly version: number;
}

export interface InlineEditParams {
  readonly textDocument: VersionedDocument;
  readonly position: Position;
  /** `triggerKind` is one of NextEditTrigger. */
  readonly context?: { readonly triggerKind?: number | undefined } | undefined;
}

export interface InlineEditResult {
  /** One edit or none. */
  readonly edits: readonly InlineEdit[];
}

export interface InlineEdit {
  readonly text: string;
  readonly textDocument: VersionedDocument;
  readonly range: { readonly start: Position; readonly end: Position };
  /** Command that the client runs after it has applied the edit. */
  readonly command: {
    readonly title: string;
    readonly command: typeof NextEditCommand.accept;
    readonly arguments: readonly [id: string];
  };
}

/** The item of an edit that has become visible, as it was received. Only its command counts. */
export interface DidShowParams {
  readonly item: { readonly command: { readonly arguments: readonly [id: string] } };
}

export interface ExecuteCommandParams {
  readonly command: string;
  readonly arguments?: readonly string[] | undefined;
}

export interface NextEditStatus {
  /**
   * State of next edits. noFormat: the model is not trained for them. missing: the model in the settings cannot load.
   * paused: the machine runs on battery.
   */
  readonly state: 'ready' | 'loading' | 'noFormat' | 'missing' | 'paused';
  readonly model?: string;
  /** Sentence for the user: why there are no next edits, and what to do. */
  readonly message?: string;
}
