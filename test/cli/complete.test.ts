// Tests `flashline complete` and `flashline demo`: the file becomes a Qwen fill-in-the-middle prompt, and the output is
// shown in place. The small target writes a different text for each prompt, so equal texts mean equal prompts.
import assert from 'node:assert/strict';
import { visibleText } from '../../server/rules/visibleText';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { decodeFillIn } from '../../server/cli/fillIn';
import { withLf } from '../../server/completion/prompt/lineEnds';
import type { Engine } from '../../server/engine/engine';
import { ScriptedEngine } from '../lsp/scriptedEngine';
import { fake } from '../support/fake';
import { DFLASH, QWEN3 } from '../support/fixtures';
import { OpenAiServer, sendJson, streaming } from '../remote/openAiServer';
import { temporaryFolder } from '../support/temporaryFolder';
import { itComplainsAbout } from './complaint';
import { flashline, flashlines } from './flashline';
import { outputAndPrompt, outputOf, printedLine, printedLines, RESULT_KEYS, type Printed } from './printed';
import { byteIds, fimId, writeSmallTarget } from './smallTarget';

const CONTEXT = 512;
const SPELLED = '// <|fim_middle|>\n<|endoftext|>';

interface Cursor {
  readonly where: string;
  readonly lineAndColumn: string;
  readonly prefix: string;
  readonly suffix: string;
}

const CURSORS: readonly Cursor[] = [
  {
    where: 'in the middle of a line',
    lineAndColumn: '2:7',
    prefix: 'let a;\nlet b ',
    suffix: '= 1;\nlet c;\n',
  },
  {
    where: 'after an emoji, two columns wide',
    lineAndColumn: '1:14',
    prefix: 'const a = "😀',
    suffix: '";\n',
  },
  {
    where: 'in a file with CRLF',
    lineAndColumn: '2:10',
    prefix: 'def a(x):\r\n  return ',
    suffix: '\r\nb = 1\r\n',
  },
  { where: 'in an empty file', lineAndColumn: '1:1', prefix: '', suffix: '' },
  {
    where: 'after spelled special tokens',
    lineAndColumn: '2:14',
    prefix: SPELLED,
    suffix: '<|fim_suffix|>',
  },
];

