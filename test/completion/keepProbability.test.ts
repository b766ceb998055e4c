// What is hidden: automatic suggestions below the threshold, never those that were asked for, and nothing by default.
import assert from 'node:assert/strict';
import { suggest } from '../../server/completion/session/suggest';
import type { DecodedPiece } from '../../server/completion/decoder';
import { FakeDecoder } from './fakeDecoder';
import { at, SETTINGS, tools } from './suggesting';

/** Tells the same log-probability for each piece, where it is asked to. */
class TellingDecoder extends FakeDecoder {
  logprob = 0;

  override async *decode(...[ids, limits]: Parameters<FakeDecoder['decode']>): AsyncGenerator<DecodedPiece> {
    for await (const { text } of super.decode(ids, limits)) {
      const chances = [{ length: text.length, logprob: this.logprob }];
      yield limits.tellsProbabilities ? { text, chances } : { text };
    }
  }
}

describe('a threshold', () => {
  const asked = async (
    hideBelow: number,
    logprob: number,
    trigger: 'automatic' | 'explicit' = 'automatic',
  ) => {
    const used = { ...tools([]), decoder: new TellingDecoder([['{\n', '  b();\n', '}\n', 'c();\n']]) };
    used.decoder.logprob = logprob;
    const shown: (readonly string[])[] = [];
    const watch = { read: () => undefined, certain: (texts: readonly string[]) => void shown.push(texts) };
    const settings = { ...SETTINGS, hideBelow };
    const result = await suggest(at('if (a) ║\n', { trigger, settings }), { ...used, watch });
    return { ...result, shown: shown.length, decoder: used.decoder };
  };

  it('hides what falls short of it, of which nothing is shown before and nothing more computed', async () => {
    const { outcome, texts, shown, decoder } = await asked(50, -5);
    assert.deepEqual([outcome, texts, shown], ['hidden', [], 0]);
    assert.ok(decoder.given < 4, String(decoder.given));
  });

  it('shows the rest', async () => {
    const { outcome, signs } = await asked(50, -0.01);
    assert.equal(outcome, 'shown');
    assert.equal(signs?.leastLogprob, -0.01);
  });

  it('never hides what was asked for', async () => {
    assert.equal((await asked(100, -5, 'explicit')).outcome, 'shown');
  });

  it('of 0 asks for no probabilities', async () => {
    const { outcome, signs, decoder } = await asked(0, -5);
    assert.deepEqual([outcome, signs], ['shown', undefined]);
    assert.ok(decoder.limits.every(({ tellsProbabilities }) => tellsProbabilities === undefined));
  });
});
