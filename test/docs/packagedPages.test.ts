// Tests how pages are converted for the VSIX; test/e2e/vsix.test.ts checks the converted ones.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Script {
  readonly packagedReadme: (text: string) => string;
  readonly packagedPage: (text: string, folder: string) => string;
}

describe('the pages of the package', () => {
  let script: Script;
  before(async () => {
    script = (await import(pathToFileURL(resolve('scripts/packagedPages.mjs')).href)) as Script;
  });

  it('include a README without pictures and with links only to the web, as the details page shows no others', () => {
    const readme = readFileSync('README.md', 'utf8');
    const packaged = script.packagedReadme(readme);
    assert.ok(readme.includes('!['));
    assert.ok(!packaged.includes('!['));
    assert.ok(!packaged.includes('\n\n\n'));
    const links = linksOf(packaged);
    assert.ok(links.length >= 3);
    for (const target of links) assert.match(target, /^https:/);
    for (const heading of readme.matchAll(/^#.*$/gm)) assert.ok(packaged.includes(heading[0]), heading[0]);
  });

  it('are refused with missing pictures or pictures of other types', () => {
    assert.throws(() => script.packagedPage('![a](nowhere.png)', '.'), /ENOENT/);
    assert.throws(
      () => script.packagedPage('![a](media/a.gif)', '.'),
      /Expected pictures in PNG or SVG, got media\/a\.gif/,
    );
  });
});

/** Returns the targets of a page's links. Those of its pictures are not among them. */
function linksOf(page: string): string[] {
  return [...page.matchAll(/(?<!!)\[[^\]]*\]\(([^)]*)\)/g)].map(([, target]) => target ?? '');
}