describe('flashline complete', () => {
  const folder = temporaryFolder();
  const options = [...'--device cpu --max-tokens 12 --target small --drafter'.split(' '), resolve(DFLASH)];
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return name;
  };
  const nameOf = (i: number): string => `place ${String(i)}.ts`;

  before(() => {
    writeSmallTarget({ folder: join(folder, 'small'), context: CONTEXT });
    writeSmallTarget({ folder: join(folder, 'no-fim'), specialTokens: ['<|fim_prefix|>', '<|fim_suffix|>'] });
    for (const [i, { prefix, suffix }] of CURSORS.entries()) write(nameOf(i), prefix + suffix);
  });

  const location = `${nameOf(0)}:1:1`;
  itComplainsAbout(
    [
      ['a target without a tokenizer', ['complete', location, '--target', resolve(QWEN3)], 'tokenizer.json'],
      [
        'a target that cannot infill',
        ['complete', location, '--target', 'no-fim'],
        '<|fim_middle|>',
        'qwen3',
      ],
      [
        'a missing file before a missing target',
        ['complete', 'absent:1:1', '--target', 'absent'],
        'a file at',
      ],
    ],
    () => folder,
  );

  describe('prompts in the trained form', () => {
    let completed: Printed[];
    let expected: Printed[];
    before(async () => {
      const runs = CURSORS.map(({ lineAndColumn }, i) => {
        const file = `${nameOf(i)}:${lineAndColumn}`;
        return ['complete', file, '--json', ...options];
      });
      completed = (await flashlines(runs, { cwd: folder })).map((outcome) => printedLine(outputOf(outcome)));
      const prompts = CURSORS.map((cursor, i) => {
        const [prefix, suffix] = [withLf(cursor.prefix), withLf(cursor.suffix)];
        const [sep, pre] = [fimId('<|file_sep|>'), fimId('<|fim_prefix|>')];
        const [suf, mid] = [fimId('<|fim_suffix|>'), fimId('<|fim_middle|>')];
        const head = [sep, ...byteIds(`${nameOf(i)}\n`), pre];
        const promptIds = [...head, ...byteIds(prefix), suf, ...byteIds(suffix), mid];
        const prompt = `<|file_sep|>${nameOf(i)}\n<|fim_prefix|>${prefix}<|fim_suffix|>${suffix}<|fim_middle|>`;
        return prefix === SPELLED ? { promptIds } : { prompt };
      });
      const file = write('prompts.jsonl', prompts.map((prompt) => JSON.stringify(prompt)).join('\n'));
      const outcome = await flashline(['generate', '--batch', file, ...options], { cwd: folder });
      expected = printedLines(outputOf(outcome));
    });

    for (const [i, { where, lineAndColumn }] of CURSORS.entries()) {
      it(`give the output of flashline generate ${where}`, () => {
        const { file, line, column, ...result } = completed[i] as unknown as Record<string, unknown>;
        assert.deepEqual([file, `${String(line)}:${String(column)}`], [nameOf(i), lineAndColumn]);
        assert.deepEqual(Object.keys(result), RESULT_KEYS);
        const [completion, generation] = [completed[i] ?? assert.fail(), expected[i] ?? assert.fail()];
        const lineEnd = CURSORS[i]?.prefix.includes('\r\n') ? '\r\n' : '\n';
        const text = generation.text?.replaceAll('\n', lineEnd) ?? null;
        assert.deepEqual(outputAndPrompt(completion), outputAndPrompt({ ...generation, text }));
      });
    }

    it('differ for every cursor position', () => {
      assert.equal(new Set(completed.map(({ text }) => text)).size, CURSORS.length);
    });
  });

  it('fills more than 7/8 of the prompt budget from a longer file', async () => {
    const file = write('long.ts', 'let x;\n'.repeat(200));
    const outcome = await flashline(['complete', `${file}:100:3`, '--json', ...options], { cwd: folder });
    const { stats, tokenIds } = printedLine(outputOf(outcome));
    const promptTokens = Number(stats['promptTokens']);
    assert.ok(promptTokens <= CONTEXT - 12 && promptTokens > (CONTEXT - 12) * (7 / 8), String(promptTokens));
    assert.equal(tokenIds.length, 12);
  });

  it('shows the text in place, between brackets where there are no colours', async () => {
    const args = ['complete', `${nameOf(0)}:2:7`, ...options];
    const [shown, printed] = await flashlines([args, [...args, '--json']], { cwd: folder });
    const { text } = printedLine(outputOf(printed));
    const [first = '', table = ''] = outputOf(shown).split('\n\n  prompt tokens');
    assert.equal(first, `${nameOf(0)}:2\n\nlet a;\nlet b ⟦${visibleText(text ?? '')}⟧= 1;\nlet c;\n`);
    assert.match(table, /\n {2}emitted tokens +12 in \d+ rounds?\n(.*\n)+ {2}speculation +on\n$/);
  });

  it('drafts as many tokens as --draft-length says', async () => {
    const words = ['complete', location, '--json', ...options, '--draft-length'];
    const runs = ['0', '2'].map((length) => [...words, length]);
    const [none, two] = (await flashlines(runs, { cwd: folder })).map(
      (outcome) => printedLine(outputOf(outcome)).stats,
    );
    assert.deepEqual([none?.['speculationOff'], none?.['draftedByPosition']], ['draft_length_zero', []]);
    assert.equal(two?.['speculationOff'], null);
    assert.equal((two?.['draftedByPosition'] as number[]).length, 2);
  });

  it('draws as many alternatives as --alternatives says, from one prefill', async () => {
    const draws = ['--temperature', '1', '--top-k', '100'];
    const args = ['complete', `${nameOf(0)}:2:7`, '--json', ...options, ...draws];
    const [three, second] = await flashlines(
      [
        [...args, '--alternatives', '3', '--seed', '4294967295'],
        [...args, '--seed', '0'],
      ],
      { cwd: folder },
    );
    const printed = printedLines(outputOf(three));
    assert.deepEqual(
      printed.map(({ stats }) => stats['seed']),
      [4294967295, 0, 1],
    );
    assert.equal(new Set(printed.map(({ text }) => text)).size, 3);
    const unread = printed.map(({ stats }) => Number(stats['promptTokens']) - Number(stats['reusedTokens']));
    assert.deepEqual(unread.slice(1), [1, 1]);
    assert.deepEqual(printed[1]?.tokenIds, printedLine(outputOf(second)).tokenIds);
  });

  it('shows the seed that reproduces a drawn text', async () => {
    const args = ['complete', `${nameOf(0)}:2:7`, ...options, '--temperature', '1'];
    const { stdout } = await flashline([...args, '--acceptance', 'rejection'], { cwd: folder });
    const [, seed = ''] = /\n {2}seed +(\d+) \(rejection\)\n$/.exec(stdout) ?? [];
    const again = await flashline([...args, '--acceptance', 'rejection', '--seed', seed], { cwd: folder });
    const shown = (text: string) => text.split('\n\n  prompt tokens')[0];
    assert.equal(shown(outputOf(again)), shown(stdout));
  });

  it('shows only a few lines around the cursor', async () => {
    const lines = Array.from({ length: 60 }, (_, i) => `line ${String(i + 1)}\n`).join('');
    const args = ['complete', `${write('lines.txt', lines)}:30:5`, ...options];
    const shown = outputOf(await flashline(args, { cwd: folder }));
    assert.ok(shown.includes('line 18\n') && shown.includes('line⟦') && shown.includes('line 41\n'));
    assert.ok(!shown.includes('line 17\n') && !shown.includes('line 42\n'));
  });

  describe('with a remote engine', () => {
    let server: OpenAiServer;
    beforeEach(async () => {
      server = await OpenAiServer.start();
    });
    afterEach(() => server.stop());
    const completeRemotely = (file: string, ...more: readonly string[]) =>
      flashline(['complete', `${file}:2:7`, '--remote', server.url, ...more], { cwd: folder });

    it('sends a file that may contain secrets only with --allow-secret', async () => {
      mkdirSync(join(folder, '.ssh'), { recursive: true });
      const text = 'A=1\nTOKEN=hunter2\n';
      const key = '# key\nTOKEN= \n-----BEGIN EC PRIVATE KEY-----\n';
      symlinkSync('.env', join(folder, 'linked.ts'));
      for (const [name, secret] of [
        ['.env', text],
        ['server.key~', text],
        ['.ssh/config', text],
        ['linked.ts', text],
        ['notes.txt', key],
      ] as const) {
        if (name !== 'linked.ts') write(name, secret);
        const { code, stderr } = await completeRemotely(name);
        assert.equal(code, 2, name);
        assert.match(stderr, /may contain secrets\. Leave --remote out, or add --allow-secret/);
      }
      assert.deepEqual(server.paths, []);
      assert.equal((await completeRemotely('.env', '--allow-secret')).code, 0);
      assert.equal(server.requests.length, 1);
    });

    it('reports that a server does not get the text after the cursor', async () => {
      server.respond = (response, request) =>
        'suffix' in request.body ? sendJson(response, 400, {}) : streaming(['fine'])(response, request);
      write('half.ts', 'f();\nconst a = ;\nlast();\n');
      const { code, stderr } = await completeRemotely('half.ts');
      assert.deepEqual([code, server.requests.at(-1)?.body['suffix']], [0, undefined]);
      assert.match(stderr, /127\.0\.0\.1:\d+ cannot fill in, so it got only the text before the cursor\n/);
    });

    it('makes control characters visible, and escapes them in JSON', async () => {
      const text = '\x1b]52;c;cm0=\x07\x1b[2J\u009b2J\u202e\b\r\t!\u200b\ufeff\u{e0041}👩\u200d💻❤\ufe0f\r\n';
      server.respond = streaming([text]);
      const file = write('esc.ts', 'let a;\x1b[31m\nlet b = 1;\n');
      const shown = await completeRemotely(file);
      assert.ok(shown.stdout.includes('let a;␛[31m\n'), shown.stdout);
      assert.ok(
        shown.stdout.includes(
          '␛]52;c;cm0=␇␛[2J\\u009b2J\\u202e␈␍\t!\\u200b\\ufeff\\u{e0041}👩\u200d💻❤\ufe0f\r\n',
        ),
        shown.stdout,
      );
      const json = outputOf(await completeRemotely(file, '--json'));
      assert.equal(printedLine(json).text, text);
      assert.doesNotMatch(json.trimEnd(), /\p{Cc}|\p{Cf}|\u2028|\ufe0f/u);
      server.models = { data: [{ id: 'm\x1b[2J\u202e' }, { id: 'n' }] };
      const { code, stderr } = await completeRemotely(file);
      assert.deepEqual([code, /[\p{Cc}\u202e]/u.test(stderr.trimEnd())], [2, false], stderr);
    });
  });

  it('warns about a file that may contain secrets, and completes it', async () => {
    const file = write('prod.env', 'TOKEN=1\nOTHER=2\n');
    const { code, stdout, stderr } = await flashline(['complete', `${file}:2:7`, ...options], {
      cwd: folder,
    });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^prod\.env:2\n\nTOKEN=1\nOTHER=⟦/);
    assert.equal(stderr, 'flashline: prod.env may contain secrets; editors get no suggestions in it\n');
  });

  describe('as a demo', () => {
    it('completes a bundled example with the embedded pair when no location is given', async () => {
      const args = ['demo', '--max-tokens', '8', '--device', 'cpu', '--json'];
      const outcome = await flashline(args, { cwd: folder });
      const printed = printedLine(outputOf(outcome)) as Printed & { readonly file: string };
      assert.equal(printed.file, resolve('media/examples', basename(printed.file)));
      assert.ok(printed.text);
      assert.equal(printed.stats['speculationOff'], null);
    });

    it('resolves a path against the folder where npm was called, else against its working folder', async () => {
      const small = ['--json', ...options.with(options.indexOf('small'), join(folder, 'small'))];
      const args = ['demo', `${nameOf(0)}:2:7`, ...small];
      const runs = await Promise.all([
        flashline(args, { initCwd: folder }),
        flashline(args, { cwd: folder }),
        flashline(args.with(1, join(folder, args[1] ?? '')), { initCwd: temporaryFolder() }),
      ]);
      for (const outcome of runs) {
        const { file, tokenIds } = printedLine(outputOf(outcome)) as Printed & { readonly file: string };
        assert.equal(file, join(folder, nameOf(0)));
        assert.equal(tokenIds.length, 12);
      }
    });
  });
});

