// Tests generated code: its prompts, and its text, which is streamed and indented as at the cursor.
import assert from 'node:assert/strict';
import { generateCode } from '../../../server/completion/instruct/generateCode';
import { markedDocument } from '../../support/cursor';
import { FakeDecoder, type FakeOptions } from '../fakeDecoder';

interface RunOptions extends FakeOptions {
  readonly language?: string;
  readonly instruction?: string;
}

/** Generates code at the mark ║, or in place of the selection in ⟦⟧, with a model that writes `output`. */
async function run(marked: string, output: readonly string[], options: RunOptions = {}) {
  const { text, offset, inserted } = markedDocument(marked);
  const decoder = new FakeDecoder([output], options);
  const pieces: string[] = [];
  const request = {
    document: {
      uri: 'a',
      fileName: 'a.ts',
      languageId: options.language ?? 'typescript',
      text: text.slice(0, offset) + inserted + text.slice(offset),
    },
    start: offset,
    end: offset + inserted.length,
    instruction: options.instruction ?? 'add the numbers',
    maxTokens: 200,
    signal: new AbortController().signal,
  };
  for await (const piece of generateCode(request, decoder)) pieces.push(piece);
  return { pieces, text: pieces.join(''), prompt: decoder.prompts[0] ?? '', decoder };
}

