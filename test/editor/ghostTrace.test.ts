// The judge of the typing test: what it must find in a trace, and what it must leave alone.
import assert from 'node:assert/strict';
import { misplaced, typedThroughTimes, type GhostFrame } from './ghostTrace';

const frame = (at: number, before: string, ghost: string, more: Partial<GhostFrame> = {}): GhostFrame => ({
  at,
  before,
  ghost,
  after: '',
  below: '',
  gap: 0,
  list: false,
  ...more,
});
const LINES = ['const total', 'let x'];

describe('ghost trace', () => {
  const complaints = (...frames: GhostFrame[]): string[] => misplaced({ frames, keys: [] }, LINES);

  it('accepts ghost text that goes on, goes away, or comes anew', () => {
    const good = [
      frame(1, 'con', ''),
      frame(2, 'con', 'st a'),
      frame(3, 'cons', 't a'),
      frame(4, 'const ', ' = 1'),
      frame(5, 'const t', ''),
      frame(6, 'const t', 'otal'),
      frame(7, 'let', ' x'),
    ];
    assert.deepEqual(complaints(...good.filter(({ at }) => at !== 4)), []);
  });

  it('finds ghost text that stayed although another key came', () => {
    assert.match(complaints(frame(1, 'con', 'st a'), frame(2, 'cons', 'st a')).join(), /^stale/);
    assert.match(complaints(frame(1, 'con', 'st a'), frame(2, 'const', 't a')).join(), /^stale/);
  });

  it('finds ghost text in the wrong place', () => {
    assert.match(complaints(frame(1, 'con', 'st a', { gap: 9 })).join(), /^9 px from the cursor/);
    assert.match(complaints(frame(1, 'con', 'st', { after: ' total' })).join(), /^not at the end/);
    assert.match(complaints(frame(1, 'cno', 'st')).join(), /^beside the text/);
  });

  it('times the keys that ghost text followed', () => {
    const frames = [frame(10, 'con', 'st a'), frame(40, 'cons', 't a'), frame(90, 'constx', '')];
    const keys = ['s', 't', 'x'].map((key, i) => ({ key, at: 20 + 30 * i }));
    assert.deepEqual(typedThroughTimes({ frames, keys }), [20]);
  });
});
