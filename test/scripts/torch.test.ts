// Tests that scripts/torch.mjs refuses a PYTHON that cannot import PyTorch instead of choosing another Python.
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Torch {
  readonly ensureTorch: () => string | undefined;
}

describe('the search for PyTorch', () => {
  const { PYTHON } = process.env;
  afterEach(() => {
    if (PYTHON === undefined) delete process.env['PYTHON'];
    else process.env['PYTHON'] = PYTHON;
  });

  it('refuses a PYTHON that cannot import torch, instead of choosing another Python', async () => {
    const { ensureTorch } = (await import(pathToFileURL(resolve('scripts/torch.mjs')).href)) as Torch;
    process.env['PYTHON'] = '/absent/python';
    assert.throws(
      ensureTorch,
      /PYTHON=\/absent\/python cannot import torch and numpy \(spawnSync .* ENOENT\)\. Set PYTHON/,
    );
  });
});
