// When the server is told of a cursor: where it has come to rest without typing, and only where a suggestion may be
// requested.
import assert from 'node:assert/strict';
import { CursorRest } from '../../src/ghostText/cursorRest';
import type { GateReason } from '../../src/ghostText/gate';
import { ManualClock } from '../lsp/manualClock';
import { window } from './support/fakeVscode';

interface Editor {
  readonly document: { version: number; readonly uri: string };
  selection: { readonly active: { readonly line: number; readonly character: number } };
}

function editorOf(uri: string): Editor {
  return { document: { version: 1, uri }, selection: { active: { line: 3, character: 4 } } };
}

describe('a cursor at rest', () => {
  const a = editorOf('a.ts');
  const b = editorOf('b.ts');
  let clock: ManualClock;
  let rest: CursorRest;
  let closed: GateReason | undefined;
  let told: string[];
  let shown: () => void;
  let selected: (event: { readonly textEditor: Editor }) => void;
  beforeEach(() => {
    clock = new ManualClock();
    closed = undefined;
    told = [];
    a.document.version = 1;
    window.onDidChangeActiveTextEditor = (listener) => {
      shown = listener as () => void;
      return { dispose: () => undefined };
    };
    window.onDidChangeTextEditorSelection = (listener) => {
      selected = listener as typeof selected;
      return { dispose: () => undefined };
    };
    window.activeTextEditor = a;
    const client = {
      sendNotification: (_: string, { uri, position }: { uri: string; position: { line: number } }) => {
        told.push(`${uri}:${String(position.line)}`);
        return Promise.resolve();
      },
    };
    const notify = (send: (client: never) => Promise<void>): void => void send(client as never);
    const onRest = (document: unknown): void => void told.push((document as Editor['document']).uri);
    rest = new CursorRest({ suggestion: () => closed }, { notify }, onRest);
  });
  afterEach(() => {
    rest.dispose();
    window.activeTextEditor = undefined;
  });

  it('is told once, at the start and in each editor that is shown for a while', async () => {
    await clock.pass(1000);
    assert.deepEqual(told.splice(0), ['a.ts:3', 'a.ts']);
    window.activeTextEditor = b;
    shown();
    await clock.pass(300);
    window.activeTextEditor = a;
    shown();
    await clock.pass(300);
    assert.deepEqual(told, []);
    await clock.pass(300);
    assert.deepEqual(told, ['a.ts:3', 'a.ts']);
  });

  it('is told after it was moved, but not after something was typed', async () => {
    await clock.pass(1000);
    told.length = 0;
    a.document.version += 1;
    selected({ textEditor: a });
    await clock.pass(1000);
    assert.deepEqual(told, []);
    selected({ textEditor: a });
    await clock.pass(1000);
    assert.deepEqual(told.splice(0), ['a.ts:3', 'a.ts']);
    selected({ textEditor: a });
    await clock.pass(100);
    a.document.version += 1;
    await clock.pass(1000);
    assert.deepEqual(told, []);
  });

  it('is nothing in another editor, in none, or where nothing is suggested', async () => {
    await clock.pass(1000);
    told.length = 0;
    selected({ textEditor: b });
    await clock.pass(1000);
    closed = 'secret';
    selected({ textEditor: a });
    await clock.pass(1000);
    closed = undefined;
    window.activeTextEditor = undefined;
    shown();
    await clock.pass(1000);
    window.activeTextEditor = a;
    shown();
    rest.dispose();
    await clock.pass(1000);
    assert.deepEqual(told, []);
  });
});
