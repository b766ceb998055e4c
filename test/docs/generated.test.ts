// Tests that the generated blocks of the pages are current; npm run docs writes them.
import assert from 'node:assert/strict';
import { blockText } from '../../bench/docs/blockText';
import { withGeneratedBlocks } from '../../bench/docs/generatedBlocks';
import { pages } from './pages';

describe('the generated blocks of the documentation', () => {
  for (const { path, text } of pages().filter((page) => page.text.includes('<!-- generated:')))
    it(`are current in ${path} (npm run docs writes them)`, () => {
      assert.equal(text, withGeneratedBlocks(text, blockText));
    });
});
