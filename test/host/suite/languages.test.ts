// Tests files whose language VS Code does not know without an extension, or, as with Swift, only highlights.
import assert from 'node:assert/strict';
import type { FlashlineApi } from '../../../src/extension';
import { until } from '../../editor/waiting';
import { closeEditors, flashline, rowsOf, show, trigger } from '../flashline';

const FILES = [
  ['Greeting.vue', '<script setup>\nconst name = ref("");\nconst length = computed(() => ‸);\n</script>\n'],
  ['Greeting.svelte', '<script>\n  let count = 0;\n  function add() {\n    count ‸\n  }\n</script>\n'],
  ['pyproject.toml', '[project]\nname = "greeting"\nversion = ‸\n'],
  ['Greeting.kt', 'fun add(a: Int, b: Int): Int {\n    return ‸\n}\n'],
  ['Greeting.swift', 'func add(a: Int, b: Int) -> Int {\n    return ‸\n}\n'],
] as const;

describe('a file whose language VS Code does not know or only highlights', () => {
  let api: FlashlineApi;
  before(async () => {
    api = await flashline();
  });
  afterEach(closeEditors);

  for (const [name, marked] of FILES)
    it(`sends a request for suggestions: ${name}`, async () => {
      const { document } = await show(name, marked);
      assert.ok(['plaintext', 'swift'].includes(document.languageId), document.languageId);
      await until('suggestions are possible', () => api.status().state === 'ready');
      await trigger();
      await until('a request is reported', () => rowsOf(api, name).length > 0);
    });
});
