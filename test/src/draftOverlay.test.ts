// Which stretches of an accepted text the overlay paints: only what the rounds of an output say, token by token.
import assert from 'node:assert/strict';
import { paintedSpans } from '../../src/draftOverlay';
import type { StatsRow } from '../../server/protocol';
import { sampleRow } from './support/sampleRow';

const ROW: StatsRow = {
  ...sampleRow(),
  rounds: [
    [{ text: ' a', source: 'prefill' }],
    [
      { text: '.push', source: 'draft' },
      { text: '(x', source: 'draft' },
      { text: ');\n', source: 'target' },
    ],
  ],
};

describe('paintedSpans', () => {
  it('cuts the tokens of the output to the accepted text', () => {
    assert.deepEqual(paintedSpans('a.push(x)', 'stack.js', [ROW]), [
      { start: 0, end: 1, source: 'prefill' },
      { start: 1, end: 6, source: 'draft' },
      { start: 6, end: 8, source: 'draft' },
      { start: 8, end: 9, source: 'target' },
    ]);
  });

  it('finds the rest of a suggestion that was typed into', () => {
    assert.deepEqual(paintedSpans('sh(x', 'stack.js', [ROW]), [
      { start: 0, end: 2, source: 'draft' },
      { start: 2, end: 4, source: 'draft' },
    ]);
  });

  it('takes the newest output, and what was prefetched too', () => {
    const newer: StatsRow = {
      ...ROW,
      id: 2,
      kind: 'prefetch',
      rounds: [[{ text: '.push', source: 'target' }]],
    };
    assert.deepEqual(paintedSpans('.push', 'stack.js', [ROW, newer]), [
      { start: 0, end: 5, source: 'target' },
    ]);
  });

  it('paints nothing from other files, generated text, or a text that no output contains', () => {
    assert.deepEqual(paintedSpans('.push', 'other.js', [ROW]), []);
    assert.deepEqual(paintedSpans('.push', 'stack.js', [{ ...ROW, kind: 'generate' }]), []);
    assert.deepEqual(paintedSpans('.pop', 'stack.js', [ROW]), []);
    assert.deepEqual(paintedSpans('', 'stack.js', [ROW]), []);
  });
});
