// What kind of model it is, by what it makes of easy holes.
import assert from 'node:assert/strict';
import { fimEndTokenIds } from '../../server/completion/fimPrompt';
import { infillProbe } from '../../server/completion/infillProbe';
import { FakeDecoder, type Answer, type FakeOptions } from './fakeDecoder';

const signal = new AbortController().signal;

const probe = async (answer: Answer, options: FakeOptions = {}) =>
  await infillProbe(new FakeDecoder([answer], options), signal);

const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  'add.ts': [' b'],
  'total.js': [' items'],
  'rateLimiter.js': [' refillPerSecond'],
  'invoice.py': [' subtotal', ' + tax'],
  'span.py': [' end'],
  'bucket.js': [' amount'],
  'schedule.py': [' self', '.end'],
  'form.tsx': [' useState<string>', "('')"],
};

/** By the other file, which the prompt has too. */
const OTHER_FILES: Readonly<Record<string, readonly string[]>> = {
  'route.py': ['add_station', '(name)'],
  'lock.py': ['unlock_with(key)'],
  'journal.js': ['appendEntry(entry)'],
};

function filled(prompt: string): readonly string[] {
  return (
    Object.entries({ ...OTHER_FILES, ...ANSWERS }).find(([fileName]) => prompt.includes(fileName))?.[1] ?? []
  );
}

const isLast = (prompt: string): boolean => !prompt.endsWith('<|fim_middle|>');

describe('infillProbe', () => {
  it('sees a model that infills, in the layout with less to read at each key if both are as good', async () => {
    assert.deepEqual(await probe(filled), { infill: 'fim', layout: 'spm' });
  });

  it('sees which layout the model likes better', async () => {
    const spm = await probe((prompt) => (isLast(prompt) ? filled(prompt) : ['nter) {']));
    assert.deepEqual(spm, { infill: 'fim', layout: 'spm' });
    const psm = await probe((prompt) => (isLast(prompt) ? ['nter) {'] : filled(prompt)));
    assert.deepEqual(psm, { infill: 'fim', layout: 'psm' });
  });

  it('sees in which layout names are lost that stand far from the hole', async () => {
    const far = /bucket\.js|schedule\.py/;
    const psm = await probe((prompt) => (isLast(prompt) && far.test(prompt) ? [' now'] : filled(prompt)));
    assert.deepEqual(psm, { infill: 'fim', layout: 'psm' });
  });

  it('forgives some wrong answers', async () => {
    const some = await probe((prompt) => (/add\.ts|total\.js/.test(prompt) ? filled(prompt) : [' zero']));
    assert.equal(some.infill, 'fim');
    const few = await probe((prompt) => (prompt.includes('add.ts') ? filled(prompt) : [' zero']));
    assert.equal(few.infill, 'prefix');
  });

  for (const talk of ['<think>\nb', '```ts\nb', 'Sure! b', ''])
    it(`does not take ${JSON.stringify(talk)} for infilling`, async () => {
      assert.equal((await probe([talk], { hasChat: true })).infill, 'chat');
      assert.equal((await probe([talk])).infill, 'prefix');
    });

  it('does not trust a model that fills some holes and talks about others', async () => {
    const mixed = await probe((prompt) =>
      prompt.includes('span.py') ? ['Here is the code'] : filled(prompt),
    );
    assert.equal(mixed.infill, 'prefix');
  });

  it('quotes other files in comments to a model that does not know the token between files', async () => {
    const names = Object.keys(OTHER_FILES);
    const isOther = (prompt: string): boolean => names.some((name) => prompt.includes(name));
    const inComments = (prompt: string): boolean => /(#|\/\/) (route|lock|journal)\./.test(prompt);
    const commented = await probe((prompt) =>
      isOther(prompt) && !inComments(prompt) ? [' nothing'] : filled(prompt),
    );
    assert.deepEqual(commented, { infill: 'fim', layout: 'spm', otherFiles: 'commented' });
    // Neither helps: the form that was published.
    assert.deepEqual(await probe((prompt) => (isOther(prompt) ? [' nothing'] : filled(prompt))), {
      infill: 'fim',
      layout: 'spm',
    });
  });

  it('asks no further once the answer is certain', async () => {
    const all = Object.keys(ANSWERS).length;
    const others = Object.keys(OTHER_FILES).length;
    const decoder = new FakeDecoder([filled]);
    assert.deepEqual(await infillProbe(decoder, signal), { infill: 'fim', layout: 'spm' });
    assert.equal(decoder.prompts.length, all + others, 'the other layout could not do better');
    const silent = new FakeDecoder([[' zero']]);
    assert.equal((await infillProbe(silent, signal)).infill, 'prefix');
    assert.equal(silent.prompts.length, 2 * (all - 1), 'one hole more would not be enough');
    // The first layout misses one hole, the other one two.
    const missing = (prompt: string) => (isLast(prompt) ? /bucket\.js/ : /total\.js|span\.py/).test(prompt);
    const close = new FakeDecoder([(prompt) => (missing(prompt) ? [' zero'] : filled(prompt))]);
    assert.deepEqual(await infillProbe(close, signal), { infill: 'fim', layout: 'spm' });
    const asked = Object.keys(ANSWERS).indexOf('total.js') + 1;
    assert.equal(close.prompts.length, all + asked + others, 'it would have to fill all');
  });

  it('has each answer ended by the tokens of the form', async () => {
    const decoder = new FakeDecoder([filled]);
    await infillProbe(decoder, signal);
    assert.ok(decoder.limits.length > 0);
    for (const { stopTokenIds } of decoder.limits)
      assert.deepEqual(stopTokenIds, fimEndTokenIds(decoder.tokenizer));
  });

  it('asks nothing without the tokens', async () => {
    const decoder = new FakeDecoder([['b']], { hasFimTokens: false, hasChat: true });
    assert.equal((await infillProbe(decoder, signal)).infill, 'chat');
    assert.equal(decoder.prompts.length, 0);
  });

  it('ends when it is told to', async () => {
    const decoder = new FakeDecoder([filled]);
    await infillProbe(decoder, AbortSignal.abort());
    assert.equal(decoder.prompts.length, 0);
  });
});
