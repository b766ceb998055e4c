// Parts of a language server for clients that only request suggestions and edits.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LanguageServerParts } from '../../server/lsp/languageServer';

/** Shows no unfinished words, finds no downloaded models and no chat models, and starts no server for other tools. */
export const SUGGESTIONS_ONLY: Pick<
  LanguageServerParts,
  'lateMs' | 'modelSource' | 'chatFacts' | 'httpServing'
> = {
  lateMs: Infinity,
  modelSource: {
    cache: join(tmpdir(), 'flashline-without-models'),
    env: {},
    loadable: () => Promise.resolve({ targets: [], problemOf: () => undefined }),
    measured: () => ({}),
  },
  chatFacts: () => Promise.resolve(undefined),
  httpServing: {
    address: undefined,
    start: () => Promise.reject(new Error('There is no server for other tools.')),
    stop: () => Promise.resolve(),
    configure: () => undefined,
    onChange: () => () => undefined,
  },
};
