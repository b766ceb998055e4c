// model.safetensors.index.json beside two sound files of weights.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Shards } from '../../../../server/models/checkpoint/shards';
import { writeSafetensors } from '../../../support/safetensorsFile';
import { floatTensor } from '../../../support/fileTensor';
import { temporaryFolder } from '../../../support/temporaryFolder';
import { valueUnlessRefused } from '../assertExplained';
import { fuzzKind } from '../kind';
import { spoiltJson } from '../oddValues';

const FILES = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'] as const;
const [FIRST, SECOND] = FILES;
const INDEX = {
  metadata: { total_size: 32 },
  weight_map: { 'a.weight': FIRST, 'b.weight': FIRST, 'c.weight': SECOND, 'd.weight': SECOND },
};
const FILE = 'model.safetensors.index.json';

export const weightIndex = fuzzKind({
  name: 'weight-index',
  inputs: spoiltJson(INDEX),
  counts: { test: 400, million: 100_000 },
  open: () => {
    const folder = temporaryFolder();
    const two = floatTensor([2], [1, 2]);
    writeSafetensors(join(folder, FIRST), { 'a.weight': two, 'b.weight': two });
    writeSafetensors(join(folder, SECOND), { 'c.weight': two, 'd.weight': two });
    return {
      attempt: async (index) => {
        writeFileSync(join(folder, FILE), index);
        const shards = await valueUnlessRefused(() => new Shards(folder));
        for (const { file } of shards?.tensors.values() ?? [])
          assert.ok(
            FILES.some((each) => file === join(folder, each)),
            file,
          );
      },
      sound: () => {
        writeFileSync(join(folder, FILE), JSON.stringify(INDEX));
        assert.deepEqual([...new Shards(folder).tensors.keys()].sort(), Object.keys(INDEX.weight_map));
      },
    };
  },
});
