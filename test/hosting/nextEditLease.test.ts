// Tests which model next edits use: that of suggestions, or a separate one without a drafter, which is loaded when it is
// needed. Loads and engines are fakes; test/lsp/nextEdit.test.ts tests whole next edits.
import assert from 'node:assert/strict';
import { LoadCrash } from '../../server/hosting/loadMark';
import { NextEditLease } from '../../server/hosting/nextEditLease';
import type { PairName } from '../../server/hosting/pairName';
import { DEFAULT_SETTINGS } from '../../server/hosting/settings';
import type { ClientSettings } from '../../server/protocol/messages';
import { NO_REMOTE } from '../../server/rules/serverSettings';
import { HostedModels } from '../lsp/hostedModels';

const REMOTE = { remote: { ...NO_REMOTE, url: 'http://a:80' } };
const SEPARATE = { target: 'a', nextEdit: 'inline', nextEditModel: 'edits' } as const;

describe('NextEditLease', () => {
  let models: HostedModels;
  let nextEdits: NextEditLease;
  /** Names of the pairs that are loaded, in order. */
  let names: PairName[];
  beforeEach(() => {
    names = [];
    models = new HostedModels('instant', {
      load: (name, ...rest) => {
        names.push(name);
        if (name.target === 'crashing') throw new LoadCrash('Loading it has crashed. Choose another model.');
        return models.loads.load(name, ...rest);
      },
    });
    const shared = models.window();
    void shared.configure({ target: 'a', load: 'firstUse' });
    nextEdits = new NextEditLease(
      models.pool,
      shared.lease,
      () => undefined,
      () => undefined,
    );
  });

  const configure = (settings: Partial<ClientSettings>): void => {
    nextEdits.configure({ ...DEFAULT_SETTINGS, ...settings });
  };
  /** Makes one request, and returns its model. */
  const usedTarget = async (): Promise<string | undefined> => {
    const used = nextEdits.use((model) => Promise.resolve(model?.info.target));
    // The pool pauses before it loads another model.
    await models.clock.pass(1000);
    return await used;
  };

  it('uses a separate model only if the settings name one, and next edits are on', () => {
    for (const [settings, isSeparate] of [
      [{ ...SEPARATE, nextEditModel: '' }, false],
      [{ ...SEPARATE, nextEdit: 'off' }, false],
      [SEPARATE, true],
      [{ ...SEPARATE, nextEditModel: 'a' }, false],
      // The model of suggestions is at another server then.
      [{ ...SEPARATE, nextEditModel: 'a', ...REMOTE }, true],
    ] as const) {
      configure(settings);
      assert.equal(nextEdits.separateStatus !== undefined, isSeparate, JSON.stringify(settings));
    }
  });

  it('has no model if loading the separate one has crashed, and loads no other model instead', async () => {
    configure(SEPARATE);
    assert.equal(await usedTarget(), 'edits');
    configure({ ...SEPARATE, nextEditModel: 'crashing' });
    for (let i = 0; i < 2; i++) assert.equal(await usedTarget(), undefined);
    assert.deepEqual([...new Set(names.map(({ target }) => target))], ['edits', 'crashing']);
  });

  it('loads a separate model with the first request, on this machine and without a drafter', async () => {
    configure({ ...SEPARATE, ...REMOTE, load: 'start' });
    await models.clock.pass(1000);
    assert.equal(names.length, 0);
    assert.equal(await usedTarget(), 'edits');
    assert.equal(nextEdits.model?.info.target, 'edits');
    const [{ target, drafter, remote } = assert.fail(), ...others] = names;
    assert.deepEqual([target, drafter, remote?.url, others], ['edits', 'none', '', []]);
  });

  it('releases a separate model when next edits are turned off, and at the end', async () => {
    for (const isLast of [false, true]) {
      configure(SEPARATE);
      await usedTarget();
      if (isLast) await nextEdits.dispose();
      else configure({ ...SEPARATE, nextEdit: 'off' });
      await models.clock.pass(1000);
      assert.equal(models.loads.engines.at(-1)?.disposed, true);
      assert.equal(await usedTarget(), 'a');
    }
  });
});