describe('generateCode', () => {
  describe('with a chat template', () => {
    it('sends a chat and begins the answer with a code block', async () => {
      const { prompt } = await run('a();\n⟦b();⟧\nc();\n', [], { hasChat: true });
      const parts = ['a\\(\\);\\n', 'Selected code:', 'b\\(\\);', 'Code after:', 'c\\(\\);'];
      assert.match(prompt, new RegExp(`Code before:\\n\`\`\`typescript\\n${parts.join('.*')}`, 's'));
      assert.match(prompt, /Rewrite the selected code: add the numbers```typescript\n$/);
    });

    it('quotes 4,000 characters on each side, and no text that is only white space', async () => {
      const [before, after] = ['a'.repeat(4000), 'c'.repeat(4000)];
      const { prompt } = await run(`b${before}║${after}d`, [], { hasChat: true });
      assert.ok(prompt.includes(`Code before:\n\`\`\`typescript\n${before}\n\`\`\`\n`));
      assert.ok(prompt.includes(`Code after:\n\`\`\`typescript\n${after}\n\`\`\`\n`));
      const blank = (await run(' \n⟦ \n⟧ \n', [], { hasChat: true })).prompt;
      assert.match(
        blank,
        /\[user\]File a\.ts\.\n\nWrite the code that belongs between them: add the numbers```/,
      );
    });

    it('stops reading at the end of the code', async () => {
      const output = ['```ts\n', 'a', '();\n', 'b();\n', '``', '`\nThis adds', ' the numbers.'];
      const { pieces, text, decoder } = await run('║\n', output, { hasChat: true });
      assert.deepEqual(pieces.slice(0, 3), ['a', '();', '\nb();']);
      assert.equal(text, 'a();\nb();');
      assert.equal(decoder.readCount, 6);
    });

    for (const [marked, answer, code] of [
      ['║\n', 'a();\n```\nDone.', 'a();'],
      ['║\n', '```js\na();\n```', 'a();'],
      ['║\n', 'a`b`\n``c``\n', 'a`b`\n``c``'],
      ['║\n', 'a\n  ```\nb', 'a'],
      ['║\n', '', ''],
      ['║\n', 'a\n``', 'a\n``'],
      ['║\n', '  a\nb', 'a\nb'],
      ['{\n    ║\n}\n', 'if (a) {\n  b();\n\n}\n', 'if (a) {\n      b();\n\n    }'],
      ['{\n    ║\n}\n', '    a {\n      b\n    }\n', 'a {\n      b\n    }'],
      ['{\n  ║\n}\n', '\n\na\n\nb', 'a\n\n  b'],
      ['{\n⟦\ta();⟧\n}\n', 'a\nb', '\ta\n\tb'],
      ['  x = ║\n', 'a +\n  b', 'a +\n    b'],
    ] as const)
      it(`extracts ${JSON.stringify(code)} from ${JSON.stringify(answer)}, in pieces of any size`, async () => {
        for (const size of [1, 2, 3, 100]) {
          const pieces = answer.match(new RegExp(`[^]{1,${String(size)}}`, 'g')) ?? [];
          assert.equal((await run(marked, pieces, { hasChat: true })).text, code);
        }
      });
  });

  it('puts a selection that has a fence into a longer one', async () => {
    const { prompt } = await run('a\n⟦```ts\nb();\n```⟧\n', ['c'], { hasChat: true });
    assert.match(prompt, /Selected code:\n````/);
  });

  it('sends a chat only if it is shorter than the prompt limit, and limits the output to the rest of the context', async () => {
    const { decoder, prompt } = await run('║\n', [], { hasChat: true });
    assert.equal(decoder.limits[0]?.maxTokens, 200);
    const qwen = { hasChat: true, fimTokens: ['<|im_end|>'] };
    assert.deepEqual(
      (await run('║\n', [], qwen)).decoder.limits[0]?.stopTokenIds,
      [0],
      'the end of its turn',
    );
    const chat = prompt.slice(0, -'```typescript\n'.length);
    const { length } = decoder.tokenizer.encodeText(chat);
    // The output gets half of a short context.
    for (const [room, isChat] of [
      [length, false],
      [length + 1, true],
    ] as const) {
      const shorter = await run('║\n', [], { hasChat: true, contextTokens: 2 * room });
      assert.equal(shorter.prompt.startsWith(chat), isChat, shorter.prompt);
      assert.equal(shorter.decoder.limits[0]?.maxTokens, room);
    }
  });

  it('puts the instruction into a comment if the chat does not fit into the context', async () => {
    const options = { hasChat: true, contextTokens: 80 };
    const { prompt, text } = await run('a();\n║\n', ['b();\n'], options);
    assert.match(prompt, /<\|fim_prefix\|>a\(\);\n\/\/ add the numbers\n/);
    assert.equal(text, 'b();');
  });

  describe('without a chat template', () => {
    for (const [language, instruction, comment] of [
      ['typescript', 'add\nall', '  // add\n  // all\n'],
      ['python', 'add', '  # add\n'],
      ['sql', 'add', '  -- add\n'],
      ['html', 'add --> all', '  <!-- add  all -->\n'],
      ['css', 'add */ all', '  /* add  all */\n'],
    ] as const)
      it(`puts the instruction into a comment above the cursor in ${language}`, async () => {
        const { prompt } = await run('{\n  a();\n  ║\n}\n', ['b();'], { language, instruction });
        assert.ok(prompt.includes(`<|fim_prefix|>{\n  a();\n${comment}`), prompt);
        assert.ok(prompt.includes('<|fim_suffix|>\n}\n'), prompt);
      });

    for (const [marked, language, answer, text] of [
      ['║\n', 'typescript', '// in the stack\n// and more\n', ''],
      ['{\n  ║\n}\n', 'typescript', '/* in\n   * the stack\n   */\n', ''],
      ['║\n', 'python', '# in the list\n', ''],
      ['║\n', 'sql', '-- of orders', ''],
      ['║\n', 'typescript', '// adds\na();\n', '// adds\na();'],
      ['x = 1; ║\n', 'typescript', '// one', '// one'],
      ['// ║\n', 'typescript', 'in the list\n', 'in the list'],
    ] as const)
      it(`returns ${JSON.stringify(text)} for the output ${JSON.stringify(answer)} in ${language}`, async () => {
        assert.equal((await run(marked, [answer], { language })).text, text);
      });

    it('quotes the selection in a comment', async () => {
      const { prompt, text } = await run('{\n⟦  a();\n  b();⟧\n}\n', [' ', 'c();\n', '  d();\n', '}']);
      assert.match(prompt, /\{\n {2}\/\/ a\(\);\n {2}\/\/ {3}b\(\);\n {2}\/\/ add the numbers\n/);
      assert.equal(text, '  c();\n  d();');
      assert.equal((await run('{\n⟦  a();⟧\n}\n', ['c();'])).text, '  c();', 'a line without a line end');
    });

    it('ends where the block around the cursor ends', async () => {
      const output = [' ', 'b();\n\n', '  c();\n', '}\n', 'more();', 'x', 'y'];
      const { text, decoder } = await run('{\n  ║\n}\nmore();\n', output);
      assert.equal(text, 'b();\n\n  c();');
      assert.equal(decoder.readCount, 4);
    });

    it('recognizes a string that the line above a selection without indentation opens', async () => {
      const { text } = await run('a = """\n⟦  b⟧\n', ['b\n  """\nc()\n'], { language: 'python' });
      assert.equal(text, '  b\n  """');
    });

    it('streams whole lines, so that a repeated line can still be left out', async () => {
      const output = ['a', '();\nb', '();\n', 'mo', 're();\n', 'x'];
      assert.deepEqual((await run('║\nmore();\n', output)).pieces, ['a();', '\nb();']);
      const options = { finishReason: 'repetition' } as const;
      assert.equal((await run('║\n', ['a();\n', 'b(', 'c(', 'c(', 'c('], options)).text, 'a();');
    });
  });

  it('restores the line ends of the document', async () => {
    for (const hasChat of [true, false])
      assert.equal((await run('a();\r\n║\r\n', ['b();\nc();\n'], { hasChat })).text, 'b();\r\nc();');
  });
});
