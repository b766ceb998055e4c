// The tables and the JSON of the drafters: everything that was measured, under the right heads.
import assert from 'node:assert/strict';
import type { DraftedResult } from '../../../bench/drafters/compareDrafters';
import { draftersReport, renderDrafters } from '../../../bench/drafters/draftersReport';

const drafted = (
  draftLength: DraftedResult['draftLength'],
  speedup: number,
  accepted: number,
): DraftedResult => ({
  draftLength,
  speedup,
  msPerToken: 12 / speedup,
  tokensPerRound: 2 * speedup,
  draftMs: 3.125,
  verifyMs: 14.5,
  sources: [
    { name: 'dflash', rounds: 10, drafted: 40, accepted },
    { name: 'ngram', rounds: 1, drafted: 2, accepted: 1 },
  ],
});
const COMPARED = {
  identical: true,
  drafters: [
    {
      name: 'DFlash',
      plainMsPerToken: 12,
      plainVerifyMs: 11.75,
      lengths: [drafted(3, 1.5, 20), drafted(5, 2, 25), drafted(7, 1.75, 26), drafted('adaptive', 2.25, 30)],
    },
    {
      name: 'look-ups alone',
      plainMsPerToken: 12,
      plainVerifyMs: 11.5,
      lengths: [drafted('adaptive', 1.25, 5)],
    },
  ],
};
const CIRCUMSTANCES = { target: 'built-in', prompts: 2, maxTokens: 16, repeats: 3, loadBefore: 0.25 };
const BITS = { DFlash: { draftLength: 15, tokensPerRound: [4, 3.5, 3.875, 4] } };

describe('draftersReport', () => {
  const report = draftersReport(CIRCUMSTANCES, COMPARED, BITS);

  it('keeps all figures and adds where they were measured', () => {
    const { cpu, cores, platform, node, ...rest } = report;
    const bitsInOrder = ['stored', 4, 8, 16];
    assert.deepEqual(rest, { ...CIRCUMSTANCES, ...COMPARED, bits: BITS, bitsInOrder });
    assert.ok(cpu.length > 0 && cores > 0);
    assert.equal(platform, `${process.platform}-${process.arch}`);
    assert.equal(node, process.versions.node);
  });

  it('has the best fixed length of each drafter and adaptive ones, and a line for each in other bits', () => {
    const lines = renderDrafters(report).split('\n');
    assert.equal(lines[0], 'Drafters (2 prompts, 16 tokens each, 3 repeats)');
    const cells = lines.map((line) => line.trim().split(/ {2,}/));
    assert.equal(cells[1]?.length, 7);
    assert.deepEqual(cells[2], ['none', '0 (plain)', '1.00', '1.00', '11.75']);
    assert.deepEqual(cells[3], ['DFlash', '5 (best)', '4.00', '2.00', '26 of 42', '3.13', '14.50']);
    assert.deepEqual(cells[4], ['DFlash', 'adaptive', '4.50', '2.25', '31 of 42', '3.13', '14.50']);
    assert.deepEqual(cells[5]?.slice(0, 4), ['look-ups alone', 'adaptive', '2.50', '1.25']);
    assert.equal(lines[7]?.trim(), 'same tokens with all drafters at all lengths: yes');
    assert.deepEqual(cells[10], ['tokens/round', 'draft length', 'stored', '4 bits', '8 bits', '16 bits']);
    assert.deepEqual(cells[11], ['DFlash', '15', '4.00', '3.50', '3.88', '4.00']);
  });

  it('says if a drafter changed the text', () => {
    const other = draftersReport(CIRCUMSTANCES, { ...COMPARED, identical: false }, BITS);
    assert.match(renderDrafters(other), /at all lengths: no/);
  });
});
