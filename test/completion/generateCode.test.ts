// Generated code: how it is asked for, and that what arrives is code in its place, piece by piece.
import assert from 'node:assert/strict';
import { generateCode } from '../../server/completion/instruct/generateCode';
import { markedDocument } from '../support/cursor';
import { FakeDecoder, type FakeOptions } from './fakeDecoder';

interface Run extends FakeOptions {
  readonly language?: string;
  readonly signal?: AbortSignal;
}

/** The text in brackets is the selection. */
async function run(marked: string, output: readonly string[], options: Run = {}) {
  const { text, offset, inserted } = markedDocument(marked);
  const decoder = new FakeDecoder([output], options);
  const pieces: string[] = [];
  const request = {
    document: {
      uri: 'a',
      fileName: 'a.ts',
      languageId: options.language ?? 'typescript',
      version: 1,
      text: text.slice(0, offset) + inserted + text.slice(offset),
    },
    start: offset,
    end: offset + inserted.length,
    instruction: 'add the numbers',
    maxTokens: 200,
    signal: options.signal ?? new AbortController().signal,
  };
  for await (const piece of generateCode(request, decoder)) pieces.push(piece);
  return { pieces, text: pieces.join(''), prompt: decoder.prompts[0] ?? '', decoder };
}

describe('generateCode', () => {
  describe('with a chat template', () => {
    it('asks in words and begins the answer with a code block', async () => {
      const { prompt } = await run('a();\n⟦b();⟧\nc();\n', [], { hasChat: true });
      assert.match(
        prompt,
        /Code before:\n```typescript\na\(\);\n.*Selected code:.*b\(\);.*Code after:.*c\(\);/s,
      );
      assert.match(prompt, /Rewrite the selected code: add the numbers```typescript\n$/);
    });

    it('gives out the code and not what surrounds it', async () => {
      const output = ['```ts\n', 'a', '();\n', 'b();\n', '``', '`\nThis adds', ' the numbers.'];
      const { text, decoder } = await run('║\n', output, { hasChat: true });
      assert.equal(text, 'a();\nb();');
      assert.equal(decoder.given, 6);
    });

    it('moves the code to the indentation of the place', async () => {
      const { text } = await run('{\n    ║\n}\n', ['if (a) {\n  b();\n\n}\n'], { hasChat: true });
      assert.equal(text, 'if (a) {\n      b();\n\n    }');
    });
  });

  describe('without one', () => {
    it('puts the instruction into a comment above the place', async () => {
      const { prompt } = await run('{\n  a();\n  ║\n}\n', ['b();']);
      assert.match(
        prompt,
        /<\|fim_prefix\|>\{\n {2}a\(\);\n {2}\/\/ add the numbers\n *<\|fim_suffix\|>\n\}\n/,
      );
    });

    it('mentions what is replaced', async () => {
      const { prompt, text } = await run('{\n⟦  a();\n  b();⟧\n}\n', [' ', 'c();\n', '  d();\n', '}']);
      assert.match(prompt, /\{\n {2}\/\/ a\(\);\n {2}\/\/ {3}b\(\);\n {2}\/\/ add the numbers\n/);
      assert.equal(text, '  c();\n  d();');
    });

    it('ends where the place ends', async () => {
      const output = [' ', 'b();\n\n', '  c();\n', '}\n', 'more();', 'x', 'y'];
      const { text, decoder } = await run('{\n  ║\n}\nmore();\n', output);
      assert.equal(text, 'b();\n\n  c();');
      assert.equal(decoder.given, 4);
    });

    it('leaves out the line in which an output keeps repeating itself', async () => {
      const options = { finishReason: 'repetition' } as const;
      assert.equal((await run('║\n', ['a();\n', 'b(', 'c(', 'c(', 'c('], options)).text, 'a();');
    });

    it('streams whole lines, as any line may be the one to leave out', async () => {
      const { pieces } = await run('║\nmore();\n', ['a', '();\nb', '();\n', 'mo', 're();\n', 'x']);
      assert.deepEqual(pieces, ['a();', '\nb();']);
    });
  });

  it('writes the line ends of the document', async () => {
    assert.equal((await run('a();\r\n║\r\n', ['b();\nc();\n'])).text, 'b();\r\nc();');
    assert.equal((await run('a();\r\n║\r\n', ['b();\nc();\n'], { hasChat: true })).text, 'b();\r\nc();');
  });

  it('keeps what has arrived when cancelled', async () => {
    const controller = new AbortController();
    const options = { hasChat: true, beforePiece: (i: number) => i === 2 && controller.abort() };
    const { text } = await run('║\n', ['a();\n', 'b();\n', 'c();\n'], {
      ...options,
      signal: controller.signal,
    });
    assert.equal(text, 'a();\nb();');
  });
});
