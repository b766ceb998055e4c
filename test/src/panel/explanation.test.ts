// Why this suggestion: the parts of the last prompt.
import assert from 'node:assert/strict';
import { explainedRow, explanation, sections } from '../../../src/panel/page';
import { sampleRow } from '../support/sampleRow';

const prompt = [
  { name: 'otherFile', file: '<b>.ts', characters: 40, tokens: 16 },
  { name: 'before', characters: 100, tokens: 32 },
  { name: 'after', characters: 30, tokens: 12 },
  { name: 'format', characters: 0, tokens: 4 },
] as const;

describe('the explanation', () => {
  it('has each part of the prompt with its share, and the whole', () => {
    const { text } = explanation(sampleRow({ prompt }));
    const numbers = [...text.matchAll(/data-part="(\w+)"([^]*?)<\/tr>/g)].map(([, name, cells = '']) => [
      name,
      ...[...cells.matchAll(/data-value="([^"]*)"/g)].map(([, value]) => Number(value)),
    ]);
    assert.deepEqual(numbers, [
      ['otherFile', 16, 0.25, 40],
      ['before', 32, 0.5, 100],
      ['after', 12, 0.1875, 30],
      ['format', 4, 0.0625, 0],
      ['prompt', 64, 1, 170],
    ]);
    assert.ok(text.includes('&#60;b&#62;.ts') && !text.includes('<b>'));
  });

  it('shows tokens that are not known of each part as such', () => {
    const chat = [{ name: 'instruction', characters: 9, tokens: null }] as const;
    const { text } = explanation(sampleRow({ prompt: chat }));
    assert.match(text, /data-part="instruction"[^]*?data-value="">unknown[^]*?data-value="">unknown/);
  });

  it('is of the last suggestion, not of an instruction or of what was prefetched', () => {
    const rows = [
      sampleRow({ id: 1 }),
      sampleRow({ id: 2, prompt }),
      sampleRow({ id: 3, kind: 'generate' }),
      sampleRow({ id: 4, kind: 'prefetch', prompt }),
    ];
    assert.equal(explainedRow(rows)?.id, 2);
    assert.match(sections(rows).why, /data-request="2"/);
    assert.match(sections([]).why, /No suggestion has been computed yet/);
  });
});
