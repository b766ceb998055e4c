// Tests how a proposal follows what is typed at its place.
import assert from 'node:assert/strict';
import { Proposal } from '../../../src/nextEdit/proposal';
import { seededRandom } from '../../support/seededRandom';
import { FakeEditor } from './fakeEditor';

/** Proposes to replace `old`, which follows `head`, by `text`. */
function proposed(head: string, old: string, tail: string, text: string): Proposal | undefined {
  const { document } = new FakeEditor(head + old + tail);
  const [start, end] = [document.positionAt(head.length), document.positionAt(head.length + old.length)];
  const textDocument = { uri: String(document.uri), version: document.version };
  const command = { title: '', command: 'flashline.didAcceptNextEdit', arguments: ['1'] } as const;
  return Proposal.from({ text, range: { start, end }, textDocument, command }, document as never);
}

/** Replaces `length` characters at `offset`, in the form in which VS Code reports it. */
function change(offset: number, length: number, text: string) {
  return [{ rangeOffset: offset, rangeLength: length, text }] as never;
}

describe('a proposal', () => {
  it('gives the proposed text when it is accepted, whatever was typed along', () => {
    const random = seededRandom(5);
    const pick = (count: number): number => Math.floor(random() * count);
    const words = (count: number): string =>
      Array.from({ length: count }, () => ['a', 'b', '(', ')', '\n', '😀'][pick(6)]).join('');
    let [kept, ended] = [0, 0];
    for (let round = 0; round < 2000; round += 1) {
      const [head, tail, text] = [words(pick(4)), words(pick(4)), words(pick(12))];
      const old = words(pick(4));
      const wanted = head + text + tail;
      let now = head + old + tail;
      let proposal = proposed(head, old, tail, text);
      for (let step = 0; step < 12 && proposal; step += 1) {
        const { edit } = proposal;
        const next = edit.offset + (pick(5) === 0 ? pick(edit.old.length + 2) - 1 : edit.old.length);
        const offset = Math.max(0, Math.min(next, now.length));
        const length = Math.min(pick(3) === 0 ? 1 : 0, now.length - offset);
        const typed =
          pick(4) === 0 ? words(1) : edit.text.slice(edit.old.length, edit.old.length + 1 + pick(2));
        now = now.slice(0, offset) + typed + now.slice(offset + length);
        proposal = proposal.after(change(offset, length, typed));
        if (proposal === undefined) ended += 1;
        else {
          kept += 1;
          const { offset: at, old: typedText, text: rest } = proposal.edit;
          assert.equal(now.slice(at, at + typedText.length), typedText);
          assert.equal(now.slice(0, at) + rest + now.slice(at + typedText.length), wanted);
        }
      }
    }
    assert.ok(kept > 1000 && ended > 500, `${String(kept)} kept, ${String(ended)} ended`);
  });

  it('stays when typed text is taken back, down to the original text', () => {
    let proposal = proposed('let ', 'n', ' = 0;', 'total');
    for (const [offset, length, text, old] of [
      [4, 1, 't', 't'],
      [5, 0, 'o', 'to'],
      [5, 1, '', 't'],
      [4, 1, '', ''],
      [4, 0, 'n', 'n'],
    ] as const) {
      proposal = proposal?.after(change(offset, length, text));
      assert.deepEqual(proposal?.edit, { offset: 4, old, text: 'total' });
    }
  });

  it('has the line ends of the document, and no effect if it changes nothing else', () => {
    const edit = proposed('a();\r\n', 'b();\r\nc();', '\r\n', 'b();\nd();\ne();')?.edit;
    assert.deepEqual(edit, { offset: 12, old: 'c', text: 'd();\r\ne' });
    assert.equal(proposed('a();\r\n', 'b();\r\nc();', '\r\n', 'b();\nc();'), undefined);
  });

  it('ends with its beginning typed after the text that it replaces', () => {
    const proposal = proposed('let ', 'n', ' = 0;', 'total') ?? assert.fail();
    assert.equal(proposal.after(change(5, 0, 't')), undefined);
  });

  it('ends with a change outside its place and with several changes together', () => {
    const proposal = proposed('let ', 'n', ' = 0;', 'total') ?? assert.fail();
    assert.equal(proposal.after(change(3, 1, 't')), undefined);
    assert.equal(proposal.after(change(6, 0, 't')), undefined);
    assert.equal(proposal.after([...change(4, 1, 't'), ...change(0, 0, 'x')] as never), undefined);
  });
});
