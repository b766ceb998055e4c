// Tests a drafter of the settings that cannot be used: suggestions work without it, and the log, the status and the
// statistics give the reason. Loads models as the server does.
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { createModelPool } from '../../server/programs/composition';
import { embeddedTarget } from '../support/embeddedFacts';
import { DFLASH } from '../support/fixtures';
import { serverInMemory } from './serverInMemory';

const SETTINGS = { debounceMs: 0, device: 'cpu', draftLength: 'full', prefetch: 'never' } as const;

describe('a drafter in the settings', () => {
  it('is left out, with the reason in the status, when it is missing or made for another target', async () => {
    const client = serverInMemory(createModelPool());
    const assertProblem = (complaint: RegExp): void => {
      const { drafterProblem = '', ...model } = client.status?.model ?? assert.fail();
      assert.match(drafterProblem, complaint);
      assert.deepEqual([model.drafter, model.maxDraftTokens], [undefined, 0]);
      const [line = '', ...moreLines] = client.logs.filter((line) => line.includes(drafterProblem));
      assert.deepEqual(moreLines, []);
      assert.match(
        line,
        /^loaded embedded with no drafter on cpu, because .* cannot be used: (Expected|No model folder)/,
      );
    };
    await client.start({ ...SETTINGS, drafter: resolve(DFLASH) });
    assertProblem(new RegExp(`^Expected .*hidden_size ${String(embeddedTarget.hiddenSize)}.*, got .*; `));
    const place = await client.open('add.ts', 'const add = (a: number, b: number) => a +║;\n');
    assert.equal(await client.text(place), ' b');
    await client.until(() => client.rows.length > 0);
    const { stats } = client.rows.at(-1) ?? assert.fail();
    assert.deepEqual([stats.speculationOff, stats.draftedTokens], ['drafter_mismatch', 0]);
    await client.settings({ ...SETTINGS, drafter: resolve('test/fixtures/no-such-model') });
    await client.until(() => client.status?.model?.drafterProblem?.includes('no-such-model') === true);
    assertProblem(
      /^No model folder at .*no-such-model\. Choose one that holds config\.json and the weights\.$/,
    );
    await client.connection.sendRequest('shutdown');
  });
});
