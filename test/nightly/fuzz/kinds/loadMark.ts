// The marks of loads that have not ended, as any process may have left them.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LoadCrash, LoadMarks } from '../../../../server/hosting/profileStore';
import { temporaryFolder } from '../../../support/temporaryFolder';
import { assertExplainedText } from '../assertExplained';
import { fuzzKind } from '../kind';
import { spoiltJson } from '../oddValues';

/** Beyond the largest process id of any system. */
const NOBODY = 2 ** 31 - 1;

export const loadMark = fuzzKind({
  name: 'load-mark',
  inputs: spoiltJson({ processId: NOBODY, crashes: 1 }),
  counts: { test: 400, million: 150_000 },
  open: () => {
    const folder = temporaryFolder();
    const marks = new LoadMarks(folder);
    const ended = marks.begin('a', 'the pair');
    const file = join(folder, readdirSync(folder)[0] ?? '');
    ended();
    /** Whether the pair is to be tried; then nothing is left of it. */
    const isTried = (): boolean => {
      try {
        marks.begin('a', 'the pair')();
        assert.ok(!existsSync(file));
        return true;
      } catch (error) {
        if (!(error instanceof LoadCrash)) throw error;
        assertExplainedText(error.message);
        return false;
      }
    };
    return {
      attempt: (text) => {
        writeFileSync(file, text);
        isTried();
      },
      sound: () => {
        for (const [crashes, expected] of [
          [0, true],
          [1, false],
        ] as const) {
          writeFileSync(file, JSON.stringify({ processId: NOBODY, crashes }));
          assert.equal(isTried(), expected);
        }
      },
    };
  },
});
