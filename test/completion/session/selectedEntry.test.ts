// Tests suggestions while the IntelliSense list is open: they begin with the selected entry, never make its name
// longer, and are computed only if VS Code would show them.
import assert from 'node:assert/strict';
import { completionContext, type CompletionContext } from '../../../server/completion/prompt/context';
import { suggest } from '../../../server/completion/session/suggest';
import { markedDocument } from '../../support/cursor';
import type { Answer } from '../fakeDecoder';
import { at, SETTINGS, resources } from '../suggesting';

/** Returns a context whose selected entry `text` replaces `before` and `after`, the texts on both sides of the ║. */
function withEntry(marked: string, text: string, before = '', after = '', languageId = 'typescript') {
  const { text: document, offset } = markedDocument(marked);
  const selected = { start: offset - before.length, end: offset + after.length, text };
  assert.equal(document.slice(selected.start, selected.end), before + after);
  return completionContext(
    { uri: 'file:///sample.ts', fileName: 'sample.ts', languageId, text: document },
    offset,
    { selected },
  );
}

async function suggested(context: CompletionContext, answers: readonly Answer[]) {
  const used = resources(answers);
  return { ...(await suggest(at(context), used)), used };
}

/** Returns the number of characters before the cursor that the prompt lacks, as it ends before a token is complete. */
function healedBy(prompt: string, { prefix }: CompletionContext): number {
  for (let removed = 0; removed < prefix.length; removed++)
    if (prompt.includes(`<|fim_prefix|>${prefix.slice(0, prefix.length - removed)}<|fim_suffix|>`))
      return removed;
  return prefix.length;
}

describe('a selected entry of the IntelliSense list', () => {
  const shown: readonly (readonly [context: CompletionContext, text: string, suggestion: string])[] = [
    [withEntry('this.db.fi║\n', 'findOrder', 'fi'), '(id);', 'findOrder(id);'],
    [withEntry('a.║;\n', 'size', ''), ' + 1', 'size + 1'],
    // Built-in entries of JSON and CSS, and of Python's language servers.
    [withEntry('{"na║"}', '"name": ', '"na', '"', 'json'), '"x"', '"name": "x"'],
    [withEntry('a {\n  mar║\n}', 'margin: ', 'mar', '', 'css'), 'auto;', 'margin: auto;'],
    [withEntry('pri║\n', 'print(', 'pri', '', 'python'), 'x)', 'print(x)'],
    [withEntry('pa║\n', "path=''", 'pa', '', 'shellscript'), ' run', "path='' run"],
    // In TypeScript a minus is not part of a name, and # begins a private one.
    [withEntry('a = wi║\n', 'width', 'wi'), '-left;', 'width-left;'],
    [withEntry('this.#it║\n', '#items', '#it'), '.push(x);', '#items.push(x);'],
  ];
  for (const [context, text, suggestion] of shown)
    it(`${JSON.stringify(context.selected?.text)} can be followed by ${JSON.stringify(text)}`, async () => {
      // The prompt can end before the last token of the entry.
      const { texts } = await suggested(context, [
        (prompt) => [context.prefix.slice(context.prefix.length - healedBy(prompt, context)) + text, '\n'],
      ]);
      assert.deepEqual(texts, [suggestion]);
    });

  // VS Code shows nothing within the quotes of an entry.
  const attributes: readonly (readonly [context: CompletionContext, text: string])[] = [
    [withEntry('<a hr║>', 'href=""', 'hr', '', 'html'), '/hours" id="x"'],
    [withEntry('<p ║>\n', "class=''", '', '', 'vue'), "card'"],
    [withEntry('<a on║ />', 'onClick={}', 'on', '', 'typescriptreact'), 'save}'],
  ];
  for (const [context, text] of attributes)
    it(`${JSON.stringify(context.selected?.text)} is shown alone when the model writes a value for it`, async () => {
      const { texts, used } = await suggested(context, [
        (prompt) => [context.prefix.slice(context.prefix.length - healedBy(prompt, context)) + text, '\n'],
      ]);
      assert.deepEqual(texts, [context.selected?.text]);
      assert.equal(used.decoder.prompts.length, 1);
    });

  const names: readonly (readonly [context: CompletionContext, text: string])[] = [
    [withEntry('this.db.fi║\n', 'findOrder', 'fi'), 'Line(id);'],
    [withEntry('this.db.fi║\n', 'find', 'fi'), 'Order(id);'],
    [withEntry('a = it║\n', 'item', 'it'), '$.next()'],
    [withEntry('this.#it║\n', '#item', '#it'), 's.push(x);'],
    [withEntry('a.x║\n', 'x', 'x'), '_y = 3'],
    [withEntry('名║\n', '名前', '名'), '空間()'],
    [withEntry('क║\n', 'क', 'क'), '\u093f()'],
    [withEntry('𝒳║\n', '𝒳', '𝒳'), '𝒴 = 1'],
    [withEntry('a {\n  mar║\n}', 'margin', 'mar', '', 'css'), '-left: 0;'],
    [withEntry('<my║\n', 'my', 'my', '', 'vue'), '-element>'],
  ];
  for (const [context, text] of names)
    it(`${JSON.stringify(context.selected?.text)} is not lengthened by ${JSON.stringify(text)}`, async () => {
      const { outcome, texts, used } = await suggested(context, [[text, ' more', ' and more\n']]);
      assert.deepEqual([outcome, texts, used.decoder.readCount], ['filtered', [], 1]);
      assert.equal(used.decoder.limits[0]?.isComplete?.(text), true, 'the decode goes on after the name');
    });

  const hidden: readonly (readonly [why: string, context: CompletionContext])[] = [
    ['an entry in another case', withEntry('CON║\n', 'console', 'CON')],
    ['an entry matched by parts of words', withEntry('fior║\n', 'findOrder', 'fior')],
    ['an entry that adds text before the cursor', withEntry('a.║\n', '?.b', '.')],
    ['an entry of several lines', withEntry('for║\n', 'for (const a of b) {\n  \n}', 'for')],
    ['an entry that lacks the text it replaces', withEntry('find║Rest\n', 'findOrder', 'find', 'Rest')],
    ['an entry with the text it replaces in another order', withEntry('na║e"\n', 'na"me', 'na', 'e"')],
  ];
  for (const [why, context] of hidden)
    it(`needs no model, since VS Code would show nothing: ${why}`, async () => {
      const { outcome, used } = await suggested(context, [['(x);\n']]);
      assert.deepEqual([outcome, used.decoder.readCount], ['skipped', 0]);
    });

  it('keeps the text on the screen, without another decode', async () => {
    const used = resources([['ndOrder(id);\n']]);
    assert.deepEqual((await suggest(at('this.db.fi║\n'), used)).texts, ['ndOrder(id);']);
    const entry = withEntry('this.db.fi║\n', 'findOrder', 'fi');
    assert.deepEqual((await suggest(at(entry), used)).texts, ['findOrder(id);']);
    const promptCount = used.decoder.prompts.length;
    // The entry was accepted, and the user types on within the list.
    assert.deepEqual((await suggest(at('this.db.findOrder║\n'), used)).texts, ['(id);']);
    const typed = withEntry('this.db.findO║\n', 'findOrder', 'findO');
    assert.deepEqual((await suggest(at(typed), used)).texts, ['findOrder(id);']);
    assert.equal(used.decoder.prompts.length, promptCount);
    // The entry equals the suggestion on the screen.
    const sameText = resources([['urs\n']]);
    assert.deepEqual((await suggest(at('<p>ho║</p>\n'), sameText)).texts, ['urs']);
    const { readCount } = sameText.decoder;
    assert.deepEqual((await suggest(at(withEntry('<p>ho║</p>\n', 'hours', 'ho')), sameText)).texts, [
      'hours',
    ]);
    assert.equal(sameText.decoder.readCount, readCount);
    // An entry that ends within a name of that text needs another decode.
    const shorter = withEntry('this.db.fi║\n', 'find', 'fi');
    await suggest(at(shorter), used);
    assert.equal(used.decoder.prompts.length, promptCount + 1);
  });
});

