// What a fix asks for, and of which lines.
import assert from 'node:assert/strict';
import type { Diagnostic, TextDocument } from 'vscode';
import { fixInstruction, linesAround } from '../../../src/instruct/edit/fixAction';

function documentOf(text: string): TextDocument {
  const lines = text.split('\n');
  const lineAt = (line: number) => {
    const own = lines[line] ?? assert.fail(`line ${line}`);
    return { text: own, isEmptyOrWhitespace: own.trim() === '' };
  };
  return { lineCount: lines.length, lineAt } as unknown as TextDocument;
}

function problem(line: number, message: string): Diagnostic {
  return { message, range: { start: { line }, end: { line } } } as unknown as Diagnostic;
}

describe('the instruction of a fix', () => {
  it('quotes the line and what is wrong with it', () => {
    const document = documentOf('a;\n  b = c;\n');
    assert.equal(
      fixInstruction(document, [problem(1, 'cannot\n  find c')]),
      'Fix this problem and change nothing else.\nIn the line "b = c;": cannot find c',
    );
  });

  it('has an end, also for diagnostics of text that is gone', () => {
    const document = documentOf('x'.repeat(3000));
    const many = Array.from({ length: 100 }, () => problem(9, 'y'.repeat(3000)));
    assert.ok(fixInstruction(document, many).length < 6000);
  });
});

describe('the lines of a fix', () => {
  const around = (text: string, ...lines: readonly number[]) => {
    const { from, to } = linesAround(
      documentOf(text),
      lines.map((line) => problem(line, 'x')),
    );
    return [from, to];
  };

  it('end at blank lines', () => {
    assert.deepEqual(around('a\n\nb\nc\nd\n \ne', 3), [2, 5]);
    assert.deepEqual(around('a\nb\n\nc', 0), [0, 2]);
    assert.deepEqual(around('a\nb\n\nc', 1, 3), [0, 4]);
  });

  it('are not many', () => {
    assert.deepEqual(around('a\n'.repeat(100), 50), [35, 66]);
  });

  it('are in the document, whatever the diagnostic says', () => {
    assert.deepEqual(around('a\n\nb', 7), [2, 3]);
  });
});
