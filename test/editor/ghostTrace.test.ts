// The judge of the typing test: what it must find in a trace, and what it must leave alone.
import assert from 'node:assert/strict';
import { flickers, misplaced, typedThroughTimes, type GhostFrame } from './ghostTrace';

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

describe('ghost trace', () => {
  const complaints = (...frames: GhostFrame[]): string[] => misplaced({ frames, keys: [] });

  it('accepts ghost text that goes on, goes away, or comes anew', () => {
    const good = [
      frame(1, 'con', ''),
      frame(2, 'con', 'st a'),
      frame(3, 'cons', 't a'),
      frame(5, 'const t', ''),
      frame(6, 'const t', 'otal(x)'),
      // The editor closes the bracket.
      frame(7, 'const total(', 'x', { after: ')' }),
      frame(8, 'let', ' y'),
      frame(9, '  sum()', ' {', { below: '    return 1;  }' }),
      frame(10, '    r', 'eturn 1;', { below: '  }' }),
    ];
    assert.deepEqual(complaints(...good), []);
    assert.deepEqual(flickers({ frames: good, keys: [] }), []);
  });

  it('finds ghost text in the wrong place', () => {
    assert.match(complaints(frame(1, 'con', 'st a', { gap: 9 })).join(), /^9 px from the cursor/);
    assert.match(complaints(frame(1, 'con', 'st', { after: ' total' })).join(), /^not at the end/);
  });

  it('finds ghost text that goes between two keys that it said would come', () => {
    const seen = [frame(1, 'con', 'st a'), frame(2, 'cons', ''), frame(3, 'cons', 't a')];
    assert.equal(flickers({ frames: seen, keys: [] }).length, 1);
    const others = [
      [frame(1, 'con', 'st a'), frame(2, 'conx', '')],
      [frame(1, 'con', 's)'), frame(2, 'cons', '')],
      [frame(1, 'con', 'st a'), frame(2, 'cons', '', { list: true })],
    ];
    for (const frames of others) assert.deepEqual(flickers({ frames, keys: [] }), []);
  });

  it('times the keys that ghost text followed', () => {
    const frames = [frame(10, 'con', 'st a'), frame(40, 'cons', 't a'), frame(90, 'constx', '')];
    const keys = ['s', 't', 'x'].map((key, i) => ({ key, at: 20 + 30 * i }));
    assert.deepEqual(typedThroughTimes({ frames, keys }), [20]);
  });
});