describe('the first entry of the IntelliSense list', () => {
  const entry = withEntry('this.db.fi║\n', 'findOrder', 'fi');
  const selected = entry.selected && { ...entry.selected, isChosen: false };

  // The decoder reports log-probabilities. If the prompt ends after `this.db.`, the output begins with the whole name.
  for (const [title, answers, outcome, prompts] of [
    ['is continued if the model writes it', ['findOrder(id);'], 'shown', 1],
    ['gets no suggestion if the model writes something else', ['first(id);'], 'hidden', 1],
    ['gets no suggestion if the model writes a shorter name', ['find(id);'], 'hidden', 1],
    ['is put into the prompt if the output ends with it', ['findOrder', '__(id);'], 'shown', 2],
    [
      'is judged without healing if the output does not repeat the removed text',
      ['rows();', '__ndOrder(id);'],
      'shown',
      2,
    ],
  ] as const)
    it(title, async () => {
      const used = resources(
        answers.map((answer) => (prompt) => [
          prompt.includes('db.<|fim_suffix|>') ? answer : answer.slice('fi'.length),
        ]),
      );
      const decoder = Object.assign(used.decoder, { greedyLogprobs: true });
      const request = at({ ...entry, selected }, { settings: { ...SETTINGS, hideBelow: 1 } });
      const texts = outcome === 'shown' ? ['findOrder(id);'] : [];
      const result = await suggest(request, { ...used, decoder });
      assert.deepEqual([result.outcome, result.texts], [outcome, texts]);
      assert.equal(decoder.prompts.length, prompts);
    });

  const key = withEntry('{"na║"}', '"name": ', '"na', '"', 'json');
  const judged = { settings: { ...SETTINGS, hideBelow: 1 }, trigger: 'automatic' } as const;
  for (const [title, context, isChosen, more, greedyLogprobs] of [
    ['it replaces text after the cursor', key, false, judged, true],
    ['the user has moved to it', entry, true, judged, true],
    ['no suggestions are hidden', entry, false, { ...judged, settings: SETTINGS }, true],
    ['the suggestion was requested', entry, false, { ...judged, trigger: 'explicit' }, true],
    ['the decoder reports no log-probabilities', entry, false, judged, false],
  ] as const)
    it(`is continued whatever the model writes if ${title}`, async () => {
      const used = resources([['(1)\n']]);
      const decoder = Object.assign(used.decoder, { greedyLogprobs });
      const request = at(
        { ...context, selected: context.selected && { ...context.selected, isChosen } },
        more,
      );
      const { texts } = await suggest(request, { ...used, decoder });
      assert.deepEqual(texts, [`${context.selected?.text ?? ''}(1)`]);
    });
});
