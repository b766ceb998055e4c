// A workspace that means harm: links, pipes and names in it. What its files say in prompts is tested in
// test/completion/controlTokens.test.ts.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../support/temporaryFolder';
import type { EditorClient, Place } from './editorClient';
import { loading, ScriptedEngine } from './scriptedEngine';
import { serverInMemory } from './serverInMemory';

const SHARED = 'export function convertCelsius(degrees: number) {\n  return degrees * 1.8 + 32;\n}\n';
const HERE = 'const degrees = 20;\nconst fahrenheit = convertCelsius(';

describe('a hostile workspace', () => {
  let folder: string;
  let engine: ScriptedEngine;
  let client: EditorClient;
  beforeEach(async () => {
    folder = temporaryFolder();
    engine = new ScriptedEngine([['degrees);\n']]);
    client = serverInMemory(loading(engine));
    await client.start();
  });

  /** As an editor opens what lies at a path: it has read the text itself. */
  async function open(uri: string, text: string): Promise<Place> {
    const textDocument = { uri, languageId: 'typescript', version: 1, text };
    await client.connection.sendNotification('textDocument/didOpen', { textDocument });
    const lines = text.split('\n');
    const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
    return { uri, position, offset: text.length };
  }
  const uriOf = (name: string): string => pathToFileURL(join(folder, name)).href;
  const prompts = (): string => engine.asked.map(({ prompt }) => prompt).join('\n');

  for (const [what, target, link, opened] of [
    ['a link to a file', 'home/.env', 'convert.ts', 'convert.ts'],
    ['a link to a folder', 'home/.ssh', 'lib', 'lib/convert.ts'],
    ['a link to a link', 'home/id_ed25519', 'convert.ts', 'convert.ts'],
  ] as const)
    it(`gets no secret into a prompt by ${what}`, async () => {
      const secret = join(folder, target);
      mkdirSync(join(folder, 'home', '.ssh'), { recursive: true });
      writeFileSync(target.endsWith('.ssh') ? join(secret, 'convert.ts') : secret, SHARED);
      const through = join(folder, 'through');
      if (what.endsWith('link')) symlinkSync(secret, through);
      symlinkSync(what.endsWith('link') ? through : secret, join(folder, link));
      const place = await open(uriOf(opened), SHARED);
      assert.equal(await client.complete(place), null);
      await client.complete(await open(uriOf('here.ts'), HERE));
      assert.equal(engine.asked.length, 1);
      assert.doesNotMatch(prompts(), /1\.8/);
    });

  it('has what harmless links lead to in prompts', async () => {
    writeFileSync(join(folder, 'shared.ts'), SHARED);
    symlinkSync(join(folder, 'shared.ts'), join(folder, 'convert.ts'));
    await open(uriOf('convert.ts'), SHARED);
    await client.complete(await open(uriOf('here.ts'), HERE));
    assert.match(prompts(), /1\.8/);
  });

  it('does not hold the server up with pipes, devices and links in a circle', async function () {
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
    const told = [...client.logs, ...client.rows.map((row) => row.file)].join('|');
    assert.match(told, /secret file/);
    assert.match(told, /<forged>/);
    assert.doesNotMatch(told, /[\p{Cc}\u202e\u2028]/u);
  });

  it('cannot fill a prompt with the name of a file', async () => {
    await client.complete(await open(`file:///project/${'x'.repeat(1e6)}.ts`, HERE));
    assert.ok(prompts().length < 1000);
  });
});
