// Tests the list of what a model's folder contains, and the error for a folder that cannot be listed.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { namesInFolder } from '../../../server/models/checkpoint/modelFolder';
import { temporaryFolder } from '../../support/temporaryFolder';

describe('namesInFolder', () => {
  it('returns the names of files and folders', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'model.safetensors'), '');
    mkdirSync(join(folder, 'onnx'));
    assert.deepEqual(namesInFolder(folder).sort(), ['model.safetensors', 'onnx']);
  });

  // A folder without read permission fails in the same way, but not for root, who runs tests in containers.
  it('names a folder that cannot be listed, and says what to do', () => {
    const file = join(temporaryFolder(), 'model');
    writeFileSync(file, '');
    const message = new RegExp(
      `a folder that can be listed at ${file}, got ENOTDIR; allow this user to list it`,
    );
    assert.throws(() => namesInFolder(file), { name: 'UserError', message });
  });
});
