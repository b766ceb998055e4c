// Tests that prompts keep their beginning while the user types: from key to key they change only in their last tokens,
// except for a few jumps, which change more. Parts of files are typed again, with other files open and edited before.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CodeWindows } from '../../../server/completion/prompt/codeWindows';
import { completionContext, type DocumentSnapshot } from '../../../server/completion/prompt/context';
import type { Tokenizer } from '../../../server/completion/decoder';
import { healing } from '../../../server/completion/prompt/healing';
import { completionPrompt } from '../../../server/completion/prompt/prompt';
import type { PromptModel } from '../../../server/completion/prompt/promptParts';
import { snippetBudget } from '../../../server/completion/prompt/quotedFiles';
import { RecentPlaces } from '../../../server/completion/prompt/recentPlaces';
import { chooseSnippets } from '../../../server/completion/prompt/snippets';
import { loadTokenizer } from '../../../server/models/text/loadTokenizer';
import { PAIR_TARGET } from '../../support/fixtures';

/** Characters that are typed again. */
const TYPED = 300;
/** Tokens of a prompt. */
const BUDGET = 1024;
/** Tokens at the end of a prompt that can change without a jump: more than a key changes, fewer than a snippet has. */
const TAIL = 24;
/** Maximum number of keys whose prompts differ in more than TAIL tokens from the prompt before. */
const MAX_JUMPS = 3;

function documentOf(uri: string, text: string): DocumentSnapshot {
  const languageId = uri.endsWith('.py') ? 'python' : 'typescript';
  return { uri, fileName: basename(uri), languageId, text };
}

const EXAMPLES = 'media/examples';
/** A document too large for a prompt, from files that rarely change, so that prompts begin in the same places. */
const LARGE = readdirSync(EXAMPLES)
  .filter((name) => name !== 'places.json')
  .map((name) => readFileSync(join(EXAMPLES, name), 'utf8'))
  .join('\n')
  .repeat(2);
const OPEN = [
  documentOf('large.ts', LARGE),
  ...[
    'server/engine/engine.ts',
    'node_modules/zod/src/v4/core/errors.ts',
    'node_modules/zod/src/v4/core/parse.ts',
    'media/examples/matrix.py',
    'media/examples/shoppingCart.ts',
  ].map((path) => documentOf(path, readFileSync(path, 'utf8'))),
];
const TYPED_IN = OPEN.filter(({ fileName }) => !['engine.ts', 'matrix.py'].includes(fileName));

/**
 * Special tokens of the built-in vocabulary that take the place of Mellum's, so that prompts get Mellum's form. They
 * begin with other files, where a change costs most.
 */
const AS_MELLUM: ReadonlyMap<string, string> = new Map([
  ...['prefix', 'suffix', 'middle'].map((part) => [`<fim_${part}>`, `<|fim_${part}|>`] as const),
  ['<filename>', '<|file_sep|>'],
  ...['<assistant>', '<|im_start|>'].map((mark) => [mark, '<|endoftext|>'] as const),
]);

describe('prompts while the user types', () => {
  const embedded = loadTokenizer(PAIR_TARGET) ?? assert.fail();
  /** Ids by text: the text after the cursor and the snippets are the same at almost every key. */
  const encoded = new Map<string, number[]>();
  const tokenizer: Tokenizer = {
    textStart: { ids: [], space: '' },
    encodeText: (text) => {
      const ids = encoded.get(text) ?? embedded.encodeText(text);
      encoded.set(text, ids);
      return ids;
    },
    encodeParts: (parts) => embedded.encodeParts(parts),
    decode: (ids) => embedded.decode(ids),
    specialTokenId: (content) => embedded.specialTokenId(AS_MELLUM.get(content) ?? ''),
  };
  const model: PromptModel = { infill: 'fim', tokenizer, encodeChat: () => undefined };

  /** Returns for each key the number of tokens after the prefix that its prompt shares with the prompt before. */
  function changedTokens({ uri, text }: DocumentSnapshot, at: number, places: RecentPlaces): number[] {
    const windows = new CodeWindows();
    const otherDocuments = OPEN.filter((document) => document.uri !== uri);
    const prompts = Array.from({ length: TYPED + 1 }, (_, typed) => {
      const cursor = at + typed;
      const current = documentOf(uri, text.slice(0, cursor) + text.slice(at + TYPED));
      places.edited(current, cursor);
      const context = completionContext(current, cursor);
      const sources = { documents: [current, ...otherDocuments], windows, places };
      const snippets = chooseSnippets(context, sources, snippetBudget(BUDGET, context));
      const prefix = healing(context.prefix, tokenizer)?.kept ?? context.prefix;
      return completionPrompt({ context, prefix, snippets, budget: BUDGET }, model)?.ids ?? [];
    });
    return prompts.slice(1).map((ids, i) => {
      const different = ids.findIndex((token, k) => token !== prompts[i]?.[k]);
      return different < 0 ? 0 : ids.length - different;
    });
  }

  afterEach(() => {
    encoded.clear();
  });

  for (const [where, part, edited] of [
    ['at the beginning', 0, false],
    ['in the middle', 0.45, true],
    ['in the middle, nothing else edited', 0.45, false],
    ['at the end', 1, true],
  ] as const)
    for (const document of TYPED_IN)
      it(`change only at their end: ${document.uri}, ${where}`, () => {
        const places = new RecentPlaces();
        const elsewhere = OPEN.filter(({ uri }) => edited && uri !== document.uri).slice(-2);
        for (const editedBefore of elsewhere) places.edited(editedBefore, 600);
        const at = Math.floor((document.text.length - TYPED) * part);
        const changed = changedTokens(document, at, places);
        const jumps = changed.filter((tokens) => tokens > TAIL);
        assert.ok(jumps.length <= MAX_JUMPS, `${jumps.length} prompts changed by ${jumps.join()} tokens`);
      });
});
