// Tests that prompts keep their beginning while the user types: in one place, they change only at their end, except for
// a few jumps. The text of files is typed again, with other files open and edited before.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { completionContext, type DocumentSnapshot } from '../../../server/completion/prompt/context';
import type { Tokenizer } from '../../../server/completion/decoder';
import { healing } from '../../../server/completion/prompt/healing';
import { completionPrompt } from '../../../server/completion/prompt/prompt';
import type { PromptModel } from '../../../server/completion/prompt/promptParts';
import { snippetBudget } from '../../../server/completion/prompt/quotedFiles';
import { Snippets } from '../../../server/completion/prompt/snippets';
import { loadTokenizer } from '../../../server/models/text/loadTokenizer';
import { PAIR_TARGET } from '../../support/fixtures';

const TYPED = 300;
const BUDGET = 1024;
/** Tokens at the end of a prompt that can change: more than a key changes, and fewer than any piece of context has. */
const TAIL = 24;
const MAX_JUMPS = 3;

function documentOf(uri: string, text: string): DocumentSnapshot {
  const languageId = uri.endsWith('.py') ? 'python' : 'typescript';
  return { uri, fileName: basename(uri), languageId, text };
}

const EXAMPLES = 'media/examples';
/** Text of files of this repository that rarely change, so that the cuts stay in the same places. */
const LARGE = readdirSync(EXAMPLES)
  .filter((name) => name !== 'places.json')
  .map((name) => readFileSync(join(EXAMPLES, name), 'utf8'))
  .join('\n')
  .repeat(2);
const OPEN = [
  documentOf('large.ts', LARGE),
  ...[
    ...[
      'server/engine/engine.ts',
      'node_modules/zod/src/v4/core/errors.ts',
      'node_modules/zod/src/v4/core/parse.ts',
    ],
    ...['media/examples/matrix.py', 'media/examples/shoppingCart.ts'],
  ].map((path) => documentOf(path, readFileSync(path, 'utf8'))),
];
const TYPED_IN = OPEN.filter(({ fileName }) => !['engine.ts', 'matrix.py'].includes(fileName));

/** Tokens of the built-in vocabulary by those of Mellum, whose prompts begin with other files. */
const AS_MELLUM: ReadonlyMap<string, string> = new Map([
  ...['prefix', 'suffix', 'middle'].map((part) => [`<fim_${part}>`, `<|fim_${part}|>`] as const),
  ['<filename>', '<|file_sep|>'],
  ...['<assistant>', '<|im_start|>'].map((mark) => [mark, '<|endoftext|>'] as const),
]);

describe('prompts while the user types', () => {
  const embedded = loadTokenizer(PAIR_TARGET) ?? assert.fail();
  /** Cache: the text after the cursor and the snippets are the same at almost every key. */
  const known = new Map<string, number[]>();
  const tokenizer: Tokenizer = {
    textStart: { ids: [], space: '' },
    encodeText: (text) => {
      const ids = known.get(text) ?? embedded.encodeText(text);
      known.set(text, ids);
      return ids;
    },
    decode: (ids) => embedded.decode(ids),
    specialTokenId: (content) => embedded.specialTokenId(AS_MELLUM.get(content) ?? ''),
  };
  const model: PromptModel = { infill: 'fim', tokenizer, encodeChat: () => undefined };

  /** Returns for each key after the first how many tokens of its prompt are not a prefix of the one before. */
  function changedTokens(document: DocumentSnapshot, at: number, index: Snippets): number[] {
    const { uri, text } = document;
    const others = OPEN.filter((other) => other.uri !== uri);
    const prompts = Array.from({ length: TYPED + 1 }, (_, typed) => {
      const cursor = at + typed;
      const now = documentOf(uri, text.slice(0, cursor) + text.slice(at + TYPED));
      index.edited(now, cursor);
      const context = completionContext(now, cursor);
      const snippets = index.choose(context, [now, ...others], snippetBudget(BUDGET, context));
      const prefix = healing(context.prefix, tokenizer)?.kept ?? context.prefix;
      return completionPrompt({ context, prefix, snippets, budget: BUDGET }, model)?.ids ?? [];
    });
    return prompts.slice(1).map((ids, i) => {
      const different = ids.findIndex((token, k) => token !== prompts[i]?.[k]);
      return different < 0 ? 0 : ids.length - different;
    });
  }

  afterEach(() => {
    known.clear();
  });

  for (const [where, part, edited] of [
    ['at the beginning', 0, false],
    ['in the middle', 0.45, true],
    ['in the middle, nothing else edited', 0.45, false],
    ['at the end', 1, true],
  ] as const)
    for (const document of TYPED_IN)
      it(`change only at their end: ${where} of ${document.uri}`, () => {
        const index = new Snippets();
        const elsewhere = OPEN.filter(({ uri }) => edited && uri !== document.uri).slice(-2);
        for (const other of elsewhere) index.edited(other, 600);
        const at = Math.floor((document.text.length - TYPED) * part);
        const changed = changedTokens(document, at, index);
        const jumps = changed.filter((tokens) => tokens > TAIL);
        assert.ok(jumps.length <= MAX_JUMPS, `${jumps.length} jumps, of ${jumps.join()} tokens`);
      });
});
