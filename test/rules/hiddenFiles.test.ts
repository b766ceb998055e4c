// Which names keep a file out of every prompt because it is no text, or was not written by a person.
import assert from 'node:assert/strict';
import { isBinaryName, isMinifiedName } from '../../server/rules/secretFiles';

const BINARY =
  'a.png b.jpg c.pdf d.zip e.exe f.dll g.wasm h.class i.pyc j.sqlite k.safetensors l.gguf m.woff2 n.mp4'.split(
    ' ',
  );
const MINIFIED = ['jquery.min.js', 'site-min.css', 'app.bundle.js', 'index.js.map', 'lib.min.mjs'];
const ORDINARY = ['a.ts', 'bundle.ts', 'admin.js', 'map.py', 'zip.go', 'Makefile', '.gitignore', 'a.key.ts'];

describe('hidden files', () => {
  it('are known by their name', () => {
    for (const name of BINARY) assert.ok(isBinaryName(name), name);
    for (const name of MINIFIED) assert.ok(isMinifiedName(name), name);
    for (const name of ORDINARY) assert.ok(!isBinaryName(name) && !isMinifiedName(name), name);
  });
});
