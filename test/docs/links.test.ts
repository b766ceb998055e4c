// Tests that links of the pages lead somewhere, and that a link leads to each page.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { pages } from './pages';

/** Other sites that pages may link to. Their addresses are not requested, as tests need no network. */
const SITES = [
  'arxiv.org',
  'github.com',
  'huggingface.co',
  'code.visualstudio.com',
  'nodejs.org',
  'neovim.io',
  'microsoft.github.io',
  'keepachangelog.com',
  'semver.org',
];

describe('the documentation', () => {
  const allPages = pages();
  const byPath = new Map(allPages.map((page) => [page.path, page]));

  it('links pages to existing files and headings', () => {
    for (const { path, links } of allPages)
      for (const { target, anchor } of links) {
        if (/^[a-z]+:/.test(target)) continue;
        assert.ok(existsSync(target), `${path} links to ${target}`);
        if (anchor === undefined) continue;
        const anchors = byPath.get(target)?.anchors;
        assert.ok(anchors?.has(anchor), `${path} links to #${anchor} of ${target}`);
      }
  });

  it('links pages only to the listed sites, with https', () => {
    for (const { path, links } of allPages)
      for (const { target } of links)
        if (/^[a-z]+:/.test(target))
          assert.ok(
            SITES.includes(new URL(target).host) && target.startsWith('https:'),
            `${path}: ${target}`,
          );
  });

  it('reaches every page from README.md', () => {
    const reached = new Set(['README.md']);
    for (const path of reached)
      for (const { target } of byPath.get(path)?.links ?? []) if (byPath.has(target)) reached.add(target);
    const orphans = allPages.map(({ path }) => path).filter((path) => !reached.has(path));
    assert.deepEqual(orphans, []);
  });

  it('has alternative texts for all pictures', () => {
    const images = allPages.flatMap(({ links }) => links.filter(({ isImage }) => isImage));
    assert.ok(images.length >= 4);
    for (const { text, target } of images) assert.ok(text.length >= 20, `${target}: "${text}"`);
  });

  it('names existing files of the repository in its pages', () => {
    const named = /`((?:server|src|bench|test|scripts|media|docs|training)\/[\w./-]+\.\w+)(?::[#\w.]+)?`/g;
    for (const { path, prose } of allPages)
      for (const [, file = ''] of prose.matchAll(named)) assert.ok(existsSync(file), `${path} names ${file}`);
  });
});
