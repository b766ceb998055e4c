// Tests answers to VS Code's requests for ghost text: what is requested, shown and counted.
import assert from 'node:assert/strict';
import type { InlineCompletionItem } from 'vscode';
import * as vscode from 'vscode';
import type { GrowingSuggestions } from '../../src/ghostText/growingSuggestions';
import { InlineCompletionProvider, type Answer } from '../../src/ghostText/inlineCompletionProvider';
import { SuggestionTimes } from '../../src/status/suggestionTimes';
import { ManualClock } from '../lsp/manualClock';
import { fake } from '../support/fake';

const { Automatic, Invoke } = vscode.InlineCompletionTriggerKind;

describe('the provider of ghost text', () => {
  const document = {
    uri: vscode.Uri.file('/a.ts'),
    languageId: 'typescript',
    version: 3,
  } as vscode.TextDocument;
  const position = new vscode.Position(2, 4);
  let reason: 'manual' | undefined;
  let texts: string[];
  let dismissed: string[];
  let offers: string[][];
  /** Id of the next offer. */
  let offerId: number;
  let edit: InlineCompletionItem | undefined;
  let isCancelled: boolean;
  let asked: string[];
  let durations: number[];
  let answers: Answer[];
  let provider: InlineCompletionProvider;
  let takesMs: number;
  /** Request that VS Code was triggered to repeat. */
  let continued: GrowingSuggestions['continued'];
  let clock: ManualClock;

  beforeEach(() => {
    clock = new ManualClock();
    reason = undefined;
    edit = undefined;
    isCancelled = false;
    texts = ['one();', 'two();'];
    dismissed = [];
    offers = [];
    asked = [];
    durations = [];
    answers = [];
    offerId = 1;
    takesMs = 70;
    continued = undefined;
    provider = new InlineCompletionProvider({
      gate: fake({
        whyNoSuggestion: (_, __, isExplicit) => {
          asked.push(isExplicit ? 'gate, explicit' : 'gate');
          return reason;
        },
      }),
      suggestions: fake({
        isExplicit: (_, { triggerKind }) => continued?.isExplicit ?? triggerKind === Invoke,
        get continued() {
          return continued;
        },
        items: async () => {
          asked.push('server');
          await clock.pass(takesMs);
          return texts.map((insertText) => ({ insertText }));
        },
      }),
      acceptance: fake({
        offer: (_, __, items) => {
          offers.push(items.map(({ insertText }) => insertText as string));
          return offerId;
        },
      }),
      dismissals: fake({ has: (_, __, { insertText }) => dismissed.includes(insertText as string) }),
      nextEdit: fake({ ghostItem: () => edit }),
    });
    provider.onRequest(() => asked.push('definitions'));
    provider.onShown((ms) => durations.push(ms));
    provider.onAnswer((answer) => answers.push(answer));
  });

  async function ask(triggerKind: vscode.InlineCompletionTriggerKind = Automatic): Promise<string[]> {
    const context = { triggerKind, selectedCompletionInfo: undefined };
    const token = {
      get isCancellationRequested() {
        return isCancelled;
      },
    } as vscode.CancellationToken;
    const items = await provider.provideInlineCompletionItems(document, position, context, token);
    for (const { command } of items)
      if (command)
        assert.deepEqual(command.arguments, [offerId, 'typescript'], 'an item is tied to its offer');
    return items.map(({ insertText }) => insertText as string);
  }

  it('shows the first suggestion while the user types, and all of them on request', async () => {
    assert.deepEqual(await ask(), ['one();']);
    assert.deepEqual(asked.splice(0), ['gate', 'definitions', 'server']);
    assert.deepEqual(await ask(Invoke), ['one();', 'two();']);
    assert.deepEqual(asked[0], 'gate, explicit');
    assert.deepEqual(offers, [['one();'], ['one();', 'two();']]);
    assert.deepEqual(answers[0], {
      uri: 'file:///a.ts',
      version: 3,
      position,
      selected: undefined,
      texts: ['one();'],
    });
  });

  it('shows no dismissed suggestion, unless it is requested', async () => {
    dismissed = ['one();'];
    assert.deepEqual(await ask(), [], 'and no other one in its place');
    assert.deepEqual(await ask(Invoke), ['one();', 'two();']);
  });

  it('requests nothing where the gate is closed or a next edit is shown', async () => {
    reason = 'manual';
    assert.deepEqual(await ask(), []);
    assert.deepEqual(asked.splice(0), ['gate']);
    edit = { insertText: 'edit' };
    assert.deepEqual(await ask(), ['edit']);
    assert.deepEqual([asked, offers, answers], [[], [], []]);
  });

  it('counts nothing of a cancelled request', async () => {
    isCancelled = true;
    assert.deepEqual(await ask(), []);
    assert.deepEqual([offers, durations, answers], [[], [], []]);
  });

  it('reports the time to each new automatic suggestion, but not to a suggestion that is typed along', async () => {
    await ask();
    await ask();
    offerId = 2;
    takesMs = 90;
    await ask();
    offerId = 3;
    await ask(Invoke);
    await ask();
    assert.deepEqual(durations, [70, 90]);
  });

  it('treats a request that continues an earlier one like that one', async () => {
    const at = performance.now();
    await clock.pass(800);
    continued = fake({ isExplicit: false, at });
    assert.deepEqual(await ask(Invoke), ['one();']);
    assert.deepEqual([asked[0], durations], ['gate', [870]]);
  });
});

describe('the typical time to a suggestion', () => {
  const model = { target: 'a', drafter: 'b', device: 'cpu', infill: 'fim', maxDraftTokens: 4 } as const;

  it('is the median of the last twenty, of one model on one device', () => {
    const times = new SuggestionTimes();
    times.useModel(model);
    assert.equal(times.medianMs, undefined);
    for (const ms of [1000, 10, 30]) times.add(ms);
    assert.equal(times.medianMs, 30);
    for (let i = 0; i < 20; i += 1) times.add(7);
    assert.equal(times.medianMs, 7);
    for (const change of [
      {},
      { target: 'c' },
      { drafter: 'd' },
      { device: 'gpu' },
      { remote: { host: 'there:9' } },
    ] as const) {
      times.add(7);
      times.useModel({ ...model, ...change });
      assert.equal(times.medianMs, Object.keys(change).length === 0 ? 7 : undefined, JSON.stringify(change));
      times.useModel(model);
    }
  });
});
