// Which documents may enter a prompt.
import assert from 'node:assert/strict';
import { documentSnapshot } from '../../server/completion/prompt/eligibility';

const SECRET = [
  'SERVER.KEY',
  'home/.ssh/config',
  'C:\\Users\\me\\.kube\\config',
  'file:///home/me/%2Eenv',
  'file:///home/c#/.env',
  'vscode-remote://ssh/home/me/.env?a#b',
  'vscode-remote://ssh/home/me/server.pem?a#b',
];
const OPEN = ['key.ts', 'a%.ts', 'file:///home/c#/a.ts?b'];

const file = (text: string, fileName = 'a.ts') => ({
  uri: `file:///${fileName}`,
  fileName,
  languageId: 'typescript',
  text,
});

const ineligibility = (document: ReturnType<typeof file>) =>
  documentSnapshot({ ...document, version: 1 }).ineligible;

describe('ineligibility', () => {
  it('reads names in paths and URIs, encoded or not', () => {
    for (const uri of SECRET) assert.equal(ineligibility({ ...file(''), uri }), 'secret', uri);
    for (const uri of OPEN) assert.equal(ineligibility({ ...file(''), uri }), undefined, uri);
  });

  it('lets code in, empty or not', () => {
    assert.equal(ineligibility(file('')), undefined);
    assert.equal(ineligibility(file('const a = "ü → 😀";\n'.repeat(2000))), undefined);
  });

  it('keeps binary files out', () => {
    assert.equal(ineligibility(file('a\0b')), 'binary');
    assert.equal(ineligibility(file('a', 'table.parquet')), 'binary');
    assert.equal(ineligibility(file('\ufffd\u0001abc'.repeat(50))), 'binary');
  });

  it('lets in text that was written in another encoding', () => {
    for (const text of ['// \ufffd\ufffd\n', '\ufffd', '# \u001b\u0007\n'])
      assert.equal(ineligibility(file(text)), undefined);
    // From the French pages of Git, as Latin-1.
    const french = "// git-add - Ajoute le contenu de fichiers à l'index, préparé pour l'étape d'après\n";
    for (const times of [1, 100]) {
      const text = Buffer.from(french.repeat(times), 'latin1').toString('utf8');
      assert.ok(text.includes('\ufffd'));
      assert.equal(ineligibility(file(text)), undefined);
    }
    const binary = Buffer.from(Array.from({ length: 4000 }, (_, i) => 1 + ((i * 7919) % 255)));
    assert.equal(ineligibility(file(binary.toString('utf8'))), 'binary');
  });

  it('keeps minified files out', () => {
    assert.equal(ineligibility(file(`/* license */\n${'a=1;'.repeat(3000)}`)), 'minified');
    assert.equal(ineligibility(file('a', 'jquery.min.js')), 'minified');
    assert.equal(ineligibility(file(`${'x'.repeat(900)}\n`.repeat(20))), 'minified');
  });

  it('keeps large files out whatever is in them', () => {
    for (const text of ['const a = 1;\n', 'a\0b', 'x'])
      assert.equal(ineligibility(file(text.repeat(5e6))), 'large');
  });
});
