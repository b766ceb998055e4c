// Long texts are encoded without holding the process, to the ids that they have otherwise.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { Tokenizer as HubTokenizer } from '@huggingface/tokenizers';
import { encodeApart, encodeHere, type Encoding } from '../../server/models/text/encodeApart';
import { loadTokenizer } from '../../server/models/text/tokenizer';
import { writeVocabulary } from '../support/vocabulary';

const LONG = 'def ab  <s> é🙂\n'.repeat(4_000);

describe('encodeApart', () => {
  const directory = writeVocabulary({ kind: 'pieces', added: ['<s>'], space: 'first', begin: '<s>' });
  const tokenizer = loadTokenizer(directory) ?? assert.fail();
  const encodings: readonly Encoding[] = [
    { how: 'encodePrompt', input: LONG },
    { how: 'encodeText', input: LONG },
    {
      how: 'encodeParts',
      input: [
        { text: `<s>${LONG}`, from: 'template' },
        { text: LONG, from: 'message' },
      ],
    },
    { how: 'encodeText', input: ' '.repeat(300_000) },
    { how: 'encodeText', input: 'short' },
  ];
  const expected = encodings.map((encoding) => encodeHere(tokenizer, encoding));

  it('gives the same ids, of several at once too', async () => {
    assert.deepEqual(await Promise.all(encodings.map((each) => encodeApart(tokenizer, each))), expected);
  });

  it('encodes nothing long on this thread', async () => {
    const encoding = mock.method(HubTokenizer.prototype, 'encode').mock;
    for (const each of encodings) await encodeApart(tokenizer, each);
    const longest = Math.max(...encoding.calls.map(({ arguments: [text] }) => text.length));
    encoding.restore();
    assert.ok(longest < 100, String(longest));
  });

  it('lets others have their turn between many short texts', async () => {
    let isOthersTurn = false;
    setImmediate(() => (isOthersTurn = true));
    while (!isOthersTurn) await encodeApart(tokenizer, { how: 'encodeText', input: 'def ab\n'.repeat(100) });
  });

  it('says what is wrong if the folder has gone', async () => {
    const gone = writeVocabulary({ kind: 'bytes', added: ['<s>'] });
    const loaded = loadTokenizer(gone) ?? assert.fail();
    rmSync(join(gone, 'tokenizer.json'));
    await assert.rejects(encodeApart(loaded, { how: 'encodeText', input: LONG }), /has ended/);
    await assert.rejects(encodeApart(loaded, { how: 'encodeText', input: LONG }), /has ended/);
    assert.deepEqual(await encodeApart(tokenizer, encodings[1] ?? assert.fail()), expected[1]);
  });
});
