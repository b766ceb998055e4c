// Documents and gate questions for tests, open to suggestions unless told otherwise.
import type { TextDocument } from 'vscode';
import type { GateInput } from '../../../src/gate';
import { parseSettings, type Settings } from '../../../src/settings';

export interface SampleText {
  readonly scheme?: string;
  readonly path?: string;
  readonly languageId?: string;
  readonly lines?: readonly string[];
  /** In UTF-16 units. */
  readonly size?: number;
  readonly lineCount?: number;
  readonly lineAt?: (line: number) => string;
}

/** A document as far as the gate looks at it: never its whole text. */
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
    uri: { scheme, path },
    languageId,
    lineCount,
    lineAt: (line: number) => ({ text: lineAt(line) }),
    // Asked for the end only.
    offsetAt: ({ line }: { readonly line: number }) => (line >= lineCount ? size : NaN),
  };
  return document as unknown as TextDocument;
}

export function sampleSettings(values: Readonly<Record<string, unknown>> = {}): Settings {
  return parseSettings((name) => values[name]);
}

export function sampleQuestion(change: Partial<GateInput> = {}): GateInput {
  return {
    settings: sampleSettings(),
    document: sampleDocument(),
    line: 0,
    cursors: 1,
    trusted: true,
    snoozed: false,
    writable: true,
    explicit: false,
    ...change,
  };
}
