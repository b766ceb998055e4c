// Tests the benchmark of next edits: states from commits of a repository, and judgement of edits.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitChanges } from '../../../bench/nextEdit/commitHunks';
import { editStates, type EditState } from '../../../bench/nextEdit/editStates';
import { judgeState } from '../../../bench/nextEdit/judgeStates';
import { ReplayRule, Truth } from '../../../bench/nextEdit/standIns';
import type { EditDecoder } from '../../../server/nextEdit/proposal';
import { sweepOne } from '../../../server/nextEdit/sweep';
import { zeta21 } from '../../../server/nextEdit/zeta';
import { temporaryFolder } from '../../support/temporaryFolder';

/** Creates a repository in which one commit changes files to the second of their texts. */
function repository(
  files: Readonly<Record<string, readonly [string, string]>>,
  ...settings: string[]
): string {
  const folder = temporaryFolder();
  const git = (...words: string[]): void => {
    const user = ['-c', 'user.name=test', '-c', 'user.email=test@example.org'];
    assert.equal(spawnSync('git', [...user, ...words], { cwd: folder }).status, 0, words.join(' '));
  };
  git('init', '--quiet');
  for (const setting of settings) git('config', setting, 'true');
  for (const version of [0, 1] as const) {
    for (const [name, texts] of Object.entries(files)) writeFileSync(join(folder, name), texts[version]);
    git('add', '.');
    git('commit', '--quiet', '--no-verify', '--message', 'x');
  }
  return folder;
}

/** Returns the states of the only file of a repository. */
function statesOf(before: readonly string[], after: readonly string[], count = 10): readonly EditState[] {
  const text = (lines: readonly string[]): string => `${lines.join('\n')}\n`;
  return editStates(commitChanges(repository({ 'a.ts': [text(before), text(after)] }), 10), count, 1);
}

/** Returns the names of all judgements that hold for the edit that `decoder` suggests in a state. */
async function judge(state: EditState, decoder: EditDecoder, format = sweepOne): Promise<string> {
  const result = await judgeState(state, { format, decoder, promptTokens: 4096 });
  return Object.entries(result)
    .flatMap(([name, value]) => (value === true ? name : []))
    .join(' ');
}

/** Returns the lines before and after a commit that renames `old` to `fresh` in the lines of these numbers. */
function renamedAt(...lineNumbers: readonly number[]): [string[], string[]] {
  const text = (name: string): string[] =>
    Array.from({ length: 40 }, (_, i) => `line(${String(i)}${lineNumbers.includes(i) ? `, ${name}` : ''});`);
  return [text('old'), text('fresh')];
}

describe('states from commits', () => {
  it('include files with spaces or accents in their names, but not quotation marks, with any diff settings', () => {
    const texts = ['a();\n', 'b();\n'] as const;
    const names = ['a b.ts', 'é.ts', 'c"d.ts', 'plain.ts'];
    const folder = repository(
      Object.fromEntries(names.map((name) => [name, texts])),
      'diff.noprefix',
      'diff.mnemonicPrefix',
    );
    const states = editStates(commitChanges(folder, 10), 40, 1);
    assert.deepEqual(states.map(({ path }) => path).sort(), ['a b.ts', 'plain.ts', 'é.ts']);
    for (const { texts: found } of states)
      assert.deepEqual(found, [
        ['a();', ''],
        ['b();', ''],
      ]);
  });

  it('expect the next change if it is near enough for a model to rewrite, and no edit after the last change', () => {
    for (const [gap, stratum] of [
      [10, 'same'],
      [11, 'nothing'],
    ] as const) {
      const [state] = statesOf(...renamedAt(3, 3 + gap));
      assert.deepEqual([state?.stratum, state?.cursor.line], [stratum, stratum === 'same' ? 3 : 14]);
    }
  });

  it('omit a commit that only adds a line end to the last line', () => {
    const folder = repository({ 'a.ts': ['a();', 'a();\n'] });
    assert.deepEqual(editStates(commitChanges(folder, 10), 10, 1), []);
  });
});

describe('judgement of edits', () => {
  const EXACT = 'isShown isExact isExactText isUseful';

  it('calls the wanted text exact, and also one change that joins two of the commit', async () => {
    const [before, after] = renamedAt(3, 6, 9);
    const [state] = statesOf(before, after);
    assert.ok(state);
    assert.equal(await judge(state, new Truth(state)), EXACT);
    const [blank] = statesOf(['a();', 'b(old);', 'c();'], ['', 'a();', 'b(fresh);', 'c();']);
    assert.ok(blank);
    assert.equal(await judge(blank, new Truth(blank)), EXACT);
    // Only blank lines between the second change and the third.
    const withBlanks = (lines: readonly string[]) => lines.map((line, i) => (i === 7 || i === 8 ? '' : line));
    const [joined] = statesOf(withBlanks(before), withBlanks(after));
    assert.ok(joined);
    assert.equal(await judge(joined, new ReplayRule()), EXACT);
  });

  it('is the same in the format of Zeta as in the format of Sweep', async () => {
    const [before, after] = renamedAt(3, 6, 9);
    const [state] = statesOf(before, after);
    assert.ok(state);
    assert.equal(await judge(state, new Truth(state, zeta21), zeta21), EXACT);
    assert.equal(await judge(state, new ReplayRule(), zeta21), EXACT);
    const [done] = statesOf(before.slice(0, 4), after.slice(0, 4));
    assert.ok(done);
    assert.equal(await judge(done, new Truth(done, zeta21), zeta21), '');
  });

  it('calls an edit wrong if none is wanted, and a reversal if it undoes part of an earlier change', async () => {
    const [state] = statesOf(['a(old);', 'keep();', 'b(old);'], ['a(fresh);', 'keep();', 'b(old);']);
    assert.ok(state);
    assert.equal(state.stratum, 'nothing');
    assert.equal(await judge(state, new ReplayRule()), 'isShown');
    const [half] = statesOf(['a();', 'b();', 'c();'], ['x();', 'y();', 'z();']);
    assert.ok(half);
    const reversal = { ...half, nextTexts: [['a();', 'q();', 'z();', '']] };
    assert.match(await judge(reversal, new Truth(reversal)), /isReversal/);
  });

  it('is exact for a replacement that ReplayRule repeats everywhere except in the last change', async () => {
    const [state] = statesOf(
      ['n = 0;', 'for (x of xs)', '  sum(n);'],
      ['total = n0 + n;', 'for (x of xs)', '  sum(total);'],
    );
    assert.ok(state);
    assert.equal(await judge(state, new ReplayRule()), EXACT);
  });
});
