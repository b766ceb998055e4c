// What is stored of kept and dismissed suggestions, and what of it the server is told.
import assert from 'node:assert/strict';
import type { Memento } from 'vscode';
import { Habits } from '../../src/habits';

/** A memory that holds `stored`, and counts how often the offsets have changed. */
function habits(stored?: unknown) {
  const memory = { stored, changes: 0 };
  const memento = {
    get: () => memory.stored,
    update: (_: string, value: unknown) => Promise.resolve(void (memory.stored = value)),
  };
  const onChange = (): void => void (memory.changes += 1);
  return { memory, habits: new Habits(memento as unknown as Memento, onChange) };
}

describe('habits', () => {
  it('move the language they belong to, down after dismissals and up after what was kept', () => {
    const { habits: all, memory } = habits();
    assert.deepEqual(all.offsets, {});
    for (let i = 0; i < 30; i++) {
      all.learn('typescript', 0.5, false);
      all.learn('python', 0.5, true);
    }
    const { typescript = 0, python = 0, ...others } = all.offsets;
    assert.ok(typescript < 0 && python > 0, JSON.stringify(all.offsets));
    assert.deepEqual(others, {});
    assert.ok(memory.changes > 0 && memory.changes < 60, 'the server is told of changes only');
  });

  it('say nothing while as much is kept as was expected', () => {
    const { habits: all, memory } = habits();
    for (let i = 0; i < 40; i++) all.learn('go', 0.5, i % 2 === 0);
    assert.ok(Math.abs(all.offsets['go'] ?? 0) <= 0.1);
    assert.ok(JSON.stringify(memory.stored).length < 100, 'counts are stored, no text');
  });

  it('outlive the window', () => {
    const first = habits();
    for (let i = 0; i < 20; i++) first.habits.learn('rust', 0.9, false);
    assert.deepEqual(habits(first.memory.stored).habits.offsets, first.habits.offsets);
  });

  for (const stored of [
    null,
    3,
    { go: 7 },
    { go: { shown: 'many' } },
    { go: { shown: 1, kept: -1, expected: 1 } },
  ])
    it(`begin anew where something else is stored: ${JSON.stringify(stored)}`, () => {
      const { habits: all } = habits(stored);
      assert.deepEqual(all.offsets, {});
      all.learn('go', 0.5, true);
    });
});
