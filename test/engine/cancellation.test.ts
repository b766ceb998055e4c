// What a decode that is cancelled between two rounds or within one keeps, and that no further pass runs. On a scripted
// target, which says what it was fed; test/lsp/enginePasses.test.ts has prompts that are given up while they are read.
import assert from 'node:assert/strict';
import type { DecodeSession } from '../../server/engine/decode/session';
import { liveArrays } from '../../server/models/mlx/memory';
import { newSession } from '../support/checkedDecode';
import { OracleDrafter } from '../support/oracleDrafter';
import { PieceTokenizer } from '../support/pieceTokenizer';
import { RecordingTarget } from '../support/recordingTarget';
import { newScript, ScriptedTarget } from '../support/scriptedTarget';

const script = newScript(700, 30);
const tokenizer = new PieceTokenizer(Array.from({ length: 64 }, (_, id) => `<${String(id)}>`));

/** A decode of 700 prompt tokens, three prefill chunks, with its recorded target and the signal to abort it. */
function abortable(onPass?: (pass: number, controller: AbortController) => void) {
  const controller = new AbortController();
  const target = new RecordingTarget(new ScriptedTarget(script), (pass) => onPass?.(pass, controller));
  const drafter = new OracleDrafter({ tokens: script.tokens, block: 4, right: [3, 1] });
  const wish = {
    promptIds: script.promptIds,
    maxTokens: 30,
    signal: controller.signal,
    stopStrings: [`<${String(script.output[6])}>?`],
  };
  return { controller, target, session: newSession({ target, drafter, tokenizer }, wish) };
}

async function readAll(session: DecodeSession): Promise<void> {
  const before = liveArrays();
  let text = '';
  for await (const chunk of session) text += chunk.text;
  assert.equal(liveArrays(), before, 'arrays after a cancelled decode');
  const { result } = session;
  assert.equal(result.text, text);
  assert.equal(text, tokenizer.decode(result.tokenIds));
  assert.deepEqual(result.tokenIds, script.output.slice(0, result.tokenIds.length));
}

describe('cancellation', () => {
  it('during a round keeps the tokens of that round and computes no other', async () => {
    const { target, session } = abortable((pass, controller) => {
      if (pass === 4) controller.abort();
    });
    await readAll(session);
    assert.equal(target.passes.length, 5);
    assert.deepEqual(session.result.acceptanceLengths, [4, 2]);
    assert.equal(session.result.tokenIds.length, 7);
    assert.equal(session.result.finishReason, 'cancelled');
  });

  it('by the consumer between rounds gives out the text that was held back, and no more tokens', async () => {
    const { controller, session } = abortable();
    const texts: string[] = [];
    for await (const { tokens, text } of session) {
      texts.push(text);
      if (controller.signal.aborted) assert.deepEqual(tokens, []);
      if (session.result.tokenIds.length >= 7) controller.abort();
    }
    assert.equal(texts.at(-1), `<${String(script.output[6])}>`);
    assert.equal(session.result.tokenIds.length, 7);
    assert.equal(texts.join(''), tokenizer.decode(session.result.tokenIds));
    assert.equal(session.result.finishReason, 'cancelled');
  });
});
