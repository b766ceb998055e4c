// The table and the JSON of a comparison: everything that was measured, under the right heads.
import assert from 'node:assert/strict';
import { peersReport, renderPeers } from '../../../bench/peers/peersReport';

const CIRCUMSTANCES = {
  nodeLlamaCpp: '3.0.0',
  llamaCpp: 'b1',
  threads: 2,
  prompts: 8,
  maxTokens: 64,
  repeats: 5,
  loadBefore: 0.25,
};

const FLASHLINE = {
  name: 'Flashline, plain',
  weights: 'f32',
  msPerToken: 12.345,
  firstTokenMs: 300.4,
  prefillTokensPerSecond: 1000.6,
  peakMb: 400.2,
  speed: 1,
  samePrompts: 8,
  sameTokens: 500,
  tokens: 500,
};
const OTHER = { ...FLASHLINE, name: 'other', msPerToken: 6, speed: 2.0575, samePrompts: 7, sameTokens: 450 };

describe('peersReport', () => {
  const report = peersReport(CIRCUMSTANCES, [FLASHLINE, OTHER]);

  it('keeps all figures and adds where they were measured', () => {
    const { cpu, cores, platform, node, prefillTokens, ...rest } = report;
    assert.deepEqual(rest, { ...CIRCUMSTANCES, peers: [FLASHLINE, OTHER] });
    assert.ok(cpu.length > 0 && cores > 0);
    assert.equal(platform, `${process.platform}-${process.arch}`);
    assert.equal(node, process.versions.node);
    assert.equal(prefillTokens, 512);
  });

  it('has a line for each peer', () => {
    const lines = renderPeers(report).split('\n');
    const cells = lines.map((line) => line.trim().split(/ {2,}/));
    assert.equal(lines[0], 'Peers (8 prompts, 64 tokens each, 5 repeats, 2 threads)');
    assert.deepEqual(cells[2], [
      ...['Flashline, plain', 'f32', '12.35', '1.00', '300 ms', '1001 tok/s', '400 MB'],
      ...['8 of 8', '500 of 500'],
    ]);
    assert.equal(cells[1]?.length, cells[2]?.length);
    assert.equal(cells[3]?.[3], '2.06');
    assert.match(
      renderPeers(report),
      /relative to Flashline, plain\. llama\.cpp b1 in node-llama-cpp 3\.0\.0/,
    );
  });
});
