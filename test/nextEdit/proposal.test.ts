// Tests the requests of a session of next edits to its model (quoted lines, limits, files that are not sent), and which
// outputs of the model become edits.
import assert from 'node:assert/strict';
import { sweepOne, sweepTwo } from '../../server/nextEdit/sweep';
import { zeta21 } from '../../server/nextEdit/zeta';
import { WordlessTokenizer } from '../completion/wordlessTokenizer';
import { OUTPUT, Person, ScriptedModel, SPECIAL, ZETA_OUTPUT } from './person';
import { AFTER, BEFORE, CURSOR, NOW } from './sumFile';

describe('a session of next edits (outputs)', () => {
  it('quotes as much of the file as a prompt has room for', async () => {
    const head = 'x();\n'.repeat(100);
    for (const [promptTokens, isQuoted] of [
      [1000, true],
      [100, false],
    ] as const) {
      const person = new Person(new ScriptedModel(), sweepTwo, promptTokens);
      await person.types(head + BEFORE, head + NOW).ask({ cursor: { line: 100, character: 0 } });
      const count = person.model?.prompts[0]?.match(/x\(\);/g)?.length ?? 0;
      assert.equal(count > 50, isQuoted, String(count));
    }
  });

  it('limits an output to the room in the context, and drafts from the lines that it rewrites', async () => {
    const ask = async (contextTokens: number): Promise<ScriptedModel> => {
      const model = new ScriptedModel();
      model.contextTokens = contextTokens;
      await new Person(model).types(BEFORE, NOW).ask();
      return model;
    };
    const { prompts, limits, tokenizer } = await ask(8192);
    const { maxTokens, stopTokenIds, stopStrings, promptLookupIds } = limits[0] ?? assert.fail();
    assert.deepEqual([maxTokens, stopStrings], [1024, []]);
    const zeta = new Person(new ScriptedModel([ZETA_OUTPUT]), zeta21).types(BEFORE, NOW);
    await zeta.ask();
    assert.equal(zeta.model?.limits[0]?.maxTokens, 1024);
    assert.deepEqual(
      stopTokenIds,
      SPECIAL.map((token) => tokenizer.specialTokenId(token)),
    );
    assert.equal(tokenizer.decode(promptLookupIds ?? []), NOW.trimEnd());
    const isComplete = ['0', '1']
      .map((n) => `\n${NOW.replace('0', n)}`)
      .map((text) => limits[0]?.isComplete?.(text));
    assert.deepEqual(isComplete, [false, true]);
    const below = new Person().types(`// x\n${BEFORE}`, `// x\n${NOW}`);
    await below.ask({ cursor: { ...CURSOR, line: 1 } });
    const rewritten = below.model?.limits[0]?.promptLookupIds ?? [];
    assert.equal(tokenizer.decode(rewritten), NOW.trimEnd(), 'not of the lines above');
    const length = tokenizer.encodeText(prompts[0] ?? '').length;
    for (const room of [1, 10]) assert.equal((await ask(length + room)).limits[0]?.maxTokens, room);
    const full = await ask(length);
    assert.deepEqual([full.prompts, full.outcomes], [[], ['filtered']]);
  });

  for (const [what, output, isCut] of [
    ['repeats the window', `\n${NOW}`, false],
    ['is cut off', '\nlet total = 0;\nfor (co', true],
    ['is cut off after a whole line', `\n${AFTER}`, true],
    ['takes back the last change', `\n${BEFORE}`, false],
    ['is empty', '', false],
    ['has marks of the format', `\n${AFTER.replace('return', '<|file_sep|> return')}`, false],
    ['deletes what was just typed', `\n${NOW.replace('total', 'tot')}`, false],
    ['has marks of another format', `\n${AFTER.replace('return', '<|fim_middle|> return')}`, false],
    ['ends with a token as text', `\n${AFTER}<|endoftext|>\n`, false],
    ['is blank', '\n\n\n\n', false],
    ['repeats the window twice', `\n${NOW}${NOW}`, false],
    ['ends with the fence of a chat', `\n${NOW}\`\`\`\n`, false],
    ['is noise', '\0\uFFFD<|<|\n\n\n"', false],
  ] as const)
    it(`shows nothing if the output ${what}`, async () => {
      const person = new Person(new ScriptedModel([output], isCut)).types(BEFORE, NOW);
      assert.equal(await person.ask(), undefined);
      assert.deepEqual(person.logs, []);
      assert.deepEqual(person.model?.outcomes, [what === 'repeats the window' ? 'empty' : 'filtered']);
    });

  it('shows no lines that Sweep adds or drops at the end of a window, unless the document ends there too', async () => {
    const lines = (from: number, to: number): string =>
      Array.from({ length: to - from }, (_, i) => `f${String(from + i)}();\n`).join('');
    for (const format of [sweepOne, sweepTwo])
      for (const [rest, output, shown] of [
        [lines(0, 40), lines(0, 10), undefined],
        [lines(0, 40), lines(0, 8), undefined],
        [lines(0, 40), `${lines(0, 9)}}\n`, undefined],
        [lines(0, 40), `${lines(0, 9)}\nThis adds a loop.\n`, undefined],
        [lines(0, 9), `${lines(0, 9)}last();\n`, 'last();\n'],
        [lines(0, 9), lines(0, 8), ''],
        [lines(0, 9), lines(0, 8).trimEnd(), undefined],
      ] as const) {
        const texts = ['let n = 0;\n', 'let total = 0;\n'].map((text) => `${text}g(n);\n${rest}`);
        const person = new Person(new ScriptedModel([`\nlet total = 0;\ng(n);\n${output}`]), format);
        assert.equal((await person.types(...texts).ask())?.edit.newText, shown, output);
      }
  });

  it('shows no change that repeats a line and changes another', async () => {
    const lines = ['let total = 0;', '', 'g(n);', 'h(1);', 'i(2);'];
    const output = [lines[0], ...lines].join('\n').replace('g(n)', 'g(total)');
    for (const format of [sweepOne, sweepTwo]) {
      const person = new Person(new ScriptedModel([`\n${output}\n`]), format);
      const text = `${lines.join('\n')}\n`;
      assert.equal(await person.types(text.replace('total', 'n'), text).ask(), undefined, format.name);
    }
  });

  it('reads the lines of an output with either line end', async () => {
    for (const [eol, textEol] of [
      ['\r\n', '\n'],
      ['\r\n', '\r\n'],
    ] as const) {
      const [before, now] = [BEFORE, NOW].map((text) => text.replaceAll('\n', textEol));
      const person = new Person(new ScriptedModel([OUTPUT.replaceAll('\n', eol)]));
      const found = await person.types(before ?? '', now ?? '').ask();
      assert.equal(found?.edit.newText, `total += x;${textEol}return total`);
    }
  });

  it('reads the lines of an output with \\r\\n in a window that has blanks at line ends', async () => {
    const [before = '', now = '', output = ''] = [BEFORE, NOW, AFTER].map((text) => `${text}// x  \n`);
    const model = new ScriptedModel([`\n${output}`.replaceAll('\n', '\r\n')]);
    const found = await new Person(model).types(before, now).ask();
    assert.equal(found?.edit.newText, 'total += x;\nreturn total');
  });

  it('decodes the tags of Zeta to text', async () => {
    const model = new ScriptedModel([ZETA_OUTPUT]);
    model.tokenizer = new WordlessTokenizer(zeta21.spelled);
    await new Person(model, zeta21).types(BEFORE, NOW).ask();
    const ids = zeta21.spelled.map((token) => model.tokenizer.specialTokenId(token));
    assert.deepEqual(model.limits[0]?.spelledTokenIds, ids);
  });

  it('shows an edit of a line that has a mark of the format itself, but not in the format of Zeta', async () => {
    for (const [format, mark, isShown] of [
      [sweepOne, '<|file_sep|>', true],
      [sweepTwo, '<|cursor|>', true],
      [zeta21, '<|user_cursor|>', false],
    ] as const) {
      const [before, now, after] = ['n', 'n1', 'n2'].map(
        (name) => `${name};\nuse("${mark}", ${name[1] === '2' ? 2 : 1});\n`,
      );
      const output = format === zeta21 ? `<|marker_1|>${after ?? ''}<|marker_2|>` : (after ?? '');
      const person = new Person(new ScriptedModel([output]), format).types(before ?? '', now ?? '');
      assert.equal((await person.ask({ cursor: { line: 0, character: 2 } })) !== undefined, isShown, mark);
    }
  });

  it('shows no edit that adds a mark of the format of Zeta', async () => {
    const output = ZETA_OUTPUT.replace('return', '<[fim-middle]> return');
    const person = new Person(new ScriptedModel([output]), zeta21).types(BEFORE, NOW);
    assert.equal(await person.ask(), undefined);
  });

  it('shows no edit with an invisible character that the document does not have, except in emoji', async () => {
    const rest = Array.from({ length: 40 }, (_, i) => `f${String(i)}();\n`).join('');
    const hiding = ['\u202e', '\u2066', '\u200b', '\u200d', '\u{e0041}', '\u001b[8m'];
    for (const [mark, end, isShown] of [
      ...hiding.map((mark) => [mark, '', false] as const),
      ...hiding.map((mark) => [mark, `// ${mark}`, true] as const),
      ['\u2066', '// \u202e', false],
      ['👩\u200d💻❤\ufe0f', '', true],
      ['é\u00a0語', '', true],
    ] as const) {
      const output = AFTER.replace('return', `/*${mark}*/ return`) + rest;
      const model = new ScriptedModel([`\n${output}`]);
      const person = new Person(model).types(...[BEFORE, NOW].map((text) => text + rest + end));
      assert.equal((await person.ask()) !== undefined, isShown, JSON.stringify([mark, end]));
    }
  });

  it('shows nothing if the output takes back an earlier change alone', async () => {
    const first = 'let n = 0;\nfor (const x of xs) n += x;\nreturn n;\nend();\n';
    const second = first.replace('n =', 'total =');
    const third = second.replace('end', 'finish');
    for (const [output, isShown] of [
      [third.replace('total =', 'n ='), false],
      [third.replace('total =', 'count ='), true],
    ] as const) {
      const person = new Person(new ScriptedModel([`\n${output}`])).types(first, second, third);
      assert.equal((await person.ask()) !== undefined, isShown, output);
    }
  });

  it('sends a file with one of the marks of its format only to a model whose tokens are known', async () => {
    for (const [special, comment, promptCount, stopStrings] of [
      [SPECIAL, '// <|cursor|>', 1, []],
      [[], '// <|cursor|>', 0, undefined],
      [[], '// cursor', 1, SPECIAL],
    ] as const) {
      const model = new ScriptedModel([AFTER]);
      model.tokenizer = new WordlessTokenizer(special);
      await new Person(model, sweepTwo).types(BEFORE, `${NOW}${comment}\n`).ask();
      assert.equal(model.prompts.length, promptCount, comment);
      assert.deepEqual(model.limits[0]?.stopStrings, stopStrings);
    }
  });
});
