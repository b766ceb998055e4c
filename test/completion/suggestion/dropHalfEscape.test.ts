// Tests backslashes before the closing quote.
import assert from 'node:assert/strict';
import { requestedText, type Case } from './suggestedText';

describe('an output with a backslash before the quote after the cursor', () => {
  const CASES: readonly Case[] = [
    ['c == "║"\n', '\\', '', 'rust'],
    ['c == "║"\n', '\\n', '\\n', 'rust'],
    ["a = '║';\n", 'x\\', 'x'],
    ["a = '║';\n", 'x\\\\', 'x\\\\'],
    ["a = '║'\n", 'x\\', 'x', 'python'],
    ['a := `║`\n', 'C:\\', 'C:\\', 'go'],
  ];
  for (const [document, text, shown, languageId] of CASES)
    it(`is suggested as ${JSON.stringify(shown)}: ${JSON.stringify(text)} at ${document.trim()} in ${languageId ?? 'typescript'}`, async () => {
      assert.equal(await requestedText(document, text, languageId), shown);
    });
});
