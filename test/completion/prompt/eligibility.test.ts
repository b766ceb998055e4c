// Tests which documents may enter prompts, by name and by text.
import assert from 'node:assert/strict';
import { symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  documentSnapshot,
  mayEnterPrompts,
  whyIneligible,
} from '../../../server/completion/prompt/eligibility';
import { temporaryFolder } from '../../support/temporaryFolder';

const FRENCH = "// git-add - Ajoute le contenu de fichiers à l'index, préparé pour l'étape d'après\n";
/** Returns a line of Git's French manual pages in Latin-1, wrongly decoded as UTF-8. */
const latin1 = (times: number): string => Buffer.from(FRENCH.repeat(times), 'latin1').toString('utf8');
const BYTES = Buffer.from(Array.from({ length: 4000 }, (_, i) => 1 + ((i * 7919) % 255))).toString('utf8');

/** Names by the reason for which they may not enter prompts; `undefined` for names that may. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  secret: [
    'SERVER.KEY',
    'home/.ssh/config',
    'C:\\Users\\me\\.kube\\config',
    'file:///home/me/%2Eenv',
    'file:///home/c#/.env',
    'vscode-remote://ssh/home/me/.env?a#b',
    'vscode-remote://ssh/a/server.pem?a#b',
  ],
  binary: ['table.parquet'],
  minified: ['jquery.min.js'],
  undefined: ['key.ts', 'a%.ts', 'file:///home/a%.ts', 'file:///home/c#/a.ts?b'],
};
/** Texts by the reason for which they may not enter prompts; `undefined` for texts that may. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  binary: ['a\0b', '\ufffd\u0001abc'.repeat(50), '\ufffdabc'.repeat(50), BYTES],
  minified: [`/* license */\n${'a=1;'.repeat(3000)}`, `${'x'.repeat(900)}\n`.repeat(20)],
  large: ['const a = 1;\n', 'a\0b', 'x'].map((text) => text.repeat(5e6)),
  undefined: [
    'const a = "ü → 😀";\n'.repeat(2000),
    'x'.repeat(900),
    // Text in another encoding.
    '// \ufffd\ufffd\n',
    '\ufffd',
    '# \u001b\u0007\n',
    latin1(1),
    latin1(100),
  ],
};

describe('a document for prompts', () => {
  const labelOf = (reason: string): string => (reason === 'undefined' ? 'eligible' : reason);
  const assertReason = (reason: string, text: string, uri = 'a.ts', fileName = uri): void => {
    const document = { uri, fileName, languageId: 'typescript', text };
    assert.equal(String(whyIneligible(documentSnapshot(document))), reason, `${uri} ${text.slice(0, 20)}`);
  };
  for (const [reason, names] of Object.entries(NAMES))
    it(`is ${labelOf(reason)} by its name, also in an encoded URI`, () => {
      for (const name of names) assertReason(reason, '', name, reason === 'secret' ? 'a.ts' : name);
    });

  for (const [reason, texts] of Object.entries(TEXTS))
    it(`is ${labelOf(reason)} by its text`, () => {
      for (const text of texts) assertReason(reason, text);
    });

  it('is secret by the name that prompts show, and by a key in its text', () => {
    const key = '-----BEGIN PRIVATE KEY-----\nabc\n';
    const middle = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5kL7nP9rR1tT3vV5xX7zZ9bB1dD3f\n'.repeat(3);
    assertReason('secret', 'x', 'untitled:1', '.env');
    assertReason('secret', key);
    for (const [name, text, isEligible] of [
      ['a.ts', 'x', true],
      ['.env', 'x', false],
      ['a.ts', key, false],
      ['a.ts', middle, false],
    ] as const)
      assert.equal(mayEnterPrompts(name, text), isEligible, name + text);
  });

  it('is secret where a link leads to a secret file, or to a file that is gone', () => {
    const folder = temporaryFolder();
    const [secret, plain, gone] = ['.env', 'plain.ts', 'gone.ts'].map((name) => join(folder, name));
    assert.ok(secret && plain && gone);
    for (const file of [secret, plain]) writeFileSync(file, '');
    const linkTo = (target: string): string => {
      const link = join(folder, `to${basename(target)}.ts`);
      symlinkSync(target, link);
      return link;
    };
    for (const [target, reason] of [
      [secret, 'secret'],
      [plain, 'undefined'],
      [gone, 'secret'],
    ] as const) {
      const link = linkTo(target);
      const { href, pathname } = pathToFileURL(link);
      for (const uri of [
        href,
        link,
        `file:${pathname}`,
        `FILE://localhost${pathname}`,
        `${href}?a`,
        `${href}#a%`,
        `vscode-notebook-cell:${pathname}#1`,
        href.replace('.ts', '%2Ets'),
      ])
        assertReason(reason, 'x', uri, link);
      // Not in this file system.
      for (const uri of [`file://host${pathname}`, `untitled:${pathname}`, `/${link}`])
        assertReason('undefined', 'x', uri, 'a.ts');
      assert.equal(mayEnterPrompts(link, 'x'), reason === 'undefined', link);
    }
  });

  it('becomes secret when its file becomes a link to a secret file', () => {
    const folder = temporaryFolder();
    const [secret, file] = [join(folder, '.env'), join(folder, 'a.ts')];
    for (const path of [secret, file]) writeFileSync(path, '');
    const uri = pathToFileURL(file).href;
    const document = documentSnapshot({ uri, fileName: file, languageId: 'typescript', text: 'x' });
    assert.equal(whyIneligible(document), undefined);
    unlinkSync(file);
    symlinkSync(secret, file);
    assert.equal(whyIneligible(document), 'secret');
    assert.equal(whyIneligible({ ...document, text: 'y' }), 'secret', 'a copy is not checked');
  });
});
