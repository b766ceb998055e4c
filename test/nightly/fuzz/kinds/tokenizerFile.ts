// tokenizer.json and tokenizer_config.json, as model families have them. A loaded tokenizer must encode any text, or
// refuse it with an explanation.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { loadTokenizer } from '../../../../server/models/text/loadTokenizer';
import { temporaryFolder } from '../../../support/temporaryFolder';
import { writeVocabulary, type VocabularyOptions } from '../../../support/vocabulary';
import { valueUnlessRefused } from '../assertExplained';
import { fuzzKind } from '../kind';
import { mixed, oddText, spoiltJson, type Json } from '../oddValues';

const ADDED = ['<s>', '</s>'];
const BYTES: VocabularyOptions = {
  kind: 'bytes',
  added: ADDED,
  config: { add_bos_token: false, eos_token: '</s>' },
};
const KINDS: readonly VocabularyOptions[] = [
  BYTES,
  { kind: 'pieces', added: ADDED, written: ['<code>'], space: 'always', begin: '<s>' },
  {
    kind: 'pieces',
    added: ADDED,
    space: 'first',
    config: { add_bos_token: true, bos_token: { content: '<s>' } },
  },
];
const FILES = ['tokenizer.json', 'tokenizer_config.json'] as const;
const TEXT = 'def a(b):\r\n\treturn "👍"  ';

interface Files {
  readonly tokenizer: string;
  readonly config: string;
  readonly text: string;
}

function filesOf(options: VocabularyOptions): fc.Arbitrary<Files> {
  const folder = writeVocabulary(options);
  const [tokenizer, config] = FILES.map(
    (file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Json,
  );
  return fc.record({
    tokenizer: mixed([4, spoiltJson(tokenizer ?? {}, 2)], [1, fc.constant(JSON.stringify(tokenizer))]),
    config: mixed([3, fc.constant(JSON.stringify(config))], [1, spoiltJson(config ?? {}, 2)]),
    text: oddText,
  });
}

export const tokenizerFile = fuzzKind({
  name: 'tokenizer',
  inputs: fc.oneof(...KINDS.map(filesOf)),
  runs: 125,
  open: () => {
    const folder = temporaryFolder();
    const validFolder = writeVocabulary(BYTES);
    return {
      attempt: async ({ tokenizer, config, text }) => {
        writeFileSync(join(folder, FILES[0]), tokenizer);
        writeFileSync(join(folder, FILES[1]), config);
        const loaded = await valueUnlessRefused(() => loadTokenizer(folder));
        if (loaded === undefined) return;
        for (const input of [text, TEXT]) {
          const encode = (): number[] => [...loaded.encodeText(input), ...loaded.encodePrompt(input)];
          const ids: readonly number[] = (await valueUnlessRefused(encode)) ?? [];
          for (const id of ids) assert.ok(Number.isInteger(id) && id >= 0, `token ${String(id)}`);
          assert.equal(typeof loaded.decode(ids), 'string');
          for (const id of ids.slice(0, 4)) assert.ok(loaded.bytes(id) instanceof Uint8Array);
        }
      },
      checkValid: () => {
        const tokenizer = loadTokenizer(validFolder);
        assert.equal(tokenizer?.decode(tokenizer.encodeText(TEXT)), TEXT);
      },
    };
  },
});
