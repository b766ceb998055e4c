// What a probe has found is used at the next load, with the server's own way to load models: nothing is decoded then
// before somebody asks.
import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RecordedEngine } from '../../bench/replay/recordedEngine';
import type { Leaseholder, LoadedModel } from '../../server/lsp/loadedModel';
import { ModelPool } from '../../server/lsp/modelPool';
import { loadNamedPair, pairIdentity } from '../../server/languageServer';
import { writeSmallTarget } from '../cli/smallTarget';
import { temporaryFolder } from '../support/temporaryFolder';

const nothing = (): void => undefined;
const holder: Leaseholder = {
  cacheBudget: { bytes: 0 },
  lastUse: 0,
  waiting: 0,
  onProgress: nothing,
  onShortMemory: nothing,
  log: nothing,
};

class CountedEngine extends RecordedEngine {
  get decodes(): number {
    return this.runs.length;
  }
}

interface Loaded extends Pick<LoadedModel, 'info' | 'layout'> {
  readonly decodes: number;
}

describe('a load of models', () => {
  const cacheBefore = process.env['FLASHLINE_CACHE'];
  let engines: CountedEngine[];
  let cache: string;
  beforeEach(() => {
    process.env['FLASHLINE_CACHE'] = cache = temporaryFolder();
    engines = [];
  });
  afterEach(() => {
    if (cacheBefore === undefined) delete process.env['FLASHLINE_CACHE'];
    else process.env['FLASHLINE_CACHE'] = cacheBefore;
  });

  const newPool = (): ModelPool =>
    new ModelPool({
      identify: pairIdentity,
      load: async (...args) => {
        const named = await loadNamedPair(...args);
        assert.ok(!named.engine.remote);
        const engine = new CountedEngine(named.engine);
        engines.push(engine);
        return { ...named, engine };
      },
    });

  /** Loads in a pool of its own, as another process does, and frees it. */
  async function loaded(target: string, pool = newPool()): Promise<Loaded> {
    const pair = pool.lease({ target, drafter: '', drafterBits: 'stored', device: 'cpu' }, holder);
    const { info, layout } = await pair.model;
    await pool.release(pair, holder);
    const { decodes } = engines.at(-1) ?? assert.fail();
    return { info, layout, decodes };
  }

  function onlyFile(): string {
    const [name = '', ...others] = readdirSync(cache);
    assert.deepEqual(others, []);
    return join(cache, name);
  }

  it('decodes nothing for the embedded pair, even where nothing is known of the machine', async () => {
    const { info, decodes } = await loaded('');
    assert.deepEqual([info.infill, decodes], ['fim', 0]);
  });

  it('tries out a target of its own once', async () => {
    const target = writeSmallTarget();
    const first = await loaded(target);
    assert.ok(first.decodes > 0);
    assert.deepEqual(await loaded(target), { ...first, decodes: 0 });
    assert.ok((await loaded(writeSmallTarget({ context: 500 }))).decodes > 0, 'and another one too');
  });

  it('decodes nothing when the models come back to memory', async () => {
    const [pool, target] = [newPool(), writeSmallTarget()];
    const first = await loaded(target, pool);
    assert.deepEqual(await loaded(target, pool), { ...first, decodes: 0 });
    assert.equal(engines.length, 2);
  });

  for (const name of ['tokenizer.json', 'config.json'])
    it(`tries out again what has another ${name}`, async () => {
      const target = writeSmallTarget();
      await loaded(target);
      appendFileSync(join(target, name), '\n');
      assert.ok((await loaded(target)).decodes > 0);
      assert.equal((await loaded(target)).decodes, 0);
    });

  it('tries out again what another version of the probe has tried out', async () => {
    const target = writeSmallTarget();
    await loaded(target);
    const stored = JSON.parse(readFileSync(onlyFile(), 'utf8')) as {
      readonly probe: { readonly version: number };
    };
    const { probe } = stored;
    writeFileSync(onlyFile(), JSON.stringify({ ...stored, probe: { ...probe, version: probe.version - 1 } }));
    assert.ok((await loaded(target)).decodes > 0);
  });

  it('tries out again what was stored and got damaged', async () => {
    const target = writeSmallTarget();
    const { info } = await loaded(target);
    for (const damage of [
      (file: string) => truncateSync(file, 100),
      (file: string) => writeFileSync(file, '{"probe":{"version":1,"infill":7,"layout":[]},"costs":3}'),
      (file: string) => writeFileSync(file, 'null'),
      (file: string) => rmSync(file),
    ]) {
      damage(onlyFile());
      const again = await loaded(target);
      assert.ok(again.decodes > 0);
      assert.deepEqual(again.info, info);
      assert.equal((await loaded(target)).decodes, 0);
    }
  });
});
