// The embedded pair at a handful of cursors: what comes out is worth showing, also from within a word.
import assert from 'node:assert/strict';
import { nextLine } from '../../server/completion/prompt/context';
import { generateCode } from '../../server/completion/instruct/generateCode';
import type { Infill } from '../../server/completion/decoder';
import { infillOf } from '../../server/completion/prompt/fimForm';
import { RecentSuggestions } from '../../server/completion/session/recent';
import { settle, suggest, type SuggestRequest } from '../../server/completion/session/suggest';
import { Engine } from '../../server/engine/engine';
import { EMBEDDED_PAIR } from '../support/embeddedPair';
import { contextAt } from '../support/cursor';
import { EngineDecoder } from './engineDecoder';

const STACK = `class Stack {
  private items: number[] = [];

  push(item: number): void {
    ║
  }

  pop(): number | undefined {
    return this.items.pop();
  }
}
`;
const CURSORS: readonly (readonly [document: string, language: string, expected: RegExp])[] = [
  ['export function add(a: number, b: number): number {\n  return ║\n}\n', 'typescript', /^a \+ b;?$/],
  ['export function add(a: number, b: number): number {\n  ret║\n}\n', 'typescript', /^urn a \+ b;?$/],
  ['export function add(a: number, b: number): number {\n  return a + ║\n}\n', 'typescript', /^b;?$/],
  [STACK, 'typescript', /^this\.items\.push\(item\);/],
  ['function total(items) {\n  let sum = 0;\n  for (const item of it║) {\n  }\n}\n', 'javascript', /^ems/],
  ['def add(a, b):\n    return a + b\n\n\ndef multiply(a, b):\n    ║\n', 'python', /^return a \* b/],
];

describe('completion with the embedded pair', () => {
  let engine: Engine;
  let infill: Infill;
  before(async () => {
    engine = await Engine.load(EMBEDDED_PAIR);
    const tokenizer = engine.tokenizer ?? assert.fail();
    const encodeChat = engine.encodeChat.bind(engine);
    infill = infillOf({ name: 'embedded', isBase: true, tokenizer, encodeChat });
  });
  after(async () => await engine.dispose());

  const settings = { maxSuggestionTokens: 32, multiline: 'auto', debounceMs: 0 } as const;
  const { signal } = new AbortController();
  const ask = async (
    document: string,
    language: string,
    trigger: SuggestRequest['trigger'] = 'automatic',
  ) => {
    const decoder = new EngineDecoder(engine, infill.layout);
    const context = contextAt(document, language);
    const tools = { decoder, recent: new RecentSuggestions(), settle };
    return { context, ...(await suggest({ context, trigger, settings, signal }, tools)) };
  };

  it('fills in with the text before the cursor last, and quotes other files in comments', () => {
    assert.deepEqual(infill, { infill: 'fim', layout: 'spm', otherFiles: 'commented' });
  });

  for (const [document, language, expected] of CURSORS)
    it(`completes ${JSON.stringify(/.*(?=║)/.exec(document)?.[0])} (${language})`, async () => {
      const { outcome, texts, context } = await ask(document, language);
      assert.equal(outcome, 'shown');
      const [text = ''] = texts;
      assert.match(text, expected);
      assert.notEqual(text.trim(), '');
      const lines = (context.lineBefore + text).split('\n').map((line) => line.trim());
      assert.ok(!lines.includes(nextLine(context)?.trim() ?? 'none'));
    });

  it('gives alternatives that differ', async () => {
    const { texts } = await ask(STACK, 'typescript', 'explicit');
    assert.ok(texts.length >= 1 && texts.length <= 3);
    assert.equal(new Set(texts).size, texts.length);
  });

  it('generates code from an instruction', async () => {
    const text = 'def add(a, b):\n    return a + b\n\n\n';
    const document = { uri: 'a', fileName: 'sums.py', languageId: 'python', version: 1, text };
    const place = { document, start: text.length, end: text.length, maxTokens: 40, signal };
    let code = '';
    const request = { ...place, instruction: 'multiply a and b' };
    for await (const piece of generateCode(request, new EngineDecoder(engine, infill.layout))) code += piece;
    assert.match(code, /^def multiply\(a, b\):/);
  });
});
