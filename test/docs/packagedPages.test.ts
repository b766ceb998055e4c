// Tests the pages in the VSIX: the README contains its pictures, and links only to addresses on the web.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Script {
  readonly packagedReadme: (text: string, folder: string) => string;
}

describe('the pages of the package', () => {
  let packagedReadme: Script['packagedReadme'];
  before(async () => {
    ({ packagedReadme } = (await import(pathToFileURL(resolve('scripts/packagedPages.mjs')).href)) as Script);
  });

  it('embed the pictures of README.md, and link to the web', () => {
    const readme = readFileSync('README.md', 'utf8');
    const packaged = packagedReadme(readme, '.');
    const pictures = [...readme.matchAll(/!\[/g)].length;
    assert.ok(pictures >= 2);
    assert.equal(
      [...packaged.matchAll(/!\[[^\]]+\]\(data:image\/png;base64,iVBOR[\w+/=]{1000,}\)/g)].length,
      pictures,
    );
    const links = [...packaged.matchAll(/(?<!!)\[[^\]]*\]\(([^)]*)\)/g)].map(([, target]) => target ?? '');
    assert.ok(links.length >= 3);
    for (const target of links) assert.match(target, /^https:/);
  });

  it('are refused with missing pictures or pictures that vsce refuses', () => {
    assert.throws(() => packagedReadme('![a](nowhere.png)', '.'), /ENOENT/);
    assert.throws(
      () => packagedReadme('![a](media/panel/icon.svg)', '.'),
      /Expected PNGs .* got media\/panel\/icon\.svg/,
    );
  });
});
