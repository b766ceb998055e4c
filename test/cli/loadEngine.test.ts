// Tests the folders that --target and --drafter name: clear errors for broken folders, and unusual names. The checks of
// the files are tested with the models.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { embeddedTarget } from '../support/embeddedFacts';
import { EMBEDDED_PAIR } from '../support/embeddedPair';
import { DFLASH, PAIR_TARGET, QWEN3 } from '../support/fixtures';
import { writeForged } from '../support/safetensorsFile';
import { temporaryFolder } from '../support/temporaryFolder';
import { writeJson } from '../support/tinyCheckpoint';
import { itComplainsAbout, type BadInput } from './complaint';
import { flashline } from './flashline';
import { outputOf, printedLine } from './printed';
import { writeSmallTarget } from './smallTarget';

const EMBEDDED_DRAFTER = resolve(EMBEDDED_PAIR.drafterDirectory);
const AWKWARD_NAME = 'mein Modell – größe 模型 😀 %20 "x"';

const target = (name: string) => ['generate', '--prompt', 'x', '--target', name];
const drafter = (name: string) => [...target(resolve(QWEN3)), '--drafter', name];

/** Optional files of a model that must not be links to missing files. */
const DANGLING = ['generation_config.json', 'tokenizer.json', 'tokenizer_config.json'];

const LFS_FILES = ['config.json', 'tokenizer.json', 'model.safetensors'];
/** Files of other formats, with words of the error. */
const OTHER_FORMATS = [
  ['model-Q4_K_M.gguf', 'GGUF', '--remote llama-server'],
  ['pytorch_model-00001-of-00002.bin', 'PyTorch', '*.safetensors'],
  ['adapter_model.safetensors', 'adapter', 'fuse'],
] as const;

const BAD: readonly BadInput[] = [
  ['a target that is not there', target('absent'), 'No model folder at ', 'absent'],
  ['an empty target', target('empty'), join('empty', 'config.json'), 'no readable file'],
  ['a config.json that is not JSON', target('not-json'), join('not-json', 'config.json'), 'invalid JSON'],
  ['a config.json without model_type', target('untyped'), 'model_type', 'nothing'],
  ['an unsupported model_type', target('unsupported'), 'Mamba is not supported; Qwen3.5 is.'],
  ['a model_type that moves the cursor', target('escape'), 'model_type [2J is not supported'],
  ['a repository of the model cache', target('models--a--b'), 'config.json', 'model cache', 'snapshots'],
  ['a target without weights', target('no-weights'), join('no-weights', 'model.safetensors'), 'no such file'],
  ['truncated weights', target('truncated'), join('truncated', 'model.safetensors'), 'a truncated file'],
  ['a forged header length', target('forged'), join('forged', 'model.safetensors'), 'header'],
  ['a missing shard', target('no-shard'), join('no-shard', 'model-00002-of-00002.safetensors')],
  ...[...DANGLING, 'model.safetensors'].map((name): BadInput => [
    `a link to nothing as ${name}`,
    target(`to-nothing-${name}`),
    name,
  ]),
  ['weights that are a link to itself', target('to-itself'), 'model.safetensors', 'ELOOP'],
  ...LFS_FILES.map((name): BadInput => [
    `a Git LFS pointer as ${name}`,
    target(`lfs-${name}`),
    name,
    'git lfs pull',
  ]),
  ...OTHER_FORMATS.flatMap(([name, ...mentions]): BadInput[] => [
    [`only ${name}`, target(`only-${name}`), 'config.json', ...mentions],
    [`${name} beside config.json`, target(`beside-${name}`), 'model.safetensors', ...mentions],
  ]),
  ['a tokenizer.json of another kind', target('no-tokenizer'), join('no-tokenizer', 'tokenizer.json')],
  [
    'a pair that is swapped',
    [...target(EMBEDDED_DRAFTER), '--drafter', resolve(PAIR_TARGET)],
    'a target model',
    'swap target and drafter',
  ],
  ['a drafter that is a file', drafter('file'), 'No model folder at ', 'file'],
  ['a drafter without a name', drafter(''), '--drafter', 'an empty string'],
  ['a drafter that is a target', drafter(resolve(QWEN3)), 'DFlashDraftModel', 'Qwen3ForCausalLM'],
  ['a drafter of another size', drafter('other-size'), 'hidden_size 64', '128', '--drafter none'],
  ['a drafter of another vocabulary', drafter('other-vocabulary'), 'vocab_size 256', '300'],
  ['a truncated drafter', drafter('truncated-drafter'), 'a truncated file'],
  [
    'a drafter that does not fit the embedded target',
    ['demo', '--drafter', resolve(DFLASH)],
    `hidden_size ${String(embeddedTarget.hiddenSize)}`,
  ],
];

