// What the models have read of 50 files stays within the budget, and so does the process. Measured in a process of
// its own.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { VisitReport } from './visitProbe';

const FILES = 50;
/** By then all buffers and the compiled code are in place. */
const SETTLED = 10;
/** It takes a minute on two cores that have nothing else to do. */
const LIMIT_MS = 900_000;

describe('visiting 50 files', () => {
  let report: VisitReport;
  before(async function () {
    this.timeout(LIMIT_MS);
    const probe = join(__dirname, 'visitProbe.js');
    const { stdout } = await promisify(execFile)(process.execPath, [probe], { timeout: LIMIT_MS });
    report = JSON.parse(stdout) as VisitReport;
  });

  it('never keeps more than the budget, and uses it', () => {
    const { visits, budgetBytes, reusedTokens } = report;
    const residentBytes = visits.map((visit) => visit.residentBytes);
    assert.equal(residentBytes.length, FILES);
    assert.ok(Math.max(...residentBytes) <= budgetBytes, `${String(Math.max(...residentBytes))} bytes`);
    assert.ok(Math.min(...residentBytes.slice(SETTLED)) > budgetBytes / 2);
    assert.ok(reusedTokens > 0);
  });

  it('lets the process grow by less than the budget', () => {
    const { visits, budgetBytes } = report;
    const rssBytes = visits.map((visit) => visit.rssBytes);
    const grown = Math.max(...rssBytes.slice(SETTLED)) - (rssBytes[SETTLED - 1] ?? NaN);
    assert.ok(grown <= budgetBytes, `${String(grown)} bytes`);
  });

  it('holds no more arrays for many files than for a few', () => {
    const held = report.visits.map(({ liveArrays }) => liveArrays - report.idleArrays);
    const [few, many] = [Math.max(...held.slice(0, SETTLED)), Math.max(...held)];
    assert.ok(few > 0 && many < 1.5 * few, `${String(many)} after ${String(few)}`);
  });

  it('leaves nothing behind when nothing may be kept', () => {
    assert.equal(report.finalResidentBytes, 0);
    assert.equal(report.finalArrays, report.idleArrays);
  });
});
