// Who gives an instruction to a model that only continues text is told so once.
import assert from 'node:assert/strict';
import type { Memento } from 'vscode';
import { commands, extensions, window } from './support/fakeVscode';
import { acceptsBaseModel, baseModel, type MayInstruct, type Purpose } from '../../src/instruct/baseModel';
import { CommitMessage } from '../../src/instruct/commitMessage';
import { SelectionEdit, type EditParts } from '../../src/instruct/edit/selectionEdit';
import { EditorGeneration } from '../../src/instruct/editorGeneration';
import type { ModelInfo } from '../../server/protocol/messages';
import { sampleDocument, sampleSettings } from './support/sampleDocument';

const INFO: ModelInfo = { target: 'qwen', device: 'cpu', infill: 'fim', maxDraftTokens: 0 };

function memory(): Memento {
  const values = new Map<string, unknown>();
  const stored = {
    get: (key: string, usual: unknown) => values.get(key) ?? usual,
    update: (key: string, value: unknown) => Promise.resolve(void values.set(key, value)),
  };
  return stored as unknown as Memento;
}

describe('an instruction for a base model', () => {
  let asked: string[];
  let answer: string | undefined;
  let offered: readonly unknown[];
  const usual = window.showInformationMessage;
  beforeEach(() => {
    asked = [];
    answer = undefined;
    commands.ran = [];
    window.showInformationMessage = (message, ...buttons) => {
      asked.push(message);
      offered = buttons;
      return Promise.resolve(answer);
    };
  });
  after(() => (window.showInformationMessage = usual));

  it('is expected by the model in memory, or else by the one of the settings', () => {
    const [usualSettings, other] = [sampleSettings(), sampleSettings({ 'flashline.target': '/models/a' })];
    assert.equal(baseModel({ state: 'ready', model: { ...INFO, isBase: true } }, other), 'qwen');
    assert.equal(baseModel({ state: 'ready', model: INFO }, usualSettings), undefined);
    assert.equal(baseModel({ state: 'asleep' }, usualSettings), 'embedded');
    assert.equal(baseModel(undefined, other), undefined);
    const remote = sampleSettings({ 'flashline.remote.url': 'http://127.0.0.1:8080' });
    assert.equal(baseModel(undefined, remote), undefined);
  });

  it('is not taken before the person has said so, once for each model and command', async () => {
    const store = memory();
    assert.equal(await acceptsBaseModel('embedded', store, 'generate'), false);
    answer = 'Generate Anyway';
    assert.equal(await acceptsBaseModel('embedded', store, 'generate'), true);
    assert.equal(await acceptsBaseModel('embedded', store, 'generate'), true);
    assert.equal(asked.length, 2);
    assert.match(
      asked[0] ?? '',
      /^The built-in model can only complete code. Your instruction will be inserted/,
    );
    assert.equal(await acceptsBaseModel('qwen', store, 'generate'), true);
    assert.equal(asked.length, 3);
    assert.equal(await acceptsBaseModel('qwen', store, 'commit'), false);
    answer = 'Write Anyway';
    assert.equal(await acceptsBaseModel('qwen', store, 'commit'), true);
    assert.match(asked[4] ?? '', /^qwen can only complete code. The commit message/);
  });

  it('is never taken for an edit, whatever was accepted before', async () => {
    const store = memory();
    answer = 'Generate Anyway';
    assert.equal(await acceptsBaseModel('embedded', store, 'generate'), true);
    for (answer of [undefined, 'Edit Anyway', 'Generate Anyway'])
      assert.equal(await acceptsBaseModel('embedded', store, 'edit'), false);
    assert.deepEqual(offered, ['Choose a Model']);
    assert.match(asked[1] ?? '', /^The built-in model can only complete code. Editing needs a model/);
  });

  it('is asked for by each command for its own purpose', async () => {
    const purposes: Purpose[] = [];
    const mayInstruct: MayInstruct = (purpose) => Promise.resolve(purposes.push(purpose) === 0);
    const document = sampleDocument();
    const parts = {
      gate: { generation: () => undefined },
      run: { isFree: () => true },
      pending: { hunksOf: () => [] },
    } as unknown as EditParts;
    window.activeTextEditor = { document, selection: { active: { line: 0 } } };
    await new EditorGeneration(parts.client, parts.gate, parts.documents, parts.run, mayInstruct).generate();
    const edit = new SelectionEdit({ ...parts, mayInstruct });
    await edit.apply(() => ({ document, from: 0, to: 1 }), assert.fail);
    const repositories = [{ ui: { selected: true } }];
    extensions.git = { enabled: true, getAPI: () => ({ repositories }) };
    await new CommitMessage({ ...parts, mayInstruct }).write();
    extensions.git = window.activeTextEditor = undefined;
    assert.deepEqual(purposes, ['generate', 'edit', 'commit']);
  });
});
