// Tests that long texts are encoded without blocking the process, to the same ids as otherwise.
import assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers';
import { encodeInTurns, encodeHere, renderInTurns } from '../../../server/models/text/encodeInTurns';
import type { Encoding } from '../../../server/models/text/encodingThread';
import { TemplateRefusal } from '../../../server/models/text/templateRefusal';
import { loadTokenizer } from '../../../server/models/text/loadTokenizer';
import { usableTemplate } from '../../support/chatTemplate';
import { assertRefused } from '../../support/refusal';
import { temporaryFolder } from '../../support/temporaryFolder';
import { writeJson } from '../../support/tinyCheckpoint';
import { writeVocabulary } from '../../support/vocabulary';

const LONG = 'def ab  <s> é🙂\n'.repeat(4_000);

const MANY = Array.from(
  { length: 2_000 },
  (_, i) => ({ role: 'user', content: `<s> ${String(i)}` }) as const,
);

const ONE_LINE: Encoding = { method: 'encodeText', input: ' '.repeat(300_000) };

describe('encodeInTurns', () => {
  const directory = writeVocabulary({ kind: 'pieces', added: ['<s>'], space: 'first', begin: '<s>' });
  const tokenizer = loadTokenizer(directory) ?? assert.fail();
  const encodings: readonly Encoding[] = [
    { method: 'encodePrompt', input: LONG },
    { method: 'encodeText', input: LONG },
    {
      method: 'encodeParts',
      input: [
        { text: `<s>${LONG}`, from: 'template' },
        { text: LONG, from: 'message' },
      ],
    },
    ONE_LINE,
    { method: 'encodeText', input: LONG.repeat(5) },
    { method: 'encodeText', input: 'short' },
  ];
  const expected = encodings.map((encoding) => encodeHere(tokenizer, encoding));

  /** Loads the tokenizer again, without the cache of encoded pieces. */
  const freshTokenizer = () => loadTokenizer(directory) ?? assert.fail();

  it('yields the ids of encodeHere, also for concurrent calls', async () => {
    const fresh = freshTokenizer();
    assert.deepEqual(await Promise.all(encodings.map((task) => encodeInTurns(fresh, task))), expected);
  });

  it('encodes no long text on the main thread', async () => {
    const fresh = freshTokenizer();
    const encoding = mock.method(LibraryTokenizer.prototype, 'encode').mock;
    for (const task of encodings) await encodeInTurns(fresh, task);
    const longest = Math.max(...encoding.calls.map(({ arguments: [text] }) => text.length));
    encoding.restore();
    assert.ok(longest > 0 && longest < 100, String(longest));
  });

  it('renders long conversations on another thread, with the same result and errors', async () => {
    const template =
      `{% for message in messages %}{{ bos_token }}{{ message.content }}{% endfor %}{{ mood }}` +
      `{% if messages[-1].content == 'no' %}{{ raise_exception('Not no.') }}{% endif %}`;
    writeFileSync(join(directory, 'chat_template.jinja'), template);
    const render = usableTemplate(directory) ?? assert.fail();
    const onThisThread = mock.fn(() => undefined);
    const conversation = { messages: MANY, tools: [], variables: { mood: 'glad' } };
    const parts = await renderInTurns(tokenizer.directory, conversation, onThisThread);
    assert.deepEqual(parts, render(MANY, [], { mood: 'glad' }));
    assert.ok((parts?.length ?? 0) > MANY.length);
    const unused = { ...conversation, variables: { size: 1 } };
    await assert.rejects(renderInTurns(tokenizer.directory, unused, onThisThread), { variable: 'size' });
    const refusing = { ...conversation, messages: [...MANY, { role: 'user', content: 'no' } as const] };
    await assert.rejects(renderInTurns(tokenizer.directory, refusing, onThisThread), TemplateRefusal);
    assert.equal(onThisThread.mock.callCount(), 0);
    // Needs only the added tokens: a copy of the vocabulary would take a second and hundreds of megabytes.
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'chat_template.jinja'), template);
    const added = [{ id: 1, content: '<s>', special: true }];
    // The added tokens are found even after megabytes of other fields.
    writeJson(folder, 'tokenizer.json', { version: ' '.repeat(5e6), added_tokens: added });
    assert.deepEqual(await renderInTurns(folder, conversation, onThisThread), parts);
    const half = 'x'.repeat(500_001);
    const longMessages = [
      [{ role: 'user', content: half + half }],
      [{ role: 'user', content: half, reasoning: half }],
      [{ role: 'assistant', content: half, toolCalls: [{ name: 'f', arguments: { text: half } }] }],
    ] as const;
    for (const messages of longMessages)
      assert.deepEqual(
        await renderInTurns(tokenizer.directory, { ...conversation, messages }, onThisThread),
        render(messages, [], { mood: 'glad' }),
      );
    assert.equal(onThisThread.mock.callCount(), 0);
    const short = { ...conversation, messages: MANY.slice(0, 1_000) };
    await renderInTurns(tokenizer.directory, short, onThisThread);
    // Without a folder, no other thread can have the template.
    await renderInTurns(undefined, conversation, onThisThread);
    assert.equal(onThisThread.mock.callCount(), 2);
  });

  it('fails with the reason if another thread cannot read the chat template', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'chat_template.jinja'), '{% if %}');
    writeJson(folder, 'tokenizer.json', { added_tokens: [] });
    const conversation = { messages: MANY, tools: [], variables: {} };
    const onThisThread = () => assert.fail('rendered on this thread');
    await assertRefused(() => renderInTurns(folder, conversation, onThisThread), 'a chat template', folder);
  });

  it('lets other work run between many short texts', async () => {
    let hasOtherWorkRun = false;
    setImmediate(() => (hasOtherWorkRun = true));
    // Without turns, Mocha could not end this test at its time limit.
    const deadline = performance.now() + 5_000;
    while (!hasOtherWorkRun && performance.now() < deadline)
      await encodeInTurns(tokenizer, { method: 'encodeText', input: 'def ab\n'.repeat(100) });
    assert.ok(hasOtherWorkRun);
  });

  it('lets other work run within a long text', async () => {
    const fresh = freshTokenizer();
    // Different lines, as equal ones are encoded once.
    const lines = Array.from({ length: 2_000 }, (_, i) => `def ${'a'.repeat(i % 20)}b ${String(i)}\n`);
    let turns = 0;
    const otherWork = setInterval(() => (turns += 1), 0);
    await encodeInTurns(fresh, { method: 'encodeText', input: lines.join('') });
    clearInterval(otherWork);
    assert.ok(turns > 1, String(turns));
  });

  it('lets other work run within a prompt of many special tokens', async () => {
    const text = Array.from({ length: 50_000 }, (_, i) => `<s>a${String(i)}`).join('');
    const parts: Encoding = { method: 'encodeParts', input: [{ text, from: 'template' }] };
    let turns = 0;
    const otherWork = setInterval(() => (turns += 1), 0);
    const ids = await encodeInTurns(tokenizer, parts);
    clearInterval(otherWork);
    assert.ok(turns > 1, String(turns));
    assert.deepEqual(ids, encodeHere(tokenizer, parts));
  });

  it('fails with an error if tokenizer.json was deleted, and still encodes with other tokenizers', async () => {
    const gone = writeVocabulary({ kind: 'bytes', added: ['<s>'] });
    const loaded = loadTokenizer(gone) ?? assert.fail();
    rmSync(join(gone, 'tokenizer.json'));
    await assert.rejects(encodeInTurns(loaded, ONE_LINE), /has ended/);
    await assert.rejects(encodeInTurns(loaded, ONE_LINE), /has ended/);
    assert.deepEqual(await encodeInTurns(tokenizer, encodings[1] ?? assert.fail()), expected[1]);
  });

  it('fails with the reason if tokenizer.json was damaged, and encodes once it is repaired', async () => {
    const folder = writeVocabulary({ kind: 'pieces', added: ['<s>'], space: 'first', begin: '<s>' });
    const loaded = loadTokenizer(folder) ?? assert.fail();
    const file = join(folder, 'tokenizer.json');
    const text = readFileSync(file);
    writeFileSync(file, '{');
    await assertRefused(() => encodeInTurns(loaded, ONE_LINE), file, 'invalid JSON');
    writeFileSync(file, text);
    assert.deepEqual(await encodeInTurns(loaded, ONE_LINE), expected[encodings.indexOf(ONE_LINE)]);
  });

  it('ends a thread ten idle seconds after its last task', async () => {
    const folder = writeVocabulary({ kind: 'pieces', added: ['<s>'], space: 'first', begin: '<s>' });
    const loaded = loadTokenizer(folder) ?? assert.fail();
    const ids = expected[encodings.indexOf(ONE_LINE)];
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      assert.deepEqual(await encodeInTurns(loaded, ONE_LINE), ids);
      // The running thread has its copy of the tokenizer.
      rmSync(join(folder, 'tokenizer.json'));
      for (let task = 0; task < 2; task++) {
        mock.timers.tick(9_999);
        assert.deepEqual(await encodeInTurns(loaded, ONE_LINE), ids);
      }
      mock.timers.tick(10_000);
      await assert.rejects(encodeInTurns(loaded, ONE_LINE), /has ended/);
    } finally {
      mock.timers.reset();
    }
  });

  it('encodes on a new thread after one has ended', async () => {
    const folder = writeVocabulary({ kind: 'pieces', added: ['<s>'], space: 'first', begin: '<s>' });
    const loaded = loadTokenizer(folder) ?? assert.fail();
    const [file, moved] = [join(folder, 'tokenizer.json'), join(folder, 'moved.json')];
    renameSync(file, moved);
    await assert.rejects(encodeInTurns(loaded, ONE_LINE), /has ended/);
    renameSync(moved, file);
    assert.deepEqual(await encodeInTurns(loaded, ONE_LINE), encodeHere(loaded, ONE_LINE));
  });
});
