// The built program: writes the charts of a folder into another and leaves stdout to the measurements.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flashline, type Outcome } from '../../cli/flashline';
import { temporaryFolder } from '../../support/temporaryFolder';
import { PEERS } from './measured';
import { svgElements } from './svgElements';

const draw = (...folders: readonly string[]): Promise<Outcome> =>
  flashline(folders, { program: 'dist/bench/charts.js' });

describe('npm run bench:charts', () => {
  it('writes SVG files and says so on stderr', async () => {
    const results = temporaryFolder();
    const out = join(temporaryFolder(), 'new', 'charts');
    writeFileSync(join(results, 'peers.json'), JSON.stringify(PEERS));
    const { code, stdout, stderr } = await draw(results, out);
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '', stderr: `peers.svg in ${out}\n` });
    assert.deepEqual(readdirSync(out), ['peers.svg']);
    assert.equal(svgElements(readFileSync(join(out, 'peers.svg'), 'utf8'))[0]?.name, 'svg');
  });

  it('complains where nothing was measured, and about damaged results, and then writes nothing', async () => {
    const results = temporaryFolder();
    const out = temporaryFolder();
    const { code, stderr } = await draw(results, out);
    assert.equal(code, 2);
    assert.match(stderr, /^bench:charts: Expected decode\.json, .*, got none of them; run "npm run bench"/);
    writeFileSync(join(results, 'peers.json'), JSON.stringify(PEERS));
    writeFileSync(join(results, 'decode.json'), '{');
    const damaged = await draw(results, out);
    assert.equal(damaged.code, 2);
    assert.match(damaged.stderr, /^bench:charts: Expected JSON in .*decode\.json, got something else; run/);
    assert.deepEqual(readdirSync(out), []);
  });
});
