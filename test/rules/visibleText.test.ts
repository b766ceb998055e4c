// Tests text, tokens and JSON for terminals and logs: which characters are replaced, and which spell visible text.
import assert from 'node:assert/strict';
import { bytesText, visibleJson, visibleText } from '../../server/rules/visibleText';

describe('text for a terminal', () => {
  it('shows control characters as pictures and invisible ones as numbers, and keeps lines, tabs and emoji', () => {
    assert.equal(visibleText('a\u001b[2J\u0007\u007f\u009bb'), 'a␛[2J␇␡\\u009bb');
    assert.equal(visibleText('\u202ea\u200b\u2028\u{e0001}'), '\\u202ea\\u200b\\u2028\\u{e0001}');
    assert.equal(visibleText('a\tb\r\nc\rd'), 'a\tb\r\nc␍d');
    assert.equal(visibleText('👩‍💻 é'), '👩‍💻 é');
  });

  it('keeps invisible characters with which emoji, symbols and words are spelled', () => {
    for (const text of [
      ...[
        '🏳\u200d🌈',
        '🏳\ufe0f\u200d🌈',
        '👁\u200d🗨',
        '🤷\u200d♂',
        '🤷🏽\u200d♂\ufe0f',
        '❤\u200d🔥',
        '👨\u200d👩\u200d👧',
      ],
      ...[
        '1\ufe0f\u20e3',
        '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
        '🇳🇴',
        'ℹ\ufe0f',
        '‼\ufe0f',
      ],
      ...['✓\ufe0f', '→\ufe0f', '☎\ufe0e', '☑\ufe0e', '葛\u{e0100}', '神\ufe00'],
      ...['می\u200cخواهم', 'क्\u200dष', 'ක්\u200dෂ', 'ക്\u200dക', 'র\u200d্য'],
    ])
      assert.equal(visibleText(text), text);
  });

  it('shows invisible characters that spell nothing', () => {
    for (const [text, shown] of [
      ['isAdmin\ufe0f', 'isAdmin\\ufe0f'],
      ['"/\ufe0f"', '"/\\ufe0f"'],
      ['1\ufe0f', '1\\ufe0f'],
      ['✓\ufe0f\ufe0f', '✓\ufe0f\\ufe0f'],
      ['a\u{e0100}', 'a\\u{e0100}'],
      ['1\u200d1', '1\\u200d1'],
      ['🌈\u200da', '🌈\\u200da'],
      ['a\u200cb', 'a\\u200cb'],
      ['می\u200c', 'می\\u200c'],
      ['می\u200c\u200cخ', 'می\\u200c\\u200cخ'],
      ['می\u200bخ\u200fم', 'می\\u200bخ\\u200fم'],
      ['🏴\u{e0041}\u{e0042}', '🏴\\u{e0041}\\u{e0042}'],
    ] as const)
      assert.equal(visibleText(text), shown);
  });
});

describe('the bytes of a token', () => {
  it('are text where they can be, and otherwise escaped where they are not ASCII', () => {
    assert.equal(bytesText(Buffer.from('größe')), 'größe');
    assert.equal(bytesText(Uint8Array.of(0x41, 0xf0, 0x9f)), 'A\\xf0\\x9f');
  });
});

describe('JSON for a terminal', () => {
  it('has the same value without control or invisible characters', () => {
    const odd =
      '\u001b[2J\u0007\u007f\u009b2J\u00ad\u061c\u200b\u200e\u202e\u2066\u2028\u2029\ufeff\ufff9\u{e0041}👩\u200d💻❤\ufe0f';
    const value = { [odd]: [odd, { a: 'ä漢😀\n"\\' }], b: 1.5, c: null };
    const json = visibleJson(value);
    assert.deepEqual(JSON.parse(json), value);
    assert.doesNotMatch(json, /\p{Cc}|\p{Cf}|\u2028|\u2029|\ufe0f/u);
    assert.match(json, /ä漢😀/u);
    assert.match(json, /\\u009b2J/);
  });
});
