// Tests the streamed answer to a chat: its limits, and its text without tool calls.
import assert from 'node:assert/strict';
import { chatAnswer } from '../../../server/completion/instruct/chatAnswer';
import { toolCallReader } from '../../../server/completion/instruct/toolCallReader';
import { FakeDecoder } from '../fakeDecoder';

/** Marks of all notations of calls. */
const MARKS =
  '<tool_call> </tool_call> <|tool_call> <tool_call|> [TOOL_CALLS] <|python_tag|> <|"|> [ARGS] [CALL_ID]'.split(
    ' ',
  );
const TURN_END = '<|im_end|>';
const CALL = ['I look.\n', '<tool_call>{"name": "now"', '}</tool_call>'];

/** Returns the answer of a model that writes these pieces; the request is cancelled before piece `cancelledAt`. */
async function answered(pieces: readonly string[], hasTools: boolean, cancelledAt = Infinity) {
  const controller = new AbortController();
  const decoder = new FakeDecoder([pieces], {
    fimTokens: [TURN_END, ...MARKS],
    beforePiece: (i) => {
      if (i === cancelledAt) controller.abort();
    },
  });
  const { tokenizer } = decoder;
  const tools = [{ type: 'function', function: { name: 'now' } }] as const;
  const reader = hasTools ? toolCallReader(tools, tokenizer) : undefined;
  const { signal } = controller;
  const texts: string[] = [];
  for await (const text of chatAnswer([0], { maxTokens: 9, reader, signal }, decoder)) texts.push(text);
  const [limits = assert.fail()] = decoder.limits;
  return { texts, calls: reader?.calls.map(({ function: { name } }) => name), limits, tokenizer };
}

describe('the answer to a chat', () => {
  it('ends with its turn, and spells out the marks of tool calls only if there are tools', async () => {
    for (const hasTools of [true, false]) {
      const { limits, tokenizer } = await answered(['a'], hasTools);
      const { maxTokens, stopStrings, stopTokenIds = [], spelledTokenIds = [] } = limits;
      assert.deepEqual([maxTokens, stopStrings], [9, []]);
      assert.equal(tokenizer.decode(stopTokenIds), TURN_END);
      const spelled = spelledTokenIds.map((id) => tokenizer.decode([id]));
      assert.deepEqual(spelled.sort(), hasTools ? [...MARKS].sort() : []);
    }
  });

  it('has the text without the tool calls, and no empty pieces', async () => {
    const { texts, calls } = await answered(CALL, true);
    assert.deepEqual([texts, calls], [['I look.'], ['now']]);
    assert.deepEqual((await answered(['a', '', 'b'], false)).texts, ['a', 'b']);
  });

  it('ends with text that only resembled a call, but without a call that a cancellation has cut', async () => {
    const half = ['I look.\n', '<tool_call>{"na', 'me"'];
    assert.deepEqual((await answered(half, true)).texts, ['I look.', '\n<tool_call>{"name"']);
    assert.deepEqual((await answered(half, true, 2)).texts, ['I look.']);
    const cut = await answered(CALL, true, 2);
    assert.deepEqual([cut.texts, cut.calls], [['I look.'], []]);
  });
});
