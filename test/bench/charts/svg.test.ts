// SVG text: well-formed whatever the texts are.
import assert from 'node:assert/strict';
import { svgElement } from '../../../bench/charts/svg';
import { svgElements } from './svgElements';

describe('svgElement', () => {
  it('escapes texts and attributes, and nothing twice', () => {
    const text = '<a> & "b" \'c\' &amp;';
    const element = svgElement('g', { id: text }, svgElement('text', { x: 1 }, text));
    assert.deepEqual(svgElements(element.text), [
      { name: 'g', attributes: { id: text }, text: '' },
      { name: 'text', attributes: { x: '1' }, text },
    ]);
  });

  it('writes a space for a control character, which XML cannot hold', () => {
    assert.equal(svgElement('text', {}, 'a\u0000b\u001bc').text, '<text>a b c</text>');
  });

  it('closes an element without children and rounds its numbers', () => {
    assert.equal(
      svgElement('rect', { x: 1.26, y: -0.02, width: 1 / 3 }).text,
      '<rect x="1.3" y="0" width="0.3"/>',
    );
  });
});
