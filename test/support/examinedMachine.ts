// A machine as the doctor describes it.
import type { Examination } from '../../server/doctor/examine';

export const EXAMINED_MACHINE: Examination['machine'] = {
  flashline: '1.2.3',
  nodeMlx: '0.0.7',
  node: '22.0.0',
  platform: 'darwin-arm64',
  system: 'Darwin 25',
  processor: 'Apple M4',
  cores: 10,
  memoryBytes: 16e9,
  gpu: { architecture: 'applegpu_g16g', max_recommended_working_set_size: 11e9 },
};
