// What every decoder does, be it the engine in this process or one behind an address.
import assert from 'node:assert/strict';
import type { UsableModel } from '../../server/hosting/loadedModel';
import { RecordingDecoder } from '../../server/hosting/recordingDecoder';
import { fimEndTokenIds } from '../../server/completion/prompt/fimForm';
import { fimPrompt } from '../support/fimPrompt';
import type { SamplingOptions } from '../../server/engine/request/sampling';

export interface Decoded {
  readonly text: string;
  readonly finishReason: string | undefined;
}

const HOLE = {
  fileName: 'stack.ts',
  prefix: 'class Stack {\n  items: number[] = [];\n  push(item: number) {\n',
  suffix: '\n  }\n}\n',
};

/** Reads at most `pieces` of a decode of the hole. */
export async function decoded(
  model: UsableModel,
  request: {
    readonly maxTokens?: number;
    readonly stopStrings?: readonly string[];
    readonly sampling?: SamplingOptions;
    readonly pieces?: number;
    readonly signal?: AbortSignal;
    readonly onPiece?: () => void;
  } = {},
): Promise<Decoded> {
  const { maxTokens = 24, stopStrings = [], sampling, pieces = Infinity, signal, onPiece } = request;
  const decoder = new RecordingDecoder(model, { kind: 'inline', draftLength: 'full' });
  const ids = fimPrompt(HOLE, decoder.tokenizer, 512) ?? assert.fail();
  let [text, read] = ['', 0];
  for await (const piece of decoder.decode(ids, {
    maxTokens,
    stopStrings,
    stopTokenIds: fimEndTokenIds(decoder.tokenizer),
    ...(sampling && { sampling }),
    signal: signal ?? new AbortController().signal,
  })) {
    assert.notEqual(piece.text, '');
    text += piece.text;
    read += 1;
    onPiece?.();
    if (read === pieces) break;
  }
  return { text, finishReason: decoder.decodes[0]?.finishReason };
}

/** `expected` is the same question to the engine in this process. */
export function decoderContract(model: () => UsableModel, expected: () => UsableModel): void {
  const same = async (request: Parameters<typeof decoded>[1]): Promise<Decoded> => {
    const [mine, theirs] = [await decoded(model(), request), await decoded(expected(), request)];
    assert.deepEqual(mine, theirs);
    return mine;
  };

  it('gives the most probable text', async () => {
    const { text } = await same({});
    assert.notEqual(text.trim(), '');
  });

  it('ends at the token limit', async () => {
    assert.equal((await same({ maxTokens: 3 })).finishReason, 'length');
  });

  it('ends before a stop string', async () => {
    const whole = await decoded(expected());
    const middle = whole.text
      .slice(whole.text.length >> 1)
      .trim()
      .slice(0, 4);
    assert.deepEqual(await same({ stopStrings: [middle] }), {
      text: whole.text.slice(0, whole.text.indexOf(middle)),
      finishReason: 'stop',
    });
  });

  it('gives the same draw for the same seed', async () => {
    await same({ sampling: { temperature: 0.8, topP: 0.95, seed: 7 } });
  });

  it('stops when nobody reads on', async () => {
    const { finishReason } = await decoded(model(), { pieces: 1 });
    assert.equal(finishReason, 'abandoned');
    await same({});
  });

  for (const [reason, finish] of [
    ['cancelled', 'cancelled'],
    ['superseded', 'superseded'],
  ] as const)
    it(`ends as ${finish} without an error`, async () => {
      const controller = new AbortController();
      const onPiece = (): void => {
        controller.abort(reason);
      };
      const { finishReason } = await decoded(model(), { signal: controller.signal, onPiece });
      assert.equal(finishReason, finish);
      const early = await decoded(model(), { signal: controller.signal });
      assert.deepEqual(early, { text: '', finishReason: finish });
    });
}
