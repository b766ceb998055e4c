// Tests malicious model files: whatever they contain, loading and using them ends with an error.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mock } from 'node:test';
import { Script } from 'node:vm';
import { CpuLimit, CpuLimitReached } from '../../../server/machine/cpuLimit';
import { ConfigFields } from '../../../server/models/checkpoint/configFields';
import { usableTemplate } from '../../support/chatTemplate';
import { readSafetensors } from '../../../server/models/checkpoint/safetensors';
import { Shards } from '../../../server/models/checkpoint/shards';
import { loadTokenizer } from '../../../server/models/text/loadTokenizer';
import { EMBEDDED_PAIR } from '../../support/embeddedPair';
import { assertRefused } from '../../support/refusal';
import { writeForged } from '../../support/safetensorsFile';
import { temporaryFolder } from '../../support/temporaryFolder';
import { writeJson } from '../../support/tinyCheckpoint';

const DEEP = 1_000_000;
/** Short time limit for these tests. A test below compares the real limits with the threat model. */
const SOON_MS = 200;
const NESTED = '['.repeat(DEEP) + ']'.repeat(DEEP);

const LOOPS = 'loops endlessly';

function shortenTimeLimits(): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method
  const { run } = CpuLimit.prototype;
  mock.method(CpuLimit.prototype, 'run', function (this: CpuLimit, _: number, work: () => unknown) {
    return run.call(this, SOON_MS, work);
  });
}

/** Asserts that work was stopped when its time was over, by an error whose message begins with `subject`. */
function assertStopped(work: () => unknown, subject: string): void {
  assert.throws(
    work,
    (error) =>
      error instanceof CpuLimitReached &&
      error.message.startsWith(subject) &&
      / used \S+ s of processor time .+\. Use \S/.test(error.message),
  );
}

describe('a hostile chat template', () => {
  afterEach(() => {
    mock.restoreAll();
  });

  const BOMBS = {
    [LOOPS]: '{% for i in range(90000) %}{% for j in range(90000) %}{% endfor %}{% endfor %}',
    'doubles a text':
      '{% set n = namespace(a="ab") %}{% for i in range(99) %}{% set n.a = n.a + n.a %}{% endfor %}',
    'doubles a list':
      '{% set n = namespace(a=[1]) %}{% for i in range(99) %}{% set n.a = n.a + n.a %}{% endfor %}',
    'repeats a list': '{% set a = [1] * 9000000 %}',
    'pads a number': '{% set a = "1".zfill(20000000) %}',
    'pads a number in a format': '{% set a = "%020000000d" % 1 %}',
    'replaces with a long text': '{% set a = ("x" * 100000).replace("x", "y" * 1000, 99999) %}',
    'formats a long text': '{% set a = ("{0}" * 1000).format("x" * 100000) %}',
    'writes endlessly':
      '{% for i in range(90000) %}{% for j in range(90000) %}' + 'x'.repeat(200) + '{% endfor %}{% endfor %}',
    'writes more than a prompt has': '{% for i in range(90000) %}' + 'x'.repeat(1000) + '{% endfor %}',
    'is nested too deeply': `{{ ${'('.repeat(100_000)}1${')'.repeat(100_000)} }}`,
  };
  for (const [what, template] of Object.entries(BOMBS))
    it(`fails with an error when it ${what}`, async () => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'chat_template.jinja'), template);
      const render = () => usableTemplate(folder)?.([{ role: 'user', content: 'Hello.' }]);
      if (what !== LOOPS) return await assertRefused(render, folder);
      shortenTimeLimits();
      assertStopped(render, `The chat template of ${folder}`);
    });

  it('fails with an error when it makes a range of more than 100,000 numbers or with a step of 0', async () => {
    const long = temporaryFolder();
    writeFileSync(join(long, 'chat_template.jinja'), '{{ range(100000) | length }}');
    assert.equal(usableTemplate(long)?.([{ role: 'user', content: 'Hello.' }])?.[0]?.text, '100000');
    for (const list of ['range(100001)', 'range(0, -1000000000, -1)', 'range(0, 9, 0)', 'range(9, 0, 0)']) {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'chat_template.jinja'), `{% for i in ${list} %}{% endfor %}`);
      await assertRefused(
        () => usableTemplate(folder)?.([{ role: 'user', content: 'Hello.' }]),
        'a range of',
      );
    }
  });
});

