// Tests that the simulated editor of `flashline replay` assigns decodes to requests by the name of the file.
import assert from 'node:assert/strict';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { Editor } from '../../bench/replay/editor';
import type { ReplayClient } from '../../bench/replay/replayClient';
import type { LocalRow } from '../../bench/localRow';
import { fake } from '../support/fake';

describe('the editor of the replay', () => {
  it('finds the decodes of a file whose name has a space', async () => {
    const row = fake<LocalRow>({ kind: 'inline', file: 'a b.ts' });
    const other = fake<LocalRow>({ kind: 'inline', file: 'b.ts' });
    const client = fake<ReplayClient>({
      rows: [row, other],
      change: () => undefined,
      complete: () => Promise.resolve(null),
    });
    const editor = new Editor(client, () => false);
    editor.show(TextDocument.create('file:///replay/a%20b.ts', 'typescript', 1, ''), 0);
    editor.change({ removed: 0, inserted: 'x' }, 'typing');
    await editor.answered();
    assert.deepEqual(
      editor.requests.map(({ rows }) => rows),
      [[row]],
    );
  });
});
