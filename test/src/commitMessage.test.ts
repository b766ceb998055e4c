// A commit message in the box of a repository: how much is read for it, and where nothing is asked. What is asked for, and
// that nothing a person writes there is lost, is tested in VS Code, in test/e2e/engine/commitMessage.test.ts.
import assert from 'node:assert/strict';
import type { LogOutputChannel } from 'vscode';
import { extensions, Uri, window, workspace } from './support/fakeVscode';
import type { CommitMessageParams } from '../../server/protocol/messages';
import { CommitMessage } from '../../src/instruct/commitMessage';
import { GenerationRun } from '../../src/instruct/baseModel';

const ROOT = '/project';

function changeOf(name: string, before = name): object {
  const uri = Uri.file(`${ROOT}/${name}`);
  return { uri, originalUri: Uri.file(`${ROOT}/${before}`), renameUri: undefined };
}

const repository = (...indexChanges: readonly object[]) => ({
  rootUri: Uri.file(ROOT),
  inputBox: { value: '' },
  ui: { selected: true },
  state: { indexChanges, workingTreeChanges: [] },
  status: () => Promise.resolve(),
  diffIndexWithHEAD: (path: string) => Promise.resolve(`staged ${path}`),
});

describe('CommitMessage', () => {
  const asked: CommitMessageParams[] = [];
  afterEach(() => {
    asked.length = 0;
    workspace.isTrusted = true;
    extensions.git = undefined;
  });

  async function write(repositories: readonly object[], mayInstruct = true): Promise<void> {
    extensions.git = { enabled: true, getAPI: () => ({ repositories }) };
    const stream = (_: string, params: object, onPart: (part: never) => void) => {
      asked.push(params as CommitMessageParams);
      onPart({ text: 'Add a' } as never);
      return Promise.resolve({ text: 'Add a', finishReason: 'stop' } as never);
    };
    await new CommitMessage({
      client: { stream },
      gate: { unquotable: ({ path }) => path.endsWith('.env') },
      run: new GenerationRun({ error: () => undefined } as unknown as LogOutputChannel),
      mayInstruct: (purpose) => Promise.resolve(mayInstruct && purpose === 'commit'),
    }).write();
  }

  it('reads only so many files, and of large ones the name', async () => {
    workspace.sizes = { [`${ROOT}/large.ts`]: 3e6 };
    const others = Array.from({ length: 80 }, (_, i) => changeOf(`f${String(i)}`));
    const written = repository(changeOf('large.ts'), ...others);
    await write([written]);
    assert.equal(written.inputBox.value, 'Add a');
    const { changes = [] } = asked[0] ?? {};
    assert.equal(changes.length, 81);
    assert.deepEqual(changes[0], { path: 'large.ts', diff: '' });
    assert.equal(changes.filter(({ diff }) => diff !== '').length, 49);
  });

  it('asks nothing where it must not, or where there is nothing, and says why', async () => {
    const told: string[] = [];
    const { showInformationMessage } = window;
    window.showInformationMessage = (message) => Promise.resolve(void told.push(message));
    await write([repository(changeOf('.env'), changeOf('b.ts', 'old.env'))]);
    await write([]);
    const changed = repository(changeOf('a.ts'));
    await write([changed], false);
    workspace.isTrusted = false;
    await write([changed]);
    window.showInformationMessage = showInformationMessage;
    assert.deepEqual(asked, []);
    assert.deepEqual(told, [
      'Flashline found no changes that it may read. Stage what you want to commit.',
      'Flashline found no Git repository. It must run on the machine that has the files.',
      'This workspace is not trusted.',
    ]);
  });
});
