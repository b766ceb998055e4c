// Tests that the tokens of an output become text only in whole characters, also if the text before the output ends
// within one.
import assert from 'node:assert/strict';
import { Detokenizer } from '../../../server/models/text/detokenizer';

describe('Detokenizer', () => {
  // Each token is one byte, so the emoji has four tokens.
  const emoji = [...Buffer.from('🙂')];
  const NOTHING = 1000;
  const bytesOf = (token: number): Uint8Array =>
    token === NOTHING ? new Uint8Array() : Uint8Array.of(token);
  const [space, a, b] = [...Buffer.from(' ab')] as [number, number, number];

  it('holds a character back until its last token, also across tokens without text', () => {
    const texts = new Detokenizer(bytesOf);
    const ids = [a, ...emoji.slice(0, 2), NOTHING, ...emoji.slice(2), b];
    assert.deepEqual(
      ids.map((id) => texts.push(id)),
      ['a', '', '', '', '', '🙂', 'b'],
    );
  });

  it('completes a character that the text before the output has begun', () => {
    for (const count of [1, 2, 3]) {
      const texts = new Detokenizer(bytesOf, [a, ...emoji.slice(0, count)]);
      const rest = emoji.slice(count).map((id) => texts.push(id));
      assert.equal(rest.join(''), '🙂');
    }
  });

  it('keeps a byte order mark at the start of an output', () => {
    const texts = new Detokenizer(bytesOf, [NOTHING]);
    const ids = [...Buffer.from('\uFEFFa')];
    assert.equal(ids.map((id) => texts.push(id)).join(''), '\uFEFFa');
  });

  it('peeks at the characters that tokens would complete, without taking the tokens', () => {
    const texts = new Detokenizer(bytesOf);
    texts.push(space);
    for (const id of emoji.slice(0, 3)) texts.push(id);
    const last = emoji.slice(3);
    assert.equal(texts.peek([...last, a]), '🙂a');
    assert.equal(texts.peek([...last, NOTHING]), '🙂');
    assert.equal(texts.push(last[0] ?? NaN), '🙂');
    assert.equal(texts.peek([b]), 'b');
  });
});
