// Tests when the server learns that the cursor rests: after it moved without typing, where suggestions are possible.
import assert from 'node:assert/strict';
import type { CursorParams } from '../../server/protocol/messages';
import type { FlashlineClient } from '../../src/connection/client';
import { CursorRest } from '../../src/ghostText/cursorRest';
import type { GateReason } from '../../src/gate/gateReasons';
import { ManualClock } from '../lsp/manualClock';
import { fake } from '../support/fake';
import { window } from './support/fakeVscode';

interface Editor {
  readonly document: { version: number; readonly uri: string };
  readonly selection: object;
}

function editorOf(uri: string): Editor {
  return { document: { version: 1, uri }, selection: { active: { line: 3, character: 4 } } };
}

describe('a resting cursor in the editor', () => {
  const a = editorOf('a.ts');
  const b = editorOf('b.ts');
  let clock: ManualClock;
  let rest: CursorRest;
  /** Reason of the gate to allow no suggestions. */
  let gateReason: GateReason | undefined;
  let reported: string[];
  /** Reports a change of the active editor. */
  let onShow: () => void;
  /** Reports a change of the selection. */
  let select: (event: { readonly textEditor: Editor }) => void;
  beforeEach(() => {
    clock = new ManualClock();
    gateReason = undefined;
    reported = [];
    window.onDidChangeActiveTextEditor = (listener) => {
      onShow = listener as () => void;
      return { dispose: () => undefined };
    };
    window.onDidChangeTextEditorSelection = (listener) => {
      select = listener as typeof select;
      return { dispose: () => undefined };
    };
    window.activeTextEditor = a;
    const client = fake<FlashlineClient>({
      notify: (_, params) => {
        const { uri, position } = params as CursorParams;
        reported.push(`${uri}:${String(position.line)}`);
      },
    });
    const onRest = (document: unknown): void => void reported.push((document as Editor['document']).uri);
    rest = new CursorRest(fake({ whyNoSuggestion: () => gateReason }), client, onRest);
  });
  afterEach(() => {
    rest.dispose();
    window.activeTextEditor = undefined;
  });

  function show(editor: Editor | undefined): void {
    window.activeTextEditor = editor;
    onShow();
  }

  /** Advances the clock and returns the notifications since the last call. */
  async function reportedAfter(milliseconds: number): Promise<string[]> {
    await clock.pass(milliseconds);
    return reported.splice(0);
  }

  it('is reported once, at the start and in each editor that is shown for a while', async () => {
    assert.deepEqual(await reportedAfter(1000), ['a.ts:3', 'a.ts']);
    show(b);
    assert.deepEqual(await reportedAfter(300), []);
    show(a);
    assert.deepEqual(await reportedAfter(300), []);
    assert.deepEqual(await reportedAfter(300), ['a.ts:3', 'a.ts']);
  });

  it('is reported after it was moved, but not after typing', async () => {
    await reportedAfter(1000);
    a.document.version += 1;
    select({ textEditor: a });
    assert.deepEqual(await reportedAfter(1000), []);
    select({ textEditor: a });
    assert.deepEqual(await reportedAfter(1000), ['a.ts:3', 'a.ts']);
    select({ textEditor: a });
    await clock.pass(100);
    a.document.version += 1;
    assert.deepEqual(await reportedAfter(1000), []);
    select({ textEditor: a });
    select({ textEditor: a });
    await clock.pass(100);
    a.document.version += 1;
    select({ textEditor: a });
    assert.deepEqual(await reportedAfter(1000), [], 'typed after a move');
  });

  it('is not reported in an inactive editor, without an active editor, or where suggestions are off', async () => {
    await reportedAfter(1000);
    select({ textEditor: b });
    assert.deepEqual(await reportedAfter(1000), []);
    gateReason = 'secret';
    select({ textEditor: a });
    assert.deepEqual(await reportedAfter(1000), []);
    gateReason = undefined;
    show(undefined);
    assert.deepEqual(await reportedAfter(1000), []);
    show(a);
    rest.dispose();
    assert.deepEqual(await reportedAfter(1000), []);
  });

  it('is not reported after dispose, which removes all listeners for editors', () => {
    const listeners = new Set<unknown>();
    const listen = (listener: unknown) => {
      listeners.add(listener);
      return { dispose: () => void listeners.delete(listener) };
    };
    Object.assign(window, { onDidChangeActiveTextEditor: listen, onDidChangeTextEditorSelection: listen });
    const other = new CursorRest(fake({}), fake({}), () => assert.fail());
    assert.equal(listeners.size, 2);
    other.dispose();
    assert.equal(listeners.size, 0);
  });
});
