// Tests how decodes of a request are read: the pieces of their texts, and for which kinds the client sees `generating`.
// The engine is a fake; test/lsp/stats.test.ts tests the recorded statistics.
import assert from 'node:assert/strict';
import type { Decode, DecodeChunk } from '../../server/engine/decode/decode';
import type { RequestKind } from '../../server/engine/request/queueTicket';
import { createModel } from '../../server/hosting/model';
import { RecordingDecoder } from '../../server/hosting/recordingDecoder';
import { ScriptedEngine } from '../lsp/scriptedEngine';
import { ToolEngine } from '../lsp/toolEngine';

const LIMITS = { maxTokens: 9, stopStrings: [], signal: new AbortController().signal };

/** Engine that reports a log-probability for each chunk: minus the number of the chunk. */
class LogprobsEngine extends ScriptedEngine {
  override decode(...request: Parameters<ScriptedEngine['decode']>): Decode {
    const decode = super.decode(...request);
    const chunks = withLogprobs(decode);
    return {
      [Symbol.asyncIterator]: () => chunks,
      get result() {
        return decode.result;
      },
      finish: () => decode.finish(),
    };
  }
}

async function* withLogprobs(decode: Decode): AsyncGenerator<DecodeChunk, void, undefined> {
  let count = 0;
  for await (const chunk of decode)
    yield { ...chunk, logprobs: [{ token: 0, logprob: -(count += 1), top: [] }] };
}

describe('RecordingDecoder', () => {
  const loaded = { engine: new LogprobsEngine([['a', '', 'b', 'c']]), target: 'a', drafter: undefined };

  it('yields each piece of text with the log-probabilities since the piece before it', async () => {
    const decoder = new RecordingDecoder(createModel('pair', loaded), { kind: 'inline' });
    const pieces: unknown[] = [];
    for await (const { text, logprobs } of decoder.decode([1], LIMITS))
      pieces.push([text, logprobs?.map(({ logprob }) => logprob)]);
    assert.deepEqual(pieces, [
      ['a', [-1]],
      ['b', [-2, -3]],
      ['c', [-4]],
    ]);
  });

  it('uses the chat template of a model that follows instructions, but not of a base model', () => {
    const engine = new ToolEngine([['x']]);
    const { info, ...model } = createModel('pair', { ...loaded, engine });
    const encoded = (isBase: boolean) =>
      new RecordingDecoder(
        { ...model, info: { ...info, ...(isBase ? { isBase } : {}) } },
        { kind: 'inline' },
      ).encodeChat([{ role: 'user', content: 'hi' }]);
    assert.equal(info.isBase, undefined);
    assert.equal(engine.tokenizer.spell(encoded(false) ?? []), 'user: hi | assistant:');
    assert.equal(encoded(true), undefined);
  });

  it('reports an output while a user waits for it, until it ends or is no longer read', async () => {
    for (const [kind, stopAt, waited] of [
      ['inline', 'b', 1],
      ['inline', undefined, 1],
      ['generate', 'b', 1],
      ['nextEdit', 'b', 0],
      ['prefetch', 'b', 0],
    ] as const satisfies readonly (readonly [RequestKind, string | undefined, number])[]) {
      let [begun, ended] = [0, 0];
      const begin = () => {
        begun += 1;
        return () => void (ended += 1);
      };
      const decoder = new RecordingDecoder({ ...createModel('pair', loaded), begin }, { kind });
      for await (const { text } of decoder.decode([1], LIMITS)) {
        assert.deepEqual([begun, ended], [waited, 0]);
        if (text === stopAt) break;
      }
      assert.deepEqual([begun, ended], [waited, waited]);
    }
  });
});