describe('a hostile tokenizer', () => {
  const text = readFileSync(join(EMBEDDED_PAIR.targetDirectory, 'tokenizer.json'), 'utf8');
  const withPattern = (field: 'pre_tokenizer' | 'normalizer', Regex: string): string => {
    const folder = temporaryFolder();
    const step =
      field === 'normalizer'
        ? { type: 'Replace', pattern: { Regex }, content: '' }
        : { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false };
    writeJson(folder, 'tokenizer.json', { ...(JSON.parse(text) as object), [field]: step });
    return folder;
  };

  for (const field of ['pre_tokenizer', 'normalizer'] as const)
    it(`is rejected at load when the pattern of its ${field} backtracks endlessly in common text`, () => {
      const folder = withPattern(field, '(\\p{L}+)+#');
      const soon = { loadMs: SOON_MS, callMs: SOON_MS };
      assertStopped(() => loadTokenizer(folder, soon), `The tokenizer in ${join(folder, 'tokenizer.json')}`);
    });

  it('is stopped in text that makes its pattern backtrack', () => {
    const folder = withPattern('pre_tokenizer', '(?:q#)|(?:(?:zq)+)+!');
    const tokenizer = loadTokenizer(folder, { loadMs: 60_000, callMs: SOON_MS });
    assert.ok(tokenizer);
    assertStopped(() => tokenizer.encodeText('zq'.repeat(60)), 'The tokenizer');
  });
});

describe('the time limits of model files', () => {
  it('equal those in the threat model', () => {
    const watched = mock.method(Script.prototype, 'runInContext');
    const folder = temporaryFolder();
    cpSync(join(EMBEDDED_PAIR.targetDirectory, 'tokenizer.json'), join(folder, 'tokenizer.json'));
    writeFileSync(join(folder, 'chat_template.jinja'), 'a');
    const tokenizer = loadTokenizer(folder) ?? assert.fail();
    tokenizer.encodeText('something new');
    // A long text gets a millisecond more for each 50 characters.
    tokenizer.encodeText('z '.repeat(2_500));
    usableTemplate(folder)?.([{ role: 'user', content: 'Hello.' }]);
    watched.mock.restore();
    const limits = watched.mock.calls.map(({ arguments: [, options] }) => options?.timeout);
    assert.deepEqual([...new Set(limits)], [60_000, 30_000, 30_100, 5_000]);
    const page = readFileSync('docs/threat-model.md', 'utf8');
    assert.match(page, /backtrack in a tokenizer +\| 30 seconds for a text, 60 for the load/);
    assert.match(page, /loop in a chat template +\| 5 seconds/);
  });

  // Decoding happens every few milliseconds, so a limit that is not needed would be costly.
  it('apply to decoding only if the decoder has a regular expression', () => {
    const file = join(EMBEDDED_PAIR.targetDirectory, 'tokenizer.json');
    const published = JSON.parse(readFileSync(file, 'utf8')) as { readonly decoder: object };
    for (const [pattern, isLimited] of [
      [{ Regex: 'never' }, true],
      [{ String: 'never' }, false],
    ] as const) {
      const folder = temporaryFolder();
      const decoders = [published.decoder, { type: 'Replace', pattern, content: '' }];
      writeJson(folder, 'tokenizer.json', { ...published, decoder: { type: 'Sequence', decoders } });
      const tokenizer = loadTokenizer(folder) ?? assert.fail();
      const ids = tokenizer.encodeText('some new words');
      const watched = mock.method(Script.prototype, 'runInContext');
      assert.equal(tokenizer.decode(ids), 'some new words');
      watched.mock.restore();
      assert.equal(watched.mock.callCount() > 0, isLimited);
    }
  });
});

