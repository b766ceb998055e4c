// Sample documents and settings, and questions to the gate about them. By default, the gate allows suggestions.
import type { Position, TextDocument } from 'vscode';
import { parseSettings, type Settings } from '../../../src/configuration';
import { EditorGate } from '../../../src/gate/gate';
import type { GateReason } from '../../../src/gate/gateReasons';
import type { Snooze } from '../../../src/gate/snooze';
import { IgnoreFiles } from '../../../src/gate/ignoreFiles';
import { fake } from '../../support/fake';
import { window, workspace } from './fakeVscode';

export interface SampleText {
  readonly scheme?: string;
  readonly path?: string;
  readonly languageId?: string;
  readonly lines?: readonly string[];
  /** Length in UTF-16 units. */
  readonly size?: number;
  readonly lineCount?: number;
  readonly lineAt?: (line: number) => string;
}

/** Creates a document with the parts that the gate uses: never its whole text. */
export function sampleDocument({
  scheme = 'file',
  path = '/project/src/stack.ts',
  languageId = 'typescript',
  lines = ['const a = 1;'],
  size = lines.reduce((sum, line) => sum + line.length + 1, 0),
  lineCount = lines.length,
  lineAt = (line) => lines[line] ?? '',
}: SampleText = {}): TextDocument {
  const document = {
    uri: { scheme, authority: '', path, fsPath: path },
    languageId,
    lineCount,
    lineAt: (line: number) => {
      if (line >= lineCount) throw new Error('Illegal value for `line`');
      return { text: lineAt(line) };
    },
    // Only called for the end of the document.
    offsetAt: ({ line }: { readonly line: number }) => (line >= lineCount ? size : NaN),
  };
  return document as unknown as TextDocument;
}

export function sampleSettings(values: Readonly<Record<string, unknown>> = {}): Settings {
  return parseSettings((name) => values[name]);
}

/** A question to the gate, and the state of the window. */
export interface Question {
  readonly settings: Settings;
  readonly document: TextDocument;
  /** Line of the cursor. */
  readonly line: number;
  /** Number of cursors. */
  readonly cursors: number;
  /** Whether text is selected. */
  readonly selects: boolean;
  readonly trusted: boolean;
  readonly snoozed: boolean;
  readonly writable: boolean;
  /** Whether the user has requested suggestions by a command. */
  readonly explicit: boolean;
}

/** Returns the gate's reason to refuse, for ghost text by default; undefined if it allows the request. */
export function askGate(
  change: Partial<Question>,
  question: 'suggestion' | 'activeEditor' | 'generation' | 'hidden' = 'suggestion',
): GateReason | undefined {
  const usual = { settings: sampleSettings(), document: sampleDocument(), line: 0, cursors: 1 };
  const state = { selects: false, trusted: true, snoozed: false, writable: true, explicit: false };
  const { settings, document, line, cursors, selects, trusted, snoozed, writable, explicit }: Question = {
    ...usual,
    ...state,
    ...change,
  };
  const snooze = fake<Snooze>({ until: snoozed ? Infinity : undefined });
  const gate = new EditorGate(fake({ settings }), snooze, new IgnoreFiles());
  const position = { line } as Position;
  workspace.isTrusted = trusted;
  workspace.isWritable = writable;
  window.activeTextEditor = {
    document,
    selection: { active: position, isEmpty: !selects },
    selections: Array(cursors).fill({}),
  };
  try {
    if (question === 'suggestion') return gate.whyNoSuggestion(document, position, explicit);
    if (question === 'activeEditor') return gate.activeEditorPause()?.reason;
    return question === 'generation' ? gate.whyNoGeneration(document, line) : gate.whyHidden(document);
  } finally {
    workspace.isTrusted = workspace.isWritable = true;
    window.activeTextEditor = undefined;
  }
}
