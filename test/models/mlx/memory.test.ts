// Tests that scopes free the arrays that are made in them, except those that they return and those with another owner.
import assert from 'node:assert/strict';
import {
  dispose,
  keep,
  largeScope,
  liveArrays,
  scope,
  takeReleased,
} from '../../../server/models/mlx/memory';
import * as mx from '../../../server/models/mlx/ops';
import { valuesOf } from '../../support/arrayValues';

describe('a scope of arrays', () => {
  let arraysBefore: number;
  beforeEach(() => {
    arraysBefore = liveArrays();
    takeReleased();
  });
  afterEach(() => assert.equal(liveArrays(), arraysBefore));

  const made = (): number => liveArrays() - arraysBefore;
  const one = (): mx.MxArray => mx.array([1], mx.float32);

  for (const run of [scope, largeScope])
    it(`frees all arrays but those in its result, however they are nested: ${run.name}`, () => {
      const result = run(() => {
        mx.add(one(), one());
        return { list: [one(), { inner: mx.add(one(), 1) }], text: 'x' };
      });
      assert.equal(made(), 2);
      assert.deepEqual((result.list as mx.MxArray[]).slice(0, 1).map(valuesOf), [[1]]);
      dispose(result);
    });

  it('leaves the arrays that an inner scope returns to the outer one', () => {
    const kept = scope(() => {
      const [first] = scope(() => [one(), one()]);
      assert.equal(made(), 2);
      return first;
    });
    assert.equal(made(), 1);
    dispose(kept);
  });

  it('frees all its arrays if it throws, and the outer scope goes on', () => {
    const kept = scope(() => {
      const outer = one();
      assert.throws(
        () =>
          scope(() => {
            one();
            throw new Error('no');
          }),
        /no/,
      );
      assert.equal(made(), 1);
      one();
      return outer;
    });
    assert.equal(made(), 1);
    dispose(kept);
  });

  it('leaves a kept array to its owner, beyond all outer scopes', () => {
    let owned: mx.MxArray | undefined;
    scope(() =>
      scope(() => {
        owned = keep(one());
        return undefined;
      }),
    );
    assert.equal(made(), 1);
    dispose(owned);
    assert.equal(made(), 0);
    // Without a scope, nothing else would free the array.
    dispose(keep(one()));
  });

  it("leaves 64 to 4096 arrays to V8's collector, but not fewer, more, or those of a large scope", () => {
    for (const [count, isReleased] of [
      [1, false],
      [63, false],
      [64, true],
      [4096, true],
      [4097, false],
    ] as const) {
      scope(() => {
        for (let i = 0; i < count; i++) one();
        return undefined;
      });
      assert.equal(made(), 0);
      assert.equal(takeReleased(), isReleased, `${count} arrays`);
      assert.equal(takeReleased(), false);
    }
    largeScope(() => {
      for (let i = 0; i < 64; i++) one();
      return undefined;
    });
    assert.equal(takeReleased(), false);
  });
});
