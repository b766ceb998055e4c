// Tests the arguments with which llama-server is started: those for the model and the drafter, and only options that
// the program lists.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { llamaArguments } from '../../server/remote/llamaArguments';
import { temporaryFolder } from '../support/temporaryFolder';

const REQUIRED = '--model --hf-repo --alias --host --port --model-draft --hf-repo-draft';
const OPTIONAL = '--no-webui --no-mmproj --ctx-size --cache-ram';
const KINDS = '--spec-type [none|draft-simple|ngram-mod]';
const ENDING = ['--host', '127.0.0.1'];

describe('the arguments of llama-server', () => {
  let folder: string;
  let model: string;
  beforeEach(() => {
    folder = temporaryFolder();
    model = join(folder, 'coder.gguf');
    writeFileSync(model, '');
  });

  /** Returns the arguments for a program that prints the help text. */
  const argumentsFor = (
    help: string,
    choice: { model?: string; drafter?: string } = {},
  ): Promise<string[]> => {
    const url = join(folder, 'llama-server');
    writeFileSync(url, `#!/bin/sh\necho '${help}'\n`, { mode: 0o755 });
    return llamaArguments({ url, model, tokenizer: '', ...choice });
  };

  it('name a file by its path, and a model of Hugging Face by its name', async () => {
    for (const [name, expected] of [
      [model, ['--model', model, '--alias', 'coder']],
      ['org/coder-GGUF', ['--hf-repo', 'org/coder-GGUF', '--alias', 'org/coder-GGUF']],
      ['org/coder-GGUF:Q8_0', ['--hf-repo', 'org/coder-GGUF:Q8_0', '--alias', 'org/coder-GGUF:Q8_0']],
    ] as const)
      assert.deepEqual(await argumentsFor(REQUIRED, { model: name }), [...expected, ...ENDING]);
    for (const [name, got] of [
      ['coder.gguf', 'got "coder\\.gguf"'],
      ['package.json', 'got "package\\.json"'],
      ['org/coder.gguf', 'got "org/coder\\.gguf"'],
      ['a/b/c', 'got "a/b/c"'],
      ['/no/coder.gguf', 'got /no/coder\\.gguf, where there is none'],
      ['', 'got nothing'],
    ] as const)
      await assert.rejects(
        argumentsFor(REQUIRED, { model: name }),
        new RegExp(`^UserError: Expected .* for llama-server, ${got};`),
      );
  });

  it('name a file in the home folder by its full path', async () => {
    const { HOME } = process.env;
    process.env['HOME'] = folder;
    try {
      assert.deepEqual((await argumentsFor(REQUIRED, { model: '~/coder.gguf' })).slice(0, 2), [
        '--model',
        model,
      ]);
      await assert.rejects(
        argumentsFor(REQUIRED, { model: '~/none.gguf' }),
        /, got ~\/none\.gguf, where there is none;/,
      );
    } finally {
      process.env['HOME'] = HOME;
    }
  });

  it('name the drafter by its kind and its model', async () => {
    const withKinds = `${REQUIRED} ${KINDS}`;
    for (const [help, drafter, expected] of [
      [withKinds, '', []],
      [withKinds, 'none', []],
      [withKinds, 'ngram-mod', ['--spec-type', 'ngram-mod']],
      [withKinds, `ngram-mod:${model}`, ['--spec-type', 'ngram-mod', '--model-draft', model]],
      [withKinds, model, ['--spec-type', 'draft-simple', '--model-draft', model]],
      [withKinds, 'org/small', ['--spec-type', 'draft-simple', '--hf-repo-draft', 'org/small']],
      [REQUIRED, model, ['--model-draft', model]],
    ] as const)
      assert.deepEqual(
        await argumentsFor(help, { drafter }),
        ['--model', model, ...expected, '--alias', 'coder', ...ENDING],
        drafter,
      );
    await assert.rejects(argumentsFor(REQUIRED, { drafter: 'ngram-mod' }), /got "ngram-mod"; /);
  });

  it('omit options that the program does not know or the environment sets', async () => {
    const options = async (help: string): Promise<string[]> => (await argumentsFor(help)).slice(6);
    const sizes = ['--ctx-size', '8192', '--cache-ram', '1024'];
    assert.deepEqual(await options(`${REQUIRED} ${OPTIONAL}`), ['--no-webui', '--no-mmproj', ...sizes]);
    assert.deepEqual(await options(`${REQUIRED} --cache-ram`), ['--cache-ram', '1024']);
    const environment = process.env;
    process.env = { ...environment, LLAMA_ARG_CTX_SIZE: '', LLAMA_ARG_CACHE_RAM: '9' };
    try {
      assert.deepEqual(await options(`${REQUIRED} ${OPTIONAL}`), ['--no-webui', '--no-mmproj']);
    } finally {
      process.env = environment;
    }
  });

  it('need a program that can be run and knows the required options', async () => {
    await assert.rejects(
      argumentsFor(REQUIRED.replace('--alias', '')),
      /^UserError: This llama-server is too old: it does not know --alias\. Update llama\.cpp\.$/,
    );
    const url = join(folder, 'llama-server-2');
    writeFileSync(url, '#!/bin/sh\necho oops >&2\nexit 3\n', { mode: 0o755 });
    await assert.rejects(
      llamaArguments({ url, model, tokenizer: '' }),
      /^UserError: The llama-server at \S+ cannot be run \([^]*oops[^]*\)\. Install llama\.cpp/,
    );
  });
});
