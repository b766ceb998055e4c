// Tests that token ids are checked before MLX gets them: a wrong id would make it read memory out of bounds.
import { scope } from '../../../server/models/mlx/memory';
import { tokenArray } from '../../../server/models/mlx/tokenArray';
import { assertRefused } from '../../support/refusal';

describe('tokenArray', () => {
  for (const [ids, ...mentions] of [
    [[], 'at least one token', 'got none'],
    [[0, 256], 'token ids from 0 to 255', 'got 256 at position 1'],
    [[-1], 'got -1 at position 0'],
    [[1, 2, 1.5], 'got 1.5 at position 2'],
    [[NaN, 300], 'got NaN at position 0'],
  ] as const)
    it(`rejects the token ids [${ids.join(', ')}] of a vocabulary of 256`, () =>
      assertRefused(() => scope(() => tokenArray(ids, 256)), ...(mentions as readonly string[])));
});
