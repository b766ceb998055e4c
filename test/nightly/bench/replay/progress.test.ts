// What is left to do for an event of a trace after something was accepted.
import assert from 'node:assert/strict';
import { editFor } from '../../../../bench/replay/progress';
import type { EditEvent } from '../../../../bench/replay/progress';

const TEXT = 'if (a) {\n  return b;\n}';
const at = (done: number, wrong = 0) => ({ done, wrong });
/** Enter after the brace, with the editor's indentation. */
const ENTER: EditEvent = {
  kind: 'newline',
  pauseMs: 1,
  before: at(8),
  after: at(11),
  removed: 0,
  inserted: '\n  ',
};
const SLIP: EditEvent = {
  kind: 'slip',
  pauseMs: 1,
  before: at(11),
  after: at(11, 1),
  removed: 0,
  inserted: 'x',
};
const BACK: EditEvent = {
  kind: 'backspace',
  pauseMs: 1,
  before: at(11, 1),
  after: at(11),
  removed: 1,
  inserted: '',
};
const UNDO: EditEvent = { kind: 'undo', pauseMs: 1, before: at(17), after: at(11), removed: 6, inserted: '' };

describe('an event of a trace', () => {
  it('is done as it is where the trace stands', () => {
    assert.deepEqual(editFor(ENTER, at(8), TEXT), { removed: 0, inserted: '\n  ', progress: at(11) });
    assert.deepEqual(editFor(SLIP, at(11), TEXT), { removed: 0, inserted: 'x', progress: at(11, 1) });
    assert.deepEqual(editFor(BACK, at(11, 1), TEXT), { removed: 1, inserted: '', progress: at(11) });
    assert.deepEqual(editFor(UNDO, at(17), TEXT), { removed: 6, inserted: '', progress: at(11) });
  });

  it('is left out when accepted text has gone beyond it', () => {
    for (const event of [ENTER, SLIP, BACK, UNDO]) assert.equal(editFor(event, at(18), TEXT), undefined);
    assert.equal(editFor(ENTER, at(11), TEXT), undefined);
  });

  it('does the rest when accepted text has done a part of it', () => {
    assert.deepEqual(editFor(ENTER, at(9), TEXT), { removed: 0, inserted: '  ', progress: at(11) });
  });

  it('takes nothing back that was never typed', () => {
    assert.equal(editFor(BACK, at(11), TEXT), undefined);
  });

  it('needs no white space of the editor that an accepted line did not bring', () => {
    const blank: EditEvent = { ...ENTER, before: at(8, 2), removed: 2 };
    assert.deepEqual(editFor(blank, at(8), TEXT), { removed: 0, inserted: '\n  ', progress: at(11) });
    assert.deepEqual(editFor(blank, at(8, 2), TEXT), { removed: 2, inserted: '\n  ', progress: at(11) });
  });
});
