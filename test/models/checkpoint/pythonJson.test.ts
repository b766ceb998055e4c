// Tests that configs are parsed as Python's json module writes them.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigFields } from '../../../server/models/checkpoint/configFields';
import { parsePythonJson } from '../../../server/models/checkpoint/pythonJson';
import { assertRefused } from '../../support/refusal';
import { temporaryFolder } from '../../support/temporaryFolder';

describe('parsePythonJson', () => {
  it('parses infinite numbers and NaN anywhere in a value', () => {
    const text =
      '{"a": Infinity, "b": [-Infinity, 1, {"c": NaN}], "d": "NaN \\" Infinity", "Infinity": -1e3}';
    assert.deepEqual(parsePythonJson(text), {
      a: Infinity,
      b: [-Infinity, 1, { c: NaN }],
      d: 'NaN " Infinity',
      Infinity: -1000,
    });
    assert.equal(parsePythonJson('NaN'), NaN);
    assert.deepEqual(parsePythonJson('{"a": "Infinity"}'), { a: 'Infinity' });
  });

  it('rejects infinite numbers and NaN in other spellings and places', () => {
    for (const text of [
      '{"a": infinity}',
      '{"a": +Infinity}',
      '{"a": Infinit}',
      '{NaN: 1}',
      '[Infinity NaN]',
      '-NaN',
    ])
      assert.throws(() => parsePythonJson(text), SyntaxError, text);
  });

  it('parses configs, whose sizes must still be finite', async () => {
    const file = join(temporaryFolder(), 'config.json');
    writeFileSync(
      file,
      '{"hidden_size": Infinity, "rms_norm_eps": NaN, "time_step_limit": [0.0, Infinity], "vocab_size": 7}',
    );
    const fields = ConfigFields.read(file);
    assert.equal(fields.integer('vocab_size'), 7);
    await assertRefused(() => fields.integer('hidden_size'), file, 'hidden_size', 'got Infinity');
    await assertRefused(() => fields.number('rms_norm_eps'), file, 'rms_norm_eps', 'got NaN');
  });
});
