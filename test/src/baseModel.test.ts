// Tests that the user is asked before an instruction goes to a model that only continues text.
import assert from 'node:assert/strict';
import { commands, memento, window } from './support/fakeVscode';
import { acceptsBaseModel, baseModel, type Purpose } from '../../src/instruct/baseModel';
import type { ModelInfo } from '../../server/protocol/messages';
import { sampleSettings } from './support/sampleDocument';

const INFO: ModelInfo = { target: 'qwen', device: 'cpu', infill: 'fim', maxDraftTokens: 0 };

describe('the question about a base model', () => {
  const questions: string[] = [];
  let answer: string | undefined;
  let offered: readonly unknown[];
  const showMessage = window.showInformationMessage;
  beforeEach(() => {
    answer = undefined;
    window.showInformationMessage = (message, ...[options, ...buttons]) => {
      questions.push(message);
      assert.equal((options as { readonly modal?: unknown }).modal, true);
      offered = buttons;
      return Promise.resolve(answer);
    };
  });
  after(() => (window.showInformationMessage = showMessage));

  it('concerns a base model in memory or, before a model is loaded, the built-in one', () => {
    const builtIn = sampleSettings();
    const chosen = sampleSettings({ 'flashline.target': '/models/a' });
    assert.equal(baseModel({ state: 'ready', model: { ...INFO, isBase: true } }, chosen), 'qwen');
    assert.equal(baseModel({ state: 'ready', model: INFO }, builtIn), undefined);
    assert.equal(baseModel({ state: 'asleep' }, builtIn), 'embedded');
    assert.equal(baseModel(undefined, chosen), undefined);
    const remote = sampleSettings({ 'flashline.remote.url': 'http://127.0.0.1:8080' });
    assert.equal(baseModel(undefined, remote), undefined);
  });

  it('is asked until the user agrees to generate with a model, and never allows an edit', async () => {
    const store = memento();
    const cases: readonly (readonly [string, Purpose, string | undefined, boolean, RegExp?])[] = [
      [
        'embedded',
        'generate',
        undefined,
        false,
        /^The built-in model can only complete code\. Generating .* needs a model that follows instructions/,
      ],
      ['embedded', 'generate', 'Generate Anyway', true, /^The built-in model/],
      ['embedded', 'generate', undefined, true],
      ['qwen', 'generate', 'Generate Anyway', true, /^qwen can only complete code/],
      ['embedded', 'edit', undefined, false, /Editing needs a model that follows instructions/],
      ['embedded', 'edit', 'Generate Anyway', false, /Editing needs/],
      ['embedded', 'edit', 'Edit Anyway', false, /Editing needs/],
    ];
    for (const [model, purpose, button, isAccepted, question] of cases) {
      answer = button;
      assert.equal(await acceptsBaseModel(model, store, purpose), isAccepted, `${model} ${purpose}`);
      assert.match(questions.splice(0).join(), question ?? /^$/);
    }
    assert.deepEqual(offered, ['Choose a Model']);
    answer = 'Choose a Model';
    assert.equal(await acceptsBaseModel('other', store, 'generate'), false);
    assert.deepEqual(commands.ran, ['flashline.pickModel']);
  });
});
