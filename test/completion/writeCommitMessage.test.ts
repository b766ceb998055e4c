// A commit message from changes: what is asked of which model, how much of the changes it gets, and what of its answer
// is the message.
import assert from 'node:assert/strict';
import { changesText, writeCommitMessage } from '../../server/completion/instruct/writeCommitMessage';
import { FakeDecoder, type FakeOptions } from './fakeDecoder';

const DIFF = `diff --git a/src/sum.ts b/src/sum.ts
index 83db48f..bf269f4 100644
--- a/src/sum.ts
+++ b/src/sum.ts
@@ -1,2 +1,2 @@
 export function sum(a, b) {
-  return a - b;
+  return a + b;
`;

async function run(answer: readonly string[], options: FakeOptions & { begun?: string; diff?: string } = {}) {
  const decoder = new FakeDecoder([answer], options);
  const { signal } = new AbortController();
  const { begun = '', diff = DIFF } = options;
  const request = { changes: [{ path: 'src/sum.ts', diff }], begun, maxTokens: 200, signal };
  const pieces: string[] = [];
  for await (const piece of writeCommitMessage(request, decoder)) pieces.push(piece);
  return { pieces, text: pieces.join(''), prompt: decoder.prompts[0] ?? '', limits: decoder.limits[0] };
}

describe('writeCommitMessage', () => {
  it('asks a model that follows instructions in words, and takes what is in the block', async () => {
    const answer = [
      '```text\n',
      'Add the',
      ' numbers\n',
      '\n',
      'They were',
      ' inverted.\n',
      '``',
      '`\nNice.',
    ];
    const { pieces, prompt } = await run(answer, { hasChat: true });
    assert.match(
      prompt,
      /^\[system\].*\[user\]```diff\nFile src\/sum\.ts\n@@.*\+ {2}return a \+ b;\n\n```\n/s,
    );
    assert.match(prompt, /```\n$/);
    assert.deepEqual(pieces, ['Add the', ' numbers', '\n\nThey were', ' inverted.']);
  });

  it('goes on from what the person has written, with one space between, for a model that continues in one line', async () => {
    const open = await run([' numbers\n```'], { hasChat: true, begun: 'Add the' });
    assert.match(open.prompt, /```\nAdd the$/);
    assert.equal(open.text, ' numbers');
    const { prompt, text, limits } = await run([' numbers '], { begun: 'Add the ' });
    assert.match(prompt, /^File src\/sum\.ts\n@@[^]*\n\nCommit message: Add the$/);
    assert.deepEqual([text, limits?.stopStrings], ['numbers', ['\n']]);
  });

  it('cuts the changes to the context of the model, and says so where nothing fits', async () => {
    const { prompt } = await run(['x'], { contextTokens: 400, diff: DIFF + '+more();\n'.repeat(200) });
    assert.ok(prompt.startsWith('File src/sum.ts\n') && prompt.includes('...\n'), prompt);
    assert.ok(prompt.includes('return a + b'));
    await assert.rejects(
      run(['x'], { contextTokens: 40, begun: 'word '.repeat(60) }),
      /^InputError: Expected a model/,
    );
  });

  it('never takes more room for the changes than there is', () => {
    const diff = `@@ -0,0 +1,900 @@\n${'+word\n'.repeat(900)}`;
    const changes = Array.from({ length: 50 }, (_, i) => ({ path: `file${String(i)}`, diff }));
    for (const room of [0, 1, 7, 20, 333, 5000]) assert.ok(changesText(changes, room).length <= room);
  });
});
