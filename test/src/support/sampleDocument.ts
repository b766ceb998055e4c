// Documents and gate questions for tests, open to suggestions unless told otherwise.
// A document counts how many lines are read from it.
import type { DocumentFacts } from '../../../src/documentFacts';
import type { GateInput } from '../../../src/gate';
import { parseSettings, type Settings } from '../../../src/settings';

export interface SampleText extends Partial<Omit<DocumentFacts, 'lineAt'>> {
  readonly lines?: readonly string[];
}

export function sampleDocument({ lines = ['const a = 1;'], ...facts }: SampleText = {}): DocumentFacts {
  return {
    scheme: 'file',
    path: '/project/src/stack.ts',
    languageId: 'typescript',
    size: lines.reduce((sum, line) => sum + line.length + 1, 0),
    lineCount: lines.length,
    lineAt: (line) => lines[line] ?? '',
    ...facts,
  };
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
