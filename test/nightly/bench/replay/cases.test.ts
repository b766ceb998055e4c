// Which case each request of a replay counts for.
import assert from 'node:assert/strict';
import { judged, reuseRate } from '../../../../bench/replay/cases';
import type { Asked } from '../../../../bench/replay/editor';
import { asked, row } from './askedSample';

const cases = (...requests: readonly Asked[]): string[] => judged(requests).map((each) => each.case);
const endings = (...requests: readonly Asked[]): string[] => judged(requests).map((each) => each.ending);

describe('the case of a request', () => {
  it('is cold until the engine has read the document, and again after each visit to another', () => {
    const work = asked({ rows: [row()] });
    assert.deepEqual(
      cases(work, work, asked({ visit: 2, rows: [row()] }), asked({ visit: 3, rows: [row()] })),
      ['coldFile', 'warmSingleLine', 'coldFile', 'coldFile'],
    );
  });

  it('stays cold while the prompt was not read to its end', () => {
    const early = asked({ cancelMs: 3, text: undefined, rows: [row({ emittedTokens: 0 })] });
    assert.deepEqual(cases(early, early, asked({ rows: [row()] }), asked({ rows: [row()] })), [
      'coldFile',
      'coldFile',
      'coldFile',
      'warmSingleLine',
    ]);
  });

  it('is not cold when most of the prompt was still there', () => {
    assert.deepEqual(cases(asked({ rows: [row({ reusedTokens: 50 })] })), ['warmSingleLine']);
    assert.deepEqual(cases(asked({ rows: [row({ reusedTokens: 49 })] })), ['coldFile']);
  });

  it('is told apart by line breaks when it is warm', () => {
    const warm = { rows: [row({ reusedTokens: 90 })] };
    assert.deepEqual(cases(asked({ ...warm, text: 'a' }), asked({ ...warm, text: 'a\nb' })), [
      'warmSingleLine',
      'warmMultiLine',
    ]);
  });

  it('is typed through without the engine while the suggestion is typed along', () => {
    assert.deepEqual(cases(asked({ cause: 'typedAlong' })), ['typedThrough']);
    assert.deepEqual(cases(asked({ cause: 'typedAlong', rows: [row({ reusedTokens: 99 })] })), [
      'warmSingleLine',
    ]);
    assert.deepEqual(cases(asked({ cause: 'edited' })), ['recalled']);
  });

  it('is after accepting, with the engine or without', () => {
    assert.deepEqual(cases(asked({ cause: 'accepted' }), asked({ cause: 'accepted', rows: [row()] })), [
      'afterAccept',
      'afterAccept',
    ]);
  });

  it('has an ending: shown, nothing to show, or cancelled, also when text came too late', () => {
    assert.deepEqual(endings(asked(), asked({ text: undefined }), asked({ cancelMs: 1 })), [
      'shown',
      'nothing',
      'cancelled',
    ]);
  });
});

describe('the reuse rate', () => {
  it('weighs prompts by their tokens, and is 0 of nothing', () => {
    const rows = [row({ promptTokens: 300, reusedTokens: 300 }), row({ promptTokens: 100, reusedTokens: 0 })];
    assert.equal(reuseRate(rows.map(({ stats }) => stats)), 0.75);
    assert.equal(reuseRate([]), 0);
  });
});
