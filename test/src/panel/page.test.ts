// The page around the drawings: its policy, its structure for screen readers, and the places to fill.
import assert from 'node:assert/strict';
import { page, sections } from '../../../src/panel/page';

describe('page', () => {
  const text = page({
    cspSource: 'https://source',
    nonce: 'abc123',
    script: 's.js',
    style: 's.css',
    language: 'en',
  });

  it('allows only its own style sheet and the script with the nonce', () => {
    const policy = /Content-Security-Policy"\s+content="([^"]*)"/.exec(text)?.[1] ?? '';
    assert.ok(policy.startsWith('default-src &#39;none&#39;;'));
    assert.ok(policy.includes('script-src &#39;nonce-abc123&#39;'));
    assert.doesNotMatch(policy, /unsafe-|\*|data:/);
    assert.equal(text.match(/<script/g)?.length, 1);
    assert.doesNotMatch(text, /\sstyle=|\son\w+=/);
  });

  it('begins with what fits a window: the ledger, the requests; the rounds come last', () => {
    const order = ['ledger', 'comparison', 'requests', 'why', 'last-rounds'];
    const places = order.map((id) => text.indexOf(`<div id="${id}"`));
    assert.ok(!places.includes(-1));
    assert.deepEqual(
      places,
      [...places].sort((a, b) => a - b),
    );
  });

  it('has a language, headings for each section, and a place for each drawing', () => {
    assert.ok(text.includes('<html lang="en">'));
    assert.equal(text.match(/<h1/g)?.length, 1);
    for (const id of [...Object.keys(sections([])), 'compare', 'comparison'])
      assert.ok(text.includes(`id="${id}"`), id);
    for (const [, id] of text.matchAll(/aria-labelledby="([^"]+)"/g))
      assert.ok(text.includes(`id="${id}"`), id);
    assert.match(text, /id="comparison" aria-live="polite"/);
  });
});
