// Documents as tokens line by line: the ids are those of the lines, and a key press costs a line.
import assert from 'node:assert/strict';
import { LineTokens } from '../../server/completion/prompt/promptTokens';
import { loadTokenizer } from '../../server/models/text/tokenizer';
import { PAIR_TARGET } from '../support/fixtures';

/** Lines that are remembered, as the class has it. */
const KEPT_LINES = 8_192;

/** A document after another; letters are their own tokens. */
class Documents {
  readonly #lines = new LineTokens();

  /** The lines that it had to read. */
  read(text: string): string[] {
    const asked: string[] = [];
    const ids = this.#lines.encode(text, {
      encodeText: (line) => {
        asked.push(line);
        return [...line].map((letter) => letter.codePointAt(0) ?? 0);
      },
    });
    assert.equal(String.fromCodePoint(...ids), text);
    return asked;
  }
}

describe('the tokens of lines', () => {
  it('are those of the lines one by one, without the unfinished last one', () => {
    const tokenizer = loadTokenizer(PAIR_TARGET) ?? assert.fail();
    const lines = ['for (const a of b) {\n', '\n', '\tcall(a);\n', '  \n', '}\n', 'é👍 <|fim_prefix|>\n'];
    const expected = lines.flatMap((line) => tokenizer.encodeText(line));
    const known = new LineTokens();
    for (const rest of ['', 'unfinished', '  '])
      assert.deepEqual(known.encode(lines.join('') + rest, tokenizer), expected);
  });

  it('are found again for all lines but those that changed', () => {
    const documents = new Documents();
    const text = 'one\ntwo\nthree\n';
    assert.deepEqual(documents.read(text), ['one\n', 'two\n', 'three\n']);
    assert.deepEqual(documents.read(text), []);
    assert.deepEqual(documents.read('one\nto\nzero\nthree\none\n'), ['to\n', 'zero\n']);
    assert.deepEqual(documents.read(text), [], 'an undo costs nothing');
  });

  it('are forgotten for the lines that were used least recently', () => {
    const documents = new Documents();
    const read = (from: number, count: number): number => {
      const lines = Array.from({ length: count }, (_, i) => `${String(from + i)}\n`);
      return documents.read(lines.join('')).length;
    };
    assert.equal(read(0, KEPT_LINES) + read(0, 1), KEPT_LINES);
    assert.equal(read(KEPT_LINES, 10), 10);
    assert.equal(read(11, KEPT_LINES - 11) + read(0, 1), 0, 'used in between');
    assert.equal(read(1, 10), 10, 'forgotten');
  });
});
