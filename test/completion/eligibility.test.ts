// Which documents may enter a prompt.
import assert from 'node:assert/strict';
import { documentSnapshot } from '../../server/completion/prompt/eligibility';

const FRENCH = "// git-add - Ajoute le contenu de fichiers à l'index, préparé pour l'étape d'après\n";
/** From the French pages of Git. */
const latin1 = (times: number): string => Buffer.from(FRENCH.repeat(times), 'latin1').toString('utf8');
const bytes = Buffer.from(Array.from({ length: 4000 }, (_, i) => 1 + ((i * 7919) % 255))).toString('utf8');
const long = (text: string): string => text.repeat(5e6);

const CASES: Readonly<Record<string, readonly (readonly [name: string, text?: string])[]>> = {
  secret: [
    ['SERVER.KEY'],
    ['home/.ssh/config'],
    ['C:\\Users\\me\\.kube\\config'],
    ['file:///home/me/%2Eenv'],
    ['file:///home/c#/.env'],
    ['vscode-remote://ssh/home/me/.env?a#b'],
    ['vscode-remote://ssh/home/me/server.pem?a#b'],
  ],
  binary: [['a.ts', 'a\0b'], ['table.parquet'], ['a.ts', '\ufffd\u0001abc'.repeat(50)], ['a.ts', bytes]],
  minified: [
    ['a.js', `/* license */\n${'a=1;'.repeat(3000)}`],
    ['jquery.min.js'],
    ['a.js', `${'x'.repeat(900)}\n`.repeat(20)],
  ],
  large: [
    ['a.ts', long('const a = 1;\n')],
    ['a.ts', long('a\0b')],
    ['a.ts', long('x')],
  ],
  undefined: [
    ['key.ts'],
    ['a%.ts'],
    ['file:///home/c#/a.ts?b'],
    ['a.ts', 'const a = "ü → 😀";\n'.repeat(2000)],
    // Written in another encoding.
    ...['// \ufffd\ufffd\n', '\ufffd', '# \u001b\u0007\n', latin1(1), latin1(100)].map(
      (text) => ['a.ts', text] as const,
    ),
  ],
};

describe('ineligibility', () => {
  for (const [reason, documents] of Object.entries(CASES))
    it(`is ${reason} by names in paths and URIs, encoded or not, and by the text`, () => {
      for (const [uri, text = ''] of documents) {
        const fileName = reason === 'secret' ? 'a.ts' : uri;
        const document = { uri, fileName, languageId: 'typescript', version: 1, text };
        assert.equal(String(documentSnapshot(document).ineligible), reason, `${uri} ${text.slice(0, 20)}`);
      }
    });
});
