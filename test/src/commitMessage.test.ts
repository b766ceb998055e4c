// A commit message in the box of a repository: what is asked for. That nothing a person writes there is lost is tested in
// VS Code, in test/e2e/engine/commitMessage.test.ts.
import assert from 'node:assert/strict';
import type { LogOutputChannel } from 'vscode';
import { extensions, Uri, window, workspace } from './support/fakeVscode';
import type { CommitMessageParams, GenerateDelta, GenerateResult } from '../../server/protocol/messages';
import { CommitMessage } from '../../src/instruct/commitMessage';
import { GenerationRun } from '../../src/instruct/baseModel';

type Answer = (
  params: CommitMessageParams,
  tell: (delta: GenerateDelta) => void,
) => Promise<Partial<GenerateResult>>;

const ROOT = '/project';

function changeOf(name: string, before = name): object {
  const uri = Uri.file(`${ROOT}/${name}`);
  return { uri, originalUri: Uri.file(`${ROOT}/${before}`), renameUri: undefined };
}

function repository({ staged = [] as readonly object[], changed = [] as readonly object[], text = '' } = {}) {
  return {
    rootUri: Uri.file(ROOT),
    inputBox: { value: text },
    ui: { selected: true },
    state: { indexChanges: staged, workingTreeChanges: changed },
    status: () => Promise.resolve(),
    diffIndexWithHEAD: (path: string) => Promise.resolve(`staged ${path}`),
    diffWithHEAD: (path: string) => Promise.resolve(`changed ${path}`),
  };
}

describe('CommitMessage', () => {
  let asked: CommitMessageParams[];
  let told: string[];
  const usual = window.showInformationMessage;
  beforeEach(() => {
    asked = [];
    told = [];
    window.showInformationMessage = (message) => {
      told.push(message);
      return Promise.resolve(undefined);
    };
  });
  afterEach(() => {
    window.showInformationMessage = usual;
    workspace.isTrusted = true;
    extensions.git = undefined;
  });

  function command(repositories: readonly object[], answer: Answer, mayInstruct = true): CommitMessage {
    const getRepository = () => repositories[0];
    extensions.git = { enabled: true, getAPI: () => ({ repositories, getRepository }) };
    const stream = async (_: string, params: object, onPart: (part: never) => void) => {
      asked.push(params as CommitMessageParams);
      const result = await answer(params as CommitMessageParams, onPart as never);
      return { text: '', finishReason: 'stop', ...result } as never;
    };
    return new CommitMessage({
      client: { stream },
      gate: { unquotable: ({ path }) => path.endsWith('.env') },
      run: new GenerationRun({ error: () => undefined } as unknown as LogOutputChannel),
      mayInstruct: () => Promise.resolve(mayInstruct),
    });
  }

  const pieces =
    (...texts: readonly string[]): Answer =>
    (_, tell) => {
      for (const text of texts) tell({ text });
      return Promise.resolve({ text: texts.join('') });
    };

  it('asks for what is staged, and for what has changed where nothing is', async () => {
    const staged = [changeOf('src/a.ts'), changeOf('.env'), changeOf('b.ts', 'old.env')];
    const first = repository({ staged, changed: [changeOf('c.ts')] });
    await command([first], pieces('Add ', 'a')).write();
    assert.deepEqual(asked, [
      { changes: [{ path: 'src/a.ts', diff: 'staged /project/src/a.ts' }], begun: '' },
    ]);
    assert.equal(first.inputBox.value, 'Add a');
    await command([repository({ changed: [changeOf('c.ts')] })], pieces()).write();
    assert.deepEqual(asked[1]?.changes, [{ path: 'c.ts', diff: 'changed /project/c.ts' }]);
  });

  it('reads only so many files, and of large ones the name', async () => {
    workspace.sizes = { [`${ROOT}/large.ts`]: 3e6 };
    const staged = [changeOf('large.ts'), ...Array.from({ length: 80 }, (_, i) => changeOf(`f${String(i)}`))];
    await command([repository({ staged })], pieces()).write();
    const { changes = [] } = asked[0] ?? {};
    assert.equal(changes.length, 81);
    assert.deepEqual(changes[0], { path: 'large.ts', diff: '' });
    assert.equal(changes.filter(({ diff }) => diff !== '').length, 49);
  });

  it('asks nothing where it must not, or where there is nothing, and says why', async () => {
    const own = repository({ staged: [changeOf('.env')] });
    await command([own], pieces()).write();
    await command([], pieces()).write();
    const changed = repository({ changed: [changeOf('a.ts')] });
    await command([changed], pieces(), false).write();
    workspace.isTrusted = false;
    await command([changed], pieces()).write();
    assert.deepEqual(asked, []);
    assert.deepEqual(told, [
      'Flashline found no changes that it may read. Stage what you want to commit.',
      'Flashline found no Git repository. It must run on the machine that has the files.',
      'This workspace is not trusted.',
    ]);
  });
});
