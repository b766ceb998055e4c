// Documents as tokens line by line: the ids are those of the lines, and a key press costs a line.
import assert from 'node:assert/strict';
import { LineTokens } from '../../server/completion/prompt/promptTokens';
import { loadTokenizer } from '../../server/models/text/tokenizer';
import { PAIR_TARGET } from '../support/fixtures';

/** Lines that are remembered, as the class has it. */
const KEPT_LINES = 8_192;

/** Letters are their own tokens; remembers what it was asked. */
class Letters {
  readonly asked: string[] = [];

  readonly encodeText = (text: string): number[] => {
    this.asked.push(text);
    return [...text].map((letter) => letter.codePointAt(0) ?? 0);
  };

  /** What was asked since the last time. */
  take(): string[] {
    return this.asked.splice(0);
  }
}

const ids = (text: string): number[] => new Letters().encodeText(text);

describe('the tokens of lines', () => {
  it('are those of the lines one by one, without the unfinished last one', () => {
    const tokenizer = loadTokenizer(PAIR_TARGET);
    assert.ok(tokenizer);
    const lines = ['for (const a of b) {\n', '\n', '\tcall(a);\n', '  \n', '}\n', 'é👍 <|fim_prefix|>\n'];
    const expected = lines.flatMap((line) => tokenizer.encodeText(line));
    const known = new LineTokens();
    for (const rest of ['', 'unfinished', '  '])
      assert.deepEqual(known.encode(lines.join('') + rest, tokenizer), expected);
  });

  it('are found again for all lines but those that changed', () => {
    const [lines, letters] = [new LineTokens(), new Letters()];
    const text = 'one\ntwo\nthree\n';
    lines.encode(text, letters);
    assert.deepEqual(letters.take(), ['one\n', 'two\n', 'three\n']);
    assert.deepEqual(lines.encode(text, letters), ids(text));
    assert.deepEqual(letters.take(), []);
    const changed = 'one\nto\nzero\nthree\none\n';
    assert.deepEqual(lines.encode(changed, letters), ids(changed));
    assert.deepEqual(letters.take(), ['to\n', 'zero\n']);
    lines.encode(text, letters);
    assert.deepEqual(letters.take(), [], 'an undo costs nothing');
  });

  it('are forgotten for the lines that were used least recently', () => {
    const [lines, letters] = [new LineTokens(), new Letters()];
    const text = (from: number, count: number): string =>
      Array.from({ length: count }, (_, i) => `${String(from + i)}\n`).join('');
    lines.encode(text(0, KEPT_LINES), letters);
    lines.encode(text(0, 1), letters);
    assert.equal(letters.take().length, KEPT_LINES);
    lines.encode(text(KEPT_LINES, 10), letters);
    assert.equal(letters.take().length, 10);
    lines.encode(text(11, KEPT_LINES - 11), letters);
    assert.deepEqual(letters.take(), []);
    lines.encode(text(0, 1), letters);
    assert.deepEqual(letters.take(), [], 'used in between');
    lines.encode(text(1, 10), letters);
    assert.equal(letters.take().length, 10, 'forgotten');
  });
});