/** Writes the folders and the file that `BAD` names; returns the folder that contains them. */
function writeBadFolders(): string {
  const parent = temporaryFolder();
  const folder = (name: string, copyOf?: string): string => {
    const path = join(parent, name);
    mkdirSync(path);
    if (copyOf !== undefined) cpSync(copyOf, path, { recursive: true });
    return path;
  };
  const config = (path: string, entries: object): void => {
    const original = JSON.parse(readFileSync(join(path, 'config.json'), 'utf8')) as object;
    writeJson(path, 'config.json', { ...original, ...entries });
  };
  writeFileSync(join(parent, 'file'), '');
  folder('empty');
  mkdirSync(join(folder('models--a--b'), 'snapshots'));
  writeFileSync(join(folder('not-json'), 'config.json'), '{"model_type": \n');
  writeJson(folder('untyped'), 'config.json', {});
  writeJson(folder('unsupported'), 'config.json', { model_type: 'mamba' });
  writeJson(folder('escape'), 'config.json', { model_type: '\u001b[2J' });
  writeFileSync(
    join(folder('no-weights'), 'config.json'),
    readFileSync(join(PAIR_TARGET, 'config.json'), 'utf8'),
  );
  truncateSync(join(folder('truncated', QWEN3), 'model.safetensors'), 500_000);
  truncateSync(join(folder('truncated-drafter', DFLASH), 'model.safetensors'), 300_000);
  writeForged(join(folder('forged', QWEN3), 'model.safetensors'), {}, { headerLength: 2n ** 60n });
  for (const name of [...DANGLING, 'model.safetensors']) {
    const path = join(folder(`to-nothing-${name}`, QWEN3), name);
    rmSync(path, { force: true });
    symlinkSync('../blobs/absent', path);
  }
  const weights = join(folder('to-itself', QWEN3), 'model.safetensors');
  rmSync(weights);
  symlinkSync('model.safetensors', weights);
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 9000000\n`;
  for (const name of LFS_FILES) writeFileSync(join(folder(`lfs-${name}`, QWEN3), name), pointer);
  for (const [name] of OTHER_FORMATS) {
    writeFileSync(join(folder(`only-${name}`), name), '');
    const beside = folder(`beside-${name}`);
    writeFileSync(join(beside, name), '');
    cpSync(join(PAIR_TARGET, 'config.json'), join(beside, 'config.json'));
  }
  // Without a tokenizer.json, no tokenizer_config.json is needed.
  writeJson(join(parent, 'to-nothing-tokenizer_config.json'), 'tokenizer.json', {});
  const weightMap = { 'model.norm.weight': 'model-00002-of-00002.safetensors' };
  writeJson(folder('no-shard', QWEN3), 'model.safetensors.index.json', { weight_map: weightMap });
  writeJson(folder('no-tokenizer', QWEN3), 'tokenizer.json', { model: { type: 'Other' } });
  config(folder('other-size', DFLASH), { hidden_size: 128 });
  config(folder('other-vocabulary', DFLASH), { vocab_size: 300 });
  return parent;
}

describe('the folders of a pair', () => {
  itComplainsAbout(BAD, writeBadFolders);

  it('can be relative and have spaces, quotes and any letters in their names', async () => {
    const cwd = temporaryFolder();
    writeSmallTarget({ folder: join(cwd, AWKWARD_NAME, 'target') });
    cpSync(DFLASH, join(cwd, AWKWARD_NAME, 'drafter'), { recursive: true });
    const args = ['generate', '--prompt', 'x', '--max-tokens', '4', '--json', '--device', 'cpu'];
    const pair = ['--target', join(AWKWARD_NAME, 'target'), '--drafter', join(AWKWARD_NAME, 'drafter')];
    const { tokenIds, stats } = printedLine(outputOf(await flashline([...args, ...pair], { cwd })));
    assert.equal(tokenIds.length, 4);
    assert.equal(stats['speculationOff'], null);
  });

  it('are the built-in ones by default, and another target has no default drafter', async () => {
    const args = ['generate', '--prompt', 'x', '--max-tokens', '2', '--json'];
    const small = printedLine(outputOf(await flashline([...args, '--target', writeSmallTarget()])));
    const embedded = printedLine(outputOf(await flashline(args, { cwd: temporaryFolder() })));
    assert.equal(small.stats['speculationOff'], 'no_drafter');
    assert.equal(embedded.stats['speculationOff'], null);
  });
});
