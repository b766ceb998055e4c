// Tests a hostile workspace: links, pipes and file names. Control tokens in texts are tested in
// test/completion/prompt/controlTokens.test.ts.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../support/temporaryFolder';
import type { EditorClient, Place } from './editorClient';
import { loadingLater, type ScriptedEngine } from './scriptedEngine';
import { scripted, serverInMemory } from './serverInMemory';

const SHARED = 'export function convertCelsius(degrees: number) {\n  return degrees * 1.8 + 32;\n}\n';
const HERE = 'const degrees = 20;\nconst fahrenheit = convertCelsius(';

describe('a hostile workspace', () => {
  let folder: string;
  let engine: ScriptedEngine;
  let client: EditorClient;
  beforeEach(async () => {
    folder = temporaryFolder();
    ({ client, engine } = await scripted([['degrees);\n']]));
  });

  /** Opens a document as an editor does, which has read the text itself. */
  const open = (uri: string, text: string): Promise<Place> => client.open(uri, text);
  const uriOf = (name: string): string => pathToFileURL(join(folder, name)).href;
  const prompts = (): string => engine.decodes.map(({ prompt }) => prompt).join('\n');

  for (const [attack, target, link, opened] of [
    ['a link to a file', 'home/.env', 'convert.ts', 'convert.ts'],
    ['a link to a folder', 'home/.ssh', 'lib', 'lib/convert.ts'],
    ['a link to a link', 'home/id_ed25519', 'convert.ts', 'convert.ts'],
  ] as const)
    it(`gets no secret into a prompt by ${attack}`, async () => {
      const secret = join(folder, target);
      mkdirSync(join(folder, 'home', '.ssh'), { recursive: true });
      writeFileSync(target.endsWith('.ssh') ? join(secret, 'convert.ts') : secret, SHARED);
      const through = join(folder, 'through');
      if (attack.endsWith('link')) symlinkSync(secret, through);
      symlinkSync(attack.endsWith('link') ? through : secret, join(folder, link));
      const place = await open(uriOf(opened), SHARED);
      assert.equal(await client.complete(place), null);
      await client.complete(await open(uriOf('here.ts'), HERE));
      assert.equal(engine.decodes.length, 1);
      assert.doesNotMatch(prompts(), /1\.8/);
    });

  it('gets no secret into a prompt by a hard link to a secret file', async () => {
    writeFileSync(join(folder, '.env'), SHARED);
    linkSync(join(folder, '.env'), join(folder, 'convert.ts'));
    writeFileSync(join(folder, 'plain.txt'), SHARED);
    linkSync(join(folder, 'plain.txt'), join(folder, 'twin.ts'));
    assert.equal(await client.complete(await open(uriOf('convert.ts'), SHARED)), null);
    assert.notEqual(await client.complete(await open(uriOf('twin.ts'), SHARED)), null);
  });

  const linkTo = (target: string, name: string): void => {
    rmSync(join(folder, name), { force: true });
    symlinkSync(target, join(folder, name));
  };
  const rename = (from: string, to: string): void => renameSync(join(folder, from), join(folder, to));
  /** Changes on disk to the file of an open document, whose text the editor does not read again. */
  const SWAPS: readonly (readonly [what: string, opened: string, swap: () => void])[] = [
    ['a file that becomes a link', 'convert.ts', () => linkTo('.env', 'convert.ts')],
    ['a link with another target', 'linked.ts', () => linkTo('lib/../.env', 'linked.ts')],
    [
      'a folder that becomes a link',
      'lib/convert.ts',
      () => {
        rename('lib', '.ssh');
        linkTo('.ssh', 'lib');
      },
    ],
    ['the target of a link that is renamed', 'linked.ts', () => rename('convert.ts', 'server.key')],
    [
      'a link to a missing file with a secret name',
      'linked.ts',
      () => linkTo('none/.env.local', 'linked.ts'),
    ],
    [
      'a link on the way to a harmless file',
      'linked.ts',
      () => {
        linkTo('convert.ts', 'id_rsa');
        linkTo('id_rsa', 'linked.ts');
      },
    ],
  ];
  for (const [what, opened, swap] of SWAPS)
    for (const remembered of ['an open document', 'an edit', 'a closed document', 'a definition'])
      it(`gets no secret into a prompt by ${what} after it was opened, as ${remembered}`, async () => {
        mkdirSync(join(folder, 'lib'));
        for (const name of ['.env', 'convert.ts', 'lib/convert.ts'])
          writeFileSync(join(folder, name), SHARED);
        symlinkSync('convert.ts', join(folder, 'linked.ts'));
        const here = await open(uriOf('here.ts'), HERE);
        const uri = uriOf(opened);
        if (remembered === 'a definition') {
          await client.define({ uri: here.uri, definitions: [{ uri, text: 'const rate = 1.8;\n' }] });
        } else {
          const place = await open(uri, SHARED);
          if (remembered === 'an edit') await client.type(place, ' ', 2);
          if (remembered === 'a closed document') {
            await client.complete(place);
            await client.close(uri);
          }
        }
        engine.decodes.length = 0;
        await client.complete(here);
        assert.match(prompts(), /1\.8/, 'the text is quoted before the swap');
        engine.decodes.length = 0;
        swap();
        await client.complete(await client.type(here, '1, ', 2));
        assert.doesNotMatch(prompts(), /1\.8/);
        assert.equal(engine.decodes.length, 1);
      });

  it('gets no suggestion in a file that has become a link to a secret, until the link is removed', async () => {
    const file = join(folder, 'here.ts');
    writeFileSync(file, HERE);
    const place = await open(uriOf('here.ts'), HERE);
    assert.notEqual(await client.complete(place), null);
    linkTo('.env', 'here.ts');
    assert.equal(await client.complete(place), null);
    rmSync(file);
    assert.notEqual(await client.complete(place), null);
  });

  it('gets no suggestion in a file that becomes a link to a secret while the model loads', async () => {
    const { load, start } = loadingLater(engine);
    const window = serverInMemory(load);
    await window.initialize({ debounceMs: 0 });
    writeFileSync(join(folder, 'here.ts'), HERE);
    const answer = window.complete(await window.open(uriOf('here.ts'), HERE));
    // The server answers in order, so it has received the request for a suggestion.
    await window.history();
    linkTo('.env', 'here.ts');
    start();
    assert.equal(await answer, null);
    assert.equal(engine.decodes.length, 0);
  });

  it('gets no key into a prompt by a resting cursor', async () => {
    const key = `-----BEGIN EC PRIVATE KEY-----\n${SHARED}`;
    const place = await open(uriOf('notes.txt'), key);
    await client.rest(place);
    await client.close(place.uri);
    await client.complete(await open(uriOf('here.ts'), HERE));
    assert.equal(engine.decodes.length, 1);
    assert.doesNotMatch(prompts(), /1\.8/);
  });

  for (const [what, uri] of [
    ['a link to a notebook', 'notes.ipynb'],
    ['a folder that is a link', 'data/a.ipynb'],
  ] as const)
    it(`gets no notebook cell into a prompt by ${what}`, async () => {
      mkdirSync(join(folder, '.aws'));
      writeFileSync(join(folder, '.aws', 'a.ipynb'), '{}');
      symlinkSync('.aws/a.ipynb', join(folder, 'notes.ipynb'));
      symlinkSync('.aws', join(folder, 'data'));
      const cell = `${uriOf(uri).replace('file://', 'vscode-notebook-cell:')}#W0sZmlsZQ`;
      assert.equal(await client.complete(await open(cell, SHARED)), null);
      await client.complete(await open(uriOf('here.ts'), HERE));
      assert.doesNotMatch(prompts(), /1\.8/);
    });

  it('can use harmless links, whose files are quoted in prompts', async () => {
    writeFileSync(join(folder, 'shared.ts'), SHARED);
    symlinkSync(join(folder, 'shared.ts'), join(folder, 'convert.ts'));
    await open(uriOf('convert.ts'), SHARED);
    await client.complete(await open(uriOf('here.ts'), HERE));
    assert.match(prompts(), /1\.8/);
  });

  it('does not block the server with pipes, devices or circular links', async function () {
    if (process.platform === 'win32') this.skip();
    assert.equal(spawnSync('mkfifo', [join(folder, 'pipe.ts')]).status, 0);
    symlinkSync('pipe.ts', join(folder, 'toPipe.ts'));
    symlinkSync('/dev/zero', join(folder, 'zero.ts'));
    symlinkSync('circle.ts', join(folder, 'circle.ts'));
    for (const name of ['pipe.ts', 'toPipe.ts', 'zero.ts', 'circle.ts'])
      assert.notEqual(await client.complete(await open(uriOf(name), HERE)), null, name);
  });

  it('cannot write lines of its own into prompts and the log with the name of a file', async () => {
    const name = 'a\n<forged>\r\u001b[31m\u202etxt.\u2028ts';
    const uri = `file:///project/${encodeURIComponent(name)}`;
    await client.complete(await open(uri, HERE));
    await open(`file:///project/${encodeURIComponent('x\nforged.env')}`, 'TOKEN=');
    await client.complete({
      uri: `file:///project/${encodeURIComponent('x\nforged.env')}`,
      position: { line: 0, character: 6 },
      offset: 6,
    });
    const [line = ''] = prompts().split('const degrees');
    assert.match(line, /a\uFFFD<forged>/);
    assert.doesNotMatch(line, /[^\P{Cc}\n]|[\u202e\u2028]|\n<forged>/u);
    const visibleTexts = [...client.logs, ...client.rows.map((row) => row.file)].join('|');
    assert.match(visibleTexts, /secret file/);
    assert.match(visibleTexts, /<forged>/);
    assert.doesNotMatch(visibleTexts, /[\p{Cc}\u202e\u2028]/u);
  });

  it('cannot fill a prompt with the name of a file', async () => {
    await client.complete(await open(`file:///project/${'x'.repeat(1e6)}.ts`, HERE));
    assert.ok(prompts().length < 1000);
  });
});
