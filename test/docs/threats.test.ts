// Tests that every test named in docs/threat-model.md exists: files are followed by titles, or parts of them, in
// quotes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const NAMED_TESTS = /`(test\/[\w/.]+)`((?:,? "[^"]+")+)/g;

describe('the threat model', () => {
  const page = readFileSync('docs/threat-model.md', 'utf8');
  const namedTests = [...page.matchAll(NAMED_TESTS)];

  it('names a test for each threat of the threat model', () => {
    // Rows of the tables, without their headers.
    const threats = page.split('\n').filter((line) => /^\| (?!it tries|they try|---)/.test(line));
    assert.ok(threats.length > 20);
    for (const threat of threats) assert.match(threat, new RegExp(NAMED_TESTS.source));
  });

  for (const [, file = '', titles = ''] of namedTests)
    it(`names existing tests of ${file} in the threat model:${titles}`, () => {
      const tests = [...readFileSync(file, 'utf8').matchAll(/\bit\(\s*(['"`])(.*)\1,/g)];
      for (const [, title = ''] of titles.matchAll(/"([^"]+)"/g))
        assert.ok(
          tests.some(([, , testTitle = '']) => testTitle.includes(title)),
          title,
        );
    });
});
