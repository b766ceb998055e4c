// When a prompt backs up from the cursor, and that the output goes on with what was typed or does not count.
import assert from 'node:assert/strict';
import type { FimLayout } from '../../server/completion/decoder';
import { HealedOutput, healing } from '../../server/completion/text/healing';
import { contextAt } from '../support/cursor';
import { FakeDecoder, type Answer } from './fakeDecoder';

const REMOVED: readonly (readonly [prefix: string, removed: string | undefined])[] = [
  ['const a = ', ' '],
  ['const res', ' res'],
  ['a.na', 'na'],
  ['a();\n  ', ' '],
  ['a.', undefined],
  ['f(a);', undefined],
  ['', undefined],
  ['a();\n', undefined],
  [`a ${'x'.repeat(40)}`, undefined],
];

async function pieces(answers: readonly Answer[], document: string, layout: FimLayout = 'psm') {
  const decoder = new FakeDecoder(answers, { layout });
  const request = { context: contextAt(document), snippets: [], budget: 500, maxTokens: 20 };
  const given: string[] = [];
  const output = new HealedOutput({ ...request, signal: new AbortController().signal }, decoder);
  for await (const piece of output.pieces()) given.push(piece);
  return { given, decoder };
}

describe('healing', () => {
  for (const [prefix, removed] of REMOVED)
    it(`takes ${JSON.stringify(removed)} from ${JSON.stringify(prefix)}`, () => {
      const found = healing(prefix, new FakeDecoder([]).tokenizer);
      assert.equal(found?.removed, removed);
      if (found) assert.equal(found.kept + found.removed, prefix);
    });

  it('gives out what follows the part that was typed', async () => {
    const { given, decoder } = await pieces([[' re', 'sult', ' = 1;']], 'const res║\n');
    assert.deepEqual(given, ['ult', ' = 1;']);
    assert.deepEqual(decoder.prompts, [
      '<|file_sep|>sample.ts\n<|fim_prefix|>const<|fim_suffix|>\n<|fim_middle|>',
    ]);
  });

  for (const [title, answer] of [
    ['differs', [' value', ' = 1;']],
    ['differs later', [' re', 'ad = 1;']],
    ['ends too soon', [' re']],
    ['is empty', []],
  ] as const)
    it(`asks with the whole prefix when the output ${title}`, async () => {
      const { given, decoder } = await pieces([answer, ['ult', ';']], 'const res║\n');
      assert.deepEqual(given, ['ult', ';']);
      assert.equal(decoder.prompts.length, 2);
      assert.match(decoder.prompts[1] ?? '', /<\|fim_prefix\|>const res<\|fim_suffix\|>/);
    });
});
