// Tests that binary and minified files are detected by their names, and texts in another encoding by their characters.
import assert from 'node:assert/strict';
import { isBinaryName, isBroken, isMinifiedName } from '../../server/rules/notCode';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

describe('binary and minified files', () => {
  const BINARY = words(
    'a.png b.jpg c.pdf d.zip e.exe f.dll g.wasm h.class i.pyc j.sqlite k.safetensors l.gguf m.woff2 n.mp4',
  );
  const MINIFIED = words('jquery.min.js site-min.css app.bundle.js index.js.map lib.min.mjs');

  it('are detected by name', () => {
    for (const name of BINARY) assert.ok(isBinaryName(name), name);
    for (const name of MINIFIED) assert.ok(isMinifiedName(name), name);
    for (const name of words('a.ts bundle.ts admin.js map.py zip.go Makefile .gitignore a.key.ts'))
      assert.ok(!isBinaryName(name) && !isMinifiedName(name), name);
  });
});

describe('a text in another encoding', () => {
  it('is broken if more than eight of its characters, and more than a tenth, are replacement characters', () => {
    const broken = (count: number, length: number): boolean =>
      isBroken('\uFFFD'.repeat(count).padEnd(length, 'x'));
    assert.deepEqual([broken(0, 0), broken(8, 8), broken(9, 9)], [false, false, true]);
    assert.deepEqual([broken(9, 89), broken(9, 90)], [true, false]);
  });
});
