// Tests the quick fix "Fix with Flashline": the lines that it changes and its instruction.
// test/host/suite/fixAction.test.ts tests in VS Code where it is offered.
import assert from 'node:assert/strict';
import type { CodeAction, Diagnostic, TextDocument } from 'vscode';
import type { EditedLines } from '../../../src/instruct/edit/followedLines';
import { fixAction } from '../../../src/instruct/edit/fixAction';
import { fake } from '../../support/fake';
import { commands, languages, Range } from '../support/fakeVscode';

type Edited = readonly [lines: EditedLines, instruction: string | undefined];

function documentOf(lines: readonly string[]): TextDocument {
  return {
    lineCount: lines.length,
    lineAt: (line: number) => ({ text: lines[line], isEmptyOrWhitespace: lines[line]?.trim() === '' }),
  } as unknown as TextDocument;
}

function problem(line: number, message: string, endLine = line): Diagnostic {
  return fake<Diagnostic>({ message, range: new Range(line, 0, endLine, 1) as never });
}

describe('the quick fix', () => {
  let edited: Edited[];
  let reason: 'secret' | undefined;
  beforeEach(() => {
    edited = [];
    reason = undefined;
    languages.actionProviders = [];
    const apply = async (lines: () => EditedLines, instruct: () => Promise<string | undefined>) =>
      void edited.push([lines(), await instruct()]);
    // The user asks for quick fixes, so they are offered in manual mode too.
    const whyNoSuggestion = (_: unknown, __: unknown, isExplicit: boolean) =>
      isExplicit ? reason : 'manual';
    fixAction(fake({ whyNoSuggestion }), fake({ apply }));
  });

  /** Returns the actions that are offered for diagnostics. */
  function actionsFor(document: TextDocument, diagnostics: readonly Diagnostic[]): readonly CodeAction[] {
    const [provider] = languages.actionProviders as {
      provideCodeActions: (...words: unknown[]) => readonly CodeAction[];
    }[];
    return provider?.provideCodeActions(document, new Range(0, 0, 0, 0), { diagnostics }) ?? [];
  }

  /** Runs the fix for diagnostics. */
  async function fix(lines: readonly string[], ...diagnostics: readonly Diagnostic[]): Promise<Edited> {
    const [action] = actionsFor(documentOf(lines), diagnostics);
    const { command = '', arguments: words = [] } = action?.command ?? {};
    await commands.registered[command]?.(...(words as unknown[]));
    return edited.at(-1) ?? assert.fail();
  }

  it('is offered for problems, where suggestions are possible', () => {
    const document = documentOf(['a']);
    const diagnostics = [problem(0, 'wrong')];
    const [action] = actionsFor(document, diagnostics);
    assert.deepEqual([action?.title, action?.diagnostics], ['Fix with Flashline', diagnostics]);
    assert.deepEqual(actionsFor(document, []), []);
    reason = 'secret';
    assert.deepEqual(actionsFor(document, diagnostics), []);
  });

  it('names each problem with its line of code, at most five of them', async () => {
    const lines = ['  a(b);', 'c'];
    const [, one] = await fix(lines, problem(0, 'cannot  find\n  b '));
    assert.equal(one, 'Fix this problem and change nothing else.\nIn the line "a(b);": cannot find b');
    const [, many] = await fix(lines, ...Array.from({ length: 7 }, (_, i) => problem(1, `no ${String(i)}`)));
    const [head, ...named] = many?.split('\n') ?? [];
    assert.equal(head, 'Fix these problems and change nothing else.');
    assert.deepEqual(
      named,
      [0, 1, 2, 3, 4].map((i) => `In the line "c": no ${String(i)}`),
    );
    const [, long] = await fix(['x'.repeat(999)], problem(9, 'y'.repeat(999)));
    assert.equal(long?.split('\n')[1], `In the line "${'x'.repeat(500)}": ${'y'.repeat(500)}`);
  });

  it('changes the paragraph around all problems, up to fifteen lines on both sides', async () => {
    const paragraph = ['a', ' ', 'b', 'c', 'd', '', 'e'];
    for (const [diagnostics, from, to] of [
      [[problem(3, 'x')], 2, 5],
      [[problem(2, 'x'), problem(4, 'y', 6)], 2, 7],
      [[problem(1, 'x')], 0, 5],
      [[problem(0, 'x')], 0, 1],
      [[problem(9, 'after the last line')], 6, 7],
    ] as const) {
      const [lines] = await fix(paragraph, ...diagnostics);
      assert.deepEqual([lines.from, lines.to], [from, to]);
    }
    const [all] = await fix(['a', 'b', 'c'], problem(1, 'x'));
    assert.deepEqual([all.from, all.to], [0, 3], 'up to the first and the last line of the file');
    const [lines] = await fix(
      Array.from({ length: 60 }, () => 'a'),
      problem(30, 'x'),
    );
    assert.deepEqual([lines.from, lines.to], [15, 46]);
  });
});