describe('a fill-in with a healed prompt', () => {
  /** Fills in between `ab` and the end, with these outputs for the prompts `` and `ab`. */
  async function filledIn(outputs: readonly (readonly string[])[], signal?: AbortSignal) {
    const engine = new ScriptedEngine(outputs);
    const promptIds = engine.tokenizer.encodeText('ab');
    const prompt = { promptIds, healed: { ids: [], removed: 'ab' }, lineEnd: '\r\n', isCut: false } as const;
    const result = await decodeFillIn(fake<Engine>(engine), prompt, { maxTokens: 5, signal });
    const limits = engine.decodes.map((decode) => [decode.prompt, decode.options.maxTokens]);
    return { result, limits, tokens: engine.tokenizer.decode(result.tokenIds ?? []) };
  }

  it('leaves out the repeated text and its tokens, and has the line ends of the file', async () => {
    const { result, limits, tokens } = await filledIn([['a', 'bc\n']]);
    assert.deepEqual([result.text, tokens, limits], ['c\r\n', 'c\n', [['', 7]]]);
  });

  it('decodes the plain prompt if the output does not begin with the removed text', async () => {
    for (const first of [['x'], ['a'], []]) {
      const { result, limits, tokens } = await filledIn([first, ['c']]);
      const prompts = [
        ['', 7],
        ['ab', 5],
      ];
      assert.deepEqual([result.text, tokens, limits], ['c', 'c', prompts]);
    }
  });

  it('decodes no further prompt once it is cancelled', async () => {
    const { result, limits } = await filledIn([['x'], ['c']], AbortSignal.abort());
    assert.deepEqual([result.text, limits.length], ['', 1]);
  });
});
