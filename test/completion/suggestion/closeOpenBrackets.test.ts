// Tests how strings of several lines are closed.
import assert from 'node:assert/strict';
import { requestedText } from './suggestedText';

describe('a string of several lines', () => {
  it('is suggested whole from the line that begins a heredoc', async () => {
    for (const [text, languageId] of [
      ['<<~SQL\n  select 1\nSQL', 'ruby'],
      ['<<<EOT\n  a\nEOT;', 'php'],
    ] as const)
      assert.equal(await requestedText('$x = ║\n', text, languageId), text);
  });

  it('is closed on a line of its own only where the language demands it', async () => {
    const text = 'a = """\n    b\n    c';
    for (const languageId of ['swift', 'csharp', 'elixir'])
      assert.equal(await requestedText('  ║\n', text, languageId), `${text}\n  """`, languageId);
    for (const languageId of ['java', 'kotlin', 'python', 'toml'])
      assert.equal(await requestedText('  ║\n', text, languageId), `${text}"""`, languageId);
    const single = text.replaceAll('"""', "'''");
    assert.equal(await requestedText('  ║\n', single, 'python'), `${single}'''`);
  });
});