describe('a hostile JSON file', () => {
  const fileOf = (write: (file: string) => void): string => {
    const file = join(temporaryFolder(), 'config.json');
    write(file);
    return file;
  };

  it('is rejected when it is nested too deeply', async () => {
    const file = fileOf((path) => writeFileSync(path, `{"hidden_size": ${NESTED}}`));
    await assertRefused(() => ConfigFields.read(file).integer('hidden_size'), file, 'levels');
  });

  it('is rejected unread when it is too large', async () => {
    const file = fileOf((path) => {
      writeFileSync(path, '{');
      truncateSync(path, 2e12);
    });
    await assertRefused(() => ConfigFields.read(file), file, 'a file of 2000.0 GB');
  });

  it('is rejected above 8 MB, or above 64 MB as a tokenizer or an index', async () => {
    const sparse = (folder: string, name: string, bytes: number): string => {
      writeFileSync(join(folder, name), '{}');
      truncateSync(join(folder, name), bytes);
      return folder;
    };
    const config = sparse(temporaryFolder(), 'config.json', 8e6 + 1);
    await assertRefused(() => ConfigFields.ofModel(config), config, 'a file of 8.0 MB, more than', '8.0 MB');
    const tokenizer = sparse(temporaryFolder(), 'tokenizer.json', 64e6 + 1);
    await assertRefused(() => loadTokenizer(tokenizer), tokenizer, 'a file of 64 MB, more than');
    const index = sparse(temporaryFolder(), 'model.safetensors.index.json', 64e6 + 1);
    await assertRefused(() => new Shards(index), index, 'a file of 64 MB, more than');
    // A file of exactly 8 MB is read.
    const text = `{"a": "${' '.repeat(8e6 - 9)}"}`;
    assert.equal(text.length, 8e6);
    assert.deepEqual(ConfigFields.read(fileOf((path) => writeFileSync(path, text))).names(), ['a']);
  });

  it('is rejected when it is a pipe without a writer, or a device', async function () {
    if (process.platform === 'win32') this.skip();
    const file = fileOf((path) => assert.equal(spawnSync('mkfifo', [path]).status, 0));
    await assertRefused(() => ConfigFields.read(file), file, 'a pipe');
    await assertRefused(() => ConfigFields.read('/dev/zero'), '/dev/zero', 'a device');
  });

  it('is not blamed when the process has too many open files', function () {
    if (process.platform === 'win32') this.skip();
    const file = fileOf((path) => writeFileSync(path, '{}'));
    for (const [module, read] of [
      ['configFields', `ConfigFields.read('${file}')`],
      ['safetensors', `readSafetensors('${file}')`],
      ['modelFolder', `namesInFolder('${dirname(file)}')`],
    ] as const) {
      const path = require.resolve(`../../../server/models/checkpoint/${module}`);
      const script = `const reader = require('${path}'); const { openSync } = require('node:fs');
      try { for (;;) openSync('/dev/null') } catch {} reader.${read}`;
      const limited = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, '-e', script];
      const { stderr } = spawnSync('sh', limited, { encoding: 'utf8' });
      assert.match(stderr, /got too many open files; close some/);
    }
  });

  it('is rejected as the header of weights when it is nested too deeply', async () => {
    const file = join(temporaryFolder(), 'model.safetensors');
    const header = `{"w": {"dtype": "F32", "shape": ${NESTED}, "data_offsets": [0, 4]}}`;
    writeForged(file, Buffer.from(header), { data: Buffer.alloc(4) });
    await assertRefused(() => readSafetensors(file), file);
  });
});
